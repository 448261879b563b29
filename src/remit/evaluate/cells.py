"""The tables of a comparison as HTML: a row a system, figures with their intervals, the best of a column in bold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from remit.evaluate.measures import MEASURES
from remit.evaluate.surest import Surest
from remit.evaluate.tables import Figure, Standing, Versus

_SMALL = 0.001


def figures(held: Mapping[str, Standing], names: Sequence[str]) -> str:
    """Return a table of measures, those left out that no system has."""
    shown = [name for name in names if any(one.figures[name].interval is not None for one in held.values())]
    head = "".join(f'<th title="{escape(MEASURES[name].note)}">{escape(MEASURES[name].label)}</th>' for name in shown)
    best = {name: _best([one.figures[name] for one in held.values()], MEASURES[name].better) for name in shown}
    rows = [
        f"<td>{escape(system)}</td>" + "".join(_cell(one.figures[name], best[name]) for name in shown)
        for system, one in held.items()
    ]
    return table(f"<th>system</th>{head}", rows)


def differences(held: Mapping[str, Standing], measure: str, reference: str) -> str:
    """Return how each system differs from the reference on one measure."""
    label = MEASURES[measure].label
    rows = [
        f"<td>{escape(system)}</td>" + _difference(one.versus[measure])
        for system, one in held.items()
        if measure in one.versus
    ]
    head = (
        f"<th>{escape(label)} beside {escape(reference)}</th><th>difference</th><th>p</th><th>p, Holm</th>"
        "<th>p, false discoveries</th><th>least detectable</th><th>same answer</th><th>says</th>"
    )
    return table(head, rows) if rows else ""


def counts(rows: Mapping[str, Mapping[str, int]], corner: str) -> str:
    """Return a table of counts: rows by name, columns by what occurs."""
    columns = sorted({name for held in rows.values() for name in held})
    head = f"<th>{escape(corner)}</th>" + "".join(f"<th>{escape(name)}</th>" for name in columns) + "<th>all</th>"
    made = [
        f"<td>{escape(name)}</td>"
        + "".join(f"<td>{held.get(column, 0) or '·'}</td>" for column in columns)
        + f"<td>{sum(held.values())}</td>"
        for name, held in rows.items()
    ]
    return table(head, made)


def ordering(held: Mapping[str, Standing]) -> str:
    """Return how well each system's confidence orders and says: AURC, calibration error, Brier; and its seconds."""
    head = (
        "<th>system</th><th>AURC</th><th>AURC, perfect order</th><th>ECE</th><th>ECE of perfect calibration</th>"
        "<th>Brier</th><th>seconds p50</th><th>seconds p95</th>"
    )
    rows = []
    for system, one in held.items():
        cal, took = one.calibration, one.seconds
        values = (
            one.aurc,
            one.aurc_perfect,
            cal["ece"],
            cal["ece_perfect"],
            cal["brier"],
            took.get("p50"),
            took.get("p95"),
        )
        rows.append(f"<td>{escape(system)}</td>" + "".join(f"<td>{number(value)}</td>" for value in values))
    return table(head, rows)


def surest(held: Mapping[str, Standing]) -> str:
    """Return each system's surest answers at equal shares of the questions: how many are unsupported, and their F1."""
    levels = sorted({level for one in held.values() for level in one.surest})
    head = "<th>system</th>" + "".join(
        f"<th>unsupported among the surest {level:.0%}</th><th>F1 of the surest {level:.0%}</th>" for level in levels
    )
    rows = [
        f"<td>{escape(system)}</td>" + "".join(_surest(one.surest.get(level)) for level in levels)
        for system, one in held.items()
    ]
    return table(head, rows) if levels else ""


def _surest(found: Surest | None) -> str:
    shown = (None, None) if found is None else (found.unsupported, found.f1)
    return "".join(
        "<td>\N{EN DASH}</td>"
        if one is None
        else f"<td>{number(one.value)}<small>{number(one.low)}\N{EN DASH}{number(one.high)}</small></td>"
        for one in shown
    )


def number(value: float | None) -> str:
    """Return a figure of three places, or a dash where there is none."""
    return "\N{EN DASH}" if value is None else f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3f}"  # noqa: PLR2004 -- whole


def table(head: str, rows: Sequence[str]) -> str:
    """Return a table of a head and rows of cells."""
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _cell(found: Figure, best: float | None) -> str:
    if found.interval is None:
        return '<td title="not measured on any question">\N{EN DASH}</td>'
    value, low, high = found.interval
    mark = ' class="best"' if best is not None and abs(value - best) < _SMALL / 2 else ""
    more = f" ({found.unmeasured} unmeasured)" if found.unmeasured else ""
    return f'<td{mark} title="over {found.counted} questions{more}">{number(value)}<small>{number(low)}\N{EN DASH}{number(high)}</small></td>'


def _difference(one: Versus) -> str:
    value, low, high = one.difference
    way = "up" if value > 0 else "down"
    says = "better" if value > 0 else "worse"
    told = f'<span class="{way}">{says}</span>' if one.found else "not told apart"
    ps = "".join(f"<td>{_p(p)}</td>" for p in (one.p, one.holm, one.bh))
    return f"<td>{value:+.3f}<small>{low:+.3f} \N{EN DASH} {high:+.3f}</small></td>{ps}<td>{number(one.detectable)}</td><td>{one.alike:.0%}</td><td>{told}</td>"


def _p(p: float) -> str:
    return "&lt; .001" if p < _SMALL else f"{p:.3f}"


def _best(found: Sequence[Figure], better: int) -> float | None:
    """Return the best of a column; none where all are as good."""
    known = {one.interval.value for one in found if one.interval is not None}
    return None if not better or len(known) < 2 else max(known) if better > 0 else min(known)  # noqa: PLR2004 -- of two
