"""Figures of a comparison as inline SVG. Colours come from the page, so that they follow light, dark and paper."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Final, NamedTuple

INKS: Final = 8
_DASHES: Final = ("", "6 3", "2 3", "8 3 2 3")
_WIDE, _HIGH, _BROAD = 460, 300, 600
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 14, 14, 42


class Dot(NamedTuple):
    """A point with its interval upwards, and what it is called."""

    name: str
    x: float
    y: float
    low: float
    high: float


class Axis(NamedTuple):
    """What an axis says and its ends."""

    label: str
    low: float
    high: float

    def at(self, value: float, start: float, end: float) -> float:
        """Return where a value lies between two ends on the page."""
        return start + (value - self.low) / (self.high - self.low or 1.0) * (end - start)

    @property
    def ticks(self) -> list[float]:
        """Return round values to mark, five or so."""
        step = _step((self.high - self.low) or 1.0)
        first = math.ceil(self.low / step - 1e-9)
        return [at * step for at in range(first, int(self.high / step + 1e-9) + 1)]


def _step(span: float) -> float:
    raw = span / 5
    ten = 10.0 ** math.floor(math.log10(raw))
    return next(ten * one for one in (1, 2, 2.5, 5, 10) if ten * one >= raw)


def ink(place: int) -> str:
    """Return the attributes by which a system is drawn everywhere: a colour, and a dash from the ninth on."""
    dash = _DASHES[place // INKS % len(_DASHES)]
    return f'class="i{place % INKS}"' + (f' stroke-dasharray="{dash}"' if dash else "")


def forest(rows: Sequence[Dot], *, label: str) -> str:
    """Return a row a system: its figure as a dot on its interval; nothing where all are the same."""
    if not rows or len({(row.low, row.high) for row in rows}) == 1:
        return ""
    low, high = min(row.low for row in rows), max(row.high for row in rows)
    pad = max(0.01, 0.06 * (high - low))
    axis = Axis(label, max(0.0, low - pad), high + pad)
    left, right, step = 232, 20, 22
    high_px = step * len(rows) + 44
    x = [axis.at(tick, left, _BROAD - right) for tick in axis.ticks]
    parts = [
        f'<line class="grid" x1="{at:.1f}" x2="{at:.1f}" y1="8" y2="{high_px - 32}"/>'
        f'<text x="{at:.1f}" y="{high_px - 18}" text-anchor="middle">{tick}</text>'
        for at, tick in zip(x, map(_round, axis.ticks), strict=True)
    ]
    for place, row in enumerate(rows):
        y = 18 + step * place
        ends = [axis.at(value, left, _BROAD - right) for value in (row.low, row.y, row.high)]
        parts.append(
            f'<g class="i{place % INKS}"><text class="name" x="{left - 12}" y="{y + 4}" text-anchor="end">{escape(_short(row.name))}</text>'
            f'<line x1="{ends[0]:.1f}" x2="{ends[2]:.1f}" y1="{y}" y2="{y}"/>'
            f'<circle cx="{ends[1]:.1f}" cy="{y}" r="4"><title>{escape(row.name)}: {row.y:.3f} [{row.low:.3f}, {row.high:.3f}]</title></circle></g>'
        )
    parts.append(f'<text class="axis" x="{left}" y="{high_px - 3}">{escape(label)}</text>')
    return _svg(_BROAD, high_px, parts, f"{label} with 95 % intervals")


def curves(lines: Mapping[str, Sequence[tuple[float, float]]], x: str, y: str, *, diagonal: bool = False) -> str:
    """Return a line a system; with a diagonal where the two axes are of one kind."""
    known = {name: points for name, points in lines.items() if points}
    if not known:
        return ""
    highest = max(other for points in known.values() for _, other in points)
    top = 1.0 if diagonal else max(0.05, highest * 1.08)
    along, up = Axis(x, 0.0, 1.0), Axis(y, 0.0, top)
    parts = _axes(along, up)
    if diagonal:
        parts.append(
            f'<line class="grid even" x1="{_x(along, 0)}" y1="{_y(up, 0)}" x2="{_x(along, 1)}" y2="{_y(up, 1)}"/>'
        )
    for place, (name, points) in enumerate(lines.items()):
        if points:
            path = " ".join(f"{_x(along, one):.1f},{_y(up, other):.1f}" for one, other in points)
            parts.append(f'<polyline {ink(place)} points="{path}"><title>{escape(name)}</title></polyline>')
    return _svg(_WIDE, _HIGH, parts, f"{y} by {x}")


def dots(found: Sequence[Dot], x: str, y: str) -> str:
    """Return a dot a system, with its interval upwards."""
    if not found:
        return ""
    along = Axis(x, 0.0, max(1e-9, *(dot.x for dot in found)) * 1.12)
    up = Axis(y, max(0.0, min(dot.low for dot in found) - 0.02), max(dot.high for dot in found) + 0.02)
    parts = _axes(along, up)
    for place, dot in enumerate(found):
        at = _x(along, dot.x)
        parts.append(
            f'<g {ink(place)}><line x1="{at:.1f}" x2="{at:.1f}" y1="{_y(up, dot.low):.1f}" y2="{_y(up, dot.high):.1f}"/>'
            f'<circle cx="{at:.1f}" cy="{_y(up, dot.y):.1f}" r="5">'
            f"<title>{escape(dot.name)}: {_round(dot.x)}, {dot.y:.3f}</title></circle></g>"
        )
    return _svg(_WIDE, _HIGH, parts, f"{y} by {x}")


def bars(counts: Mapping[str, Mapping[int, int]], x: str, y: str) -> str:
    """Return for each system the share of questions at each whole number."""
    known = {name: held for name, held in counts.items() if held}
    if not known:
        return ""
    most = max(k for held in known.values() for k in held)
    shares = {name: {k: n / sum(held.values()) for k, n in held.items()} for name, held in known.items()}
    along, up = (
        Axis(x, -0.5, most + 0.5),
        Axis(y, 0.0, max(s for held in shares.values() for s in held.values()) * 1.05),
    )
    parts = _axes(along, up)
    wide = 0.8 * (_x(along, 1) - _x(along, 0)) / len(counts)
    for place, name in enumerate(counts):
        for k, share in shares.get(name, {}).items():
            left = _x(along, k - 0.4) + wide * place
            parts.append(
                f'<rect class="i{place % INKS}" x="{left:.1f}" y="{_y(up, share):.1f}" width="{wide:.1f}" '
                f'height="{_y(up, 0) - _y(up, share):.1f}"><title>{escape(name)}: k = {k}, {share:.2f}</title></rect>'
            )
    return _svg(_WIDE, _HIGH, parts, f"{y} by {x}")


def legend(names: Iterable[str]) -> str:
    """Return which colour is which system."""
    items = [
        f'<li><svg viewBox="0 0 26 10" width="26" height="10" aria-hidden="true"><line {ink(place)} x1="1" x2="25" y1="5" y2="5"/>'
        f'<circle class="i{place % INKS}" cx="13" cy="5" r="3.5"/></svg>{escape(name)}</li>'
        for place, name in enumerate(names)
    ]
    return f'<ul class="legend">{"".join(items)}</ul>'


def _axes(along: Axis, up: Axis) -> list[str]:
    parts = []
    for tick in along.ticks:
        at = _x(along, tick)
        parts.append(f'<text x="{at:.1f}" y="{_HIGH - _BOTTOM + 16}" text-anchor="middle">{_round(tick)}</text>')
    for tick in up.ticks:
        at = _y(up, tick)
        parts.append(
            f'<line class="grid" x1="{_LEFT}" x2="{_WIDE - _RIGHT}" y1="{at:.1f}" y2="{at:.1f}"/>'
            f'<text x="{_LEFT - 7}" y="{at + 4:.1f}" text-anchor="end">{_round(tick)}</text>'
        )
    middle = (_TOP + _HIGH - _BOTTOM) / 2
    parts.append(
        f'<text class="axis" x="{(_LEFT + _WIDE - _RIGHT) / 2}" y="{_HIGH - 6}" text-anchor="middle">{escape(along.label)}</text>'
    )
    parts.append(
        f'<text class="axis" transform="translate(13 {middle}) rotate(-90)" text-anchor="middle">{escape(up.label)}</text>'
    )
    return parts


def _x(axis: Axis, value: float) -> float:
    return axis.at(value, _LEFT, _WIDE - _RIGHT)


def _y(axis: Axis, value: float) -> float:
    return axis.at(value, _HIGH - _BOTTOM, _TOP)


def _round(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{round(value, 3):g}"  # noqa: PLR2004 -- from there on whole


def _short(name: str) -> str:
    most = 30
    return name if len(name) <= most else name[: most - 1] + "…"


def _svg(wide: float, high: float, parts: Sequence[str], title: str) -> str:
    return (
        f'<svg class="plot" viewBox="0 0 {wide} {high}" role="img" aria-label="{escape(title)}">{"".join(parts)}</svg>'
    )
