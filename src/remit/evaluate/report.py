"""The report of a run: all figures as JSON, the ones that matter as Markdown, the curves as SVG; with the card of the run."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from remit.evaluate.experiment import Experiment
from remit.evaluate.figures import reliability_diagram, risk_curves
from remit.evaluate.result import Result
from remit.evaluate.run import Ran
from remit.evaluate.score import Figure, Scored, as_json, confidence, probabilities, scored
from remit.measure.calibration import reliability, risk_coverage

JSON: Final = "report.json"
MARKDOWN: Final = "report.md"
TOGETHER: Final = "all sets"

_SHOWN: Final = (
    ("right_action", "right action"),
    ("bound_evident", "right action, if just what quotes evidence were released"),
    ("bound_answerable", "right action, if just what has an answer were answered"),
    ("useful_coverage", "useful coverage"),
    ("exact_coverage", "of it, the quotation holds the answer"),
    ("answered_of_answerable", "answered of answerable"),
    ("unsupported_of_requests", "unsupported, of requests"),
    ("unsupported_of_answers", "unsupported, of answers"),
    ("not_holding_of_answers", "quotation does not hold the answer, of answers"),
    ("answered_without_evidence", "answered without evidence"),
    ("inappropriate_abstention", "needless abstention"),
    ("review_demand", "review demand"),
    ("em", "EM"),
    ("f1", "F1"),
    ("failed", "failed"),
)


def write_report(ran: Ran, experiment: Experiment, out: Path) -> dict[str, Any]:
    """Write report.json, report.md and the figures into `out`; return the figures as JSON data."""
    names = [system.name for system in experiment.systems]
    sets = _sets(ran, experiment)
    figures: dict[str, dict[str, Scored]] = {
        name: {system: scored(held[system], held[names[0]], seed=experiment.seed) for system in names}
        for name, held in sets.items()
    }
    data = {
        "name": experiment.name,
        "systems": names,
        "figures": {name: {system: as_json(one) for system, one in held.items()} for name, held in figures.items()},
        "card": ran.card,
    }
    out.mkdir(parents=True, exist_ok=True)
    (out / JSON).write_text(json.dumps(data, indent=1, allow_nan=False) + "\n", encoding="utf-8")
    (out / MARKDOWN).write_text("\n".join(_markdown(experiment, figures, ran)) + "\n", encoding="utf-8")
    for name, held in sets.items():
        _draw(out, name, held)
    return data


def _sets(ran: Ran, experiment: Experiment) -> dict[str, dict[str, Sequence[Result]]]:
    names = [system.name for system in experiment.systems]
    sets: dict[str, dict[str, Sequence[Result]]] = {
        one.name: {system: ran.results[one.name, system] for system in names} for one in experiment.sets
    }
    if len(sets) > 1:
        sets[TOGETHER] = {
            system: [result for one in experiment.sets for result in ran.results[one.name, system]] for system in names
        }
    return sets


def _draw(out: Path, name: str, held: Mapping[str, Sequence[Result]]) -> None:
    curves, bars = {}, {}
    for system, results in held.items():
        drafted = [result for result in results if result.last.there]
        if drafted:
            sure = [confidence(result) for result in drafted]
            curves[system] = risk_coverage(sure, [float(not result.right(-1, "evident")) for result in drafted])
        said, so = probabilities(results)
        if len(said):
            bars[system] = reliability(said, so)
    first = [result for result in next(iter(held.values())) if result.last.there]
    wrong = np.array([float(not result.right(-1, "evident")) for result in first])
    slug = name.replace(" ", "-")
    if curves:
        text = risk_curves(curves, title=f"Risk and coverage, {name}", perfect=risk_coverage(-wrong, wrong))
        (out / f"risk-coverage-{slug}.svg").write_text(text, encoding="utf-8")
    if bars:
        text = reliability_diagram(bars, title=f"Reliability, {name}")
        (out / f"reliability-{slug}.svg").write_text(text, encoding="utf-8")


def _markdown(experiment: Experiment, figures: Mapping[str, Mapping[str, Scored]], ran: Ran) -> Iterator[str]:
    yield f"# {experiment.name}"
    yield ""
    yield (
        "Shares with 95 % bootstrap intervals over groups. *Useful coverage*: answerable cases answered with a quotation from their evidence. "
        "*Unsupported*: answers released without one. *Answered without evidence*: of the cases that admit no answer. AURC counts a "
        "draft as wrong where it quotes no evidence; *exact*: where its quotation does not hold the answer. *If just ...*: what the same drafts and "
        "readings of contradiction and revision give to a controller that knows what its evaluator estimates."
    )
    for name, held in figures.items():
        any_one = next(iter(held.values()))
        yield from ("", f"## {name}: {any_one.cases} cases, {any_one.groups} groups", "")
        yield from _table(["", *held], list(_figures(list(held.values()))))
        yield from ("", f"Right action by kind, {name}:", "")
        last = list(held)[-1]
        bounds = [f"{last}, if just what quotes evidence were released", "if just what has an answer were"]
        yield from _table(["kind", "n", *held, *bounds], list(_kinds(list(held.values()))))
        yield from ("", f"What was done, {name}:", "")
        kinds = {kind: [_counts(one.confusion[kind]) for one in held.values()] for kind in any_one.confusion}
        yield from _table(["kind", *held], [[kind, *done] for kind, done in kinds.items()])
    yield from _points(ran)
    yield from ("", "## Run card", "", "```json", json.dumps(ran.card, indent=1), "```")


def _figures(held: Sequence[Scored]) -> Iterator[list[str]]:
    """Yield the rows of a set's table: a label, and a cell for each system."""
    for key, label in _SHOWN:
        yield [label, *(_share(one.rates[key]) for one in held)]
    yield ["leaks", *(str(one.leaks) for one in held)]
    for key, label in _ORDER:
        yield [label, *(_share(one.order.get(key)) for one in held)]
    yield ["ECE (perfect calibration at this n: mean, 95th percentile)", *map(_error, held)]
    yield ["Brier", *(_plain(one.calibration.get("brier")) for one in held)]
    yield ["declined, by decision", *(_counts(one.declined) for one in held)]
    yield ["seconds p50 / p90", *(f"{one.cost['seconds_p50']:.2f} / {one.cost['seconds_p90']:.2f}" for one in held)]
    yield ["model calls, rounds a case", *(f"{one.cost['model_calls']:.2f}, {one.cost['rounds']:.2f}" for one in held)]


def _kinds(held: Sequence[Scored]) -> Iterator[list[str]]:
    for kind, counts in held[0].confusion.items():
        bounds = [held[-1].by_kind[kind][name] for name in ("bound_evident", "bound_answerable")]
        shown = [*(one.by_kind[kind]["right_action"] for one in held), *bounds]
        yield [kind, str(sum(counts.values())), *map(_share, shown)]


_ORDER: Final = (
    ("aurc", "AURC"),
    ("aurc_baseline", "AURC, first system by its drafter's confidence"),
    ("aurc_unordered", "AURC, first system without any order"),
    ("aurc_perfect", "AURC, perfect order"),
    ("gap_closed", "gap closed"),
    ("gap_closed_of_unordered", "gap closed, from no order"),
    ("aurc_exact", "AURC, exact"),
    ("aurc_baseline_exact", "AURC, exact, first system by its drafter's confidence"),
    ("aurc_perfect_exact", "AURC, exact, perfect order"),
    ("gap_closed_exact", "gap closed, exact"),
)


def _points(ran: Ran) -> Iterator[str]:
    yield from ("", "## Operating points", "")
    rows = []
    for name, points in ran.points.items():
        for frozen in points:
            point = frozen.point
            threshold = "-" if point.support is None else f"{point.support:.3f}"
            waived = ", ".join(point.waive) or "none"
            rounds = "as budgeted" if point.rounds is None else str(point.rounds)
            rows.append(
                [
                    name,
                    f"{point.relevance:g} / {point.coverage:g}",
                    threshold,
                    waived,
                    rounds,
                    point.chosen_for,
                    point.digest[7:19],
                ]
            )
    yield from _table(["system", "relevance / coverage", "support", "waived", "rounds", "chosen for", "digest"], rows)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield f"|{'---|' * len(head)}"
    for row in rows:
        yield f"| {' | '.join(row)} |"


def _share(figure: Figure) -> str:
    return "-" if figure is None else f"{figure.value:.3f} [{figure.low:.3f}, {figure.high:.3f}]"


def _error(one: Scored) -> str:
    found = one.calibration
    if found.get("ece") is None:
        return "-"
    return f"{found['ece']:.3f} [{found['ece_low']:.3f}, {found['ece_high']:.3f}] ({found['ece_perfect']:.3f}, {found['ece_perfect_high']:.3f})"


def _plain(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items()) or "none"
