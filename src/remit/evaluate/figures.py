"""Figures as SVG that needs nothing else: risk against coverage, and reliability."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Final

from remit.measure.calibration import Bin, RiskCoverage

_WIDE, _HIGH = 560, 400
_LEFT, _TOP, _RIGHT, _BOTTOM = 56, 40, 150, 48
_INK: Final = ("#1b6ca8", "#c8553d", "#3c7d4d", "#7a4fa3", "#a07a12", "#5b6770")
_DASHES: Final = ("", "6 3", "2 3", "8 3 2 3", "1 2", "10 4")
_POINTS: Final = 120
_LEAST_RADIUS, _MOST_RADIUS = 2.5, 11.0


def risk_curves(curves: Mapping[str, RiskCoverage], *, title: str, perfect: RiskCoverage | None = None) -> str:
    """Return the risk of each system at every coverage, and where given that of a perfect ordering."""
    drawn = dict(curves) | ({"perfect order": perfect} if perfect is not None else {})
    top = max((float(curve.risk.max()) for curve in drawn.values()), default=1.0)
    top = min(1.0, max(0.1, round(top + 0.05, 1)))
    body = []
    for number, (name, curve) in enumerate(drawn.items()):
        step = max(1, len(curve.coverage) // _POINTS)
        places = [*range(0, len(curve.coverage), step), len(curve.coverage) - 1]
        pairs = [(curve.coverage[place], curve.risk[place]) for place in places]
        path = " ".join(f"{_x(float(one)):.1f},{_y(float(other), top):.1f}" for one, other in pairs)
        body.append(f'<polyline points="{path}" fill="none" stroke="{_ink(number)}" stroke-width="2"{_dash(number)}/>')
        body.append(_legend(number, name))
    return _page(
        title, "coverage: share of drafts answered, surest first", "risk: share of them without evidence", top, body
    )


def reliability_diagram(systems: Mapping[str, Sequence[Bin]], *, title: str) -> str:
    """Return what each system's probabilities said against what was so; the larger the dot, the more drafts."""
    body = [f'<line x1="{_x(0)}" y1="{_y(0, 1)}" x2="{_x(1)}" y2="{_y(1, 1)}" stroke="#999" stroke-dasharray="4 4"/>']
    for number, (name, bars) in enumerate(systems.items()):
        total = sum(bar.cases for bar in bars) or 1
        path = " ".join(f"{_x(bar.said):.1f},{_y(bar.so, 1):.1f}" for bar in bars)
        body.append(
            f'<polyline points="{path}" fill="none" stroke="{_ink(number)}" stroke-width="1.5"{_dash(number)}/>'
        )
        for bar in bars:
            radius = _LEAST_RADIUS + (_MOST_RADIUS - _LEAST_RADIUS) * (bar.cases / total) ** 0.5
            told = f"{bar.cases} drafts: {bar.said:.2f} said, {bar.so:.2f} so"
            body.append(
                f'<circle cx="{_x(bar.said):.1f}" cy="{_y(bar.so, 1):.1f}" r="{radius:.1f}" fill="{_ink(number)}" '
                f'fill-opacity=".55"><title>{told}</title></circle>'
            )
        body.append(_legend(number, name))
    return _page(title, "probability said", "share that was so", 1.0, body)


def _page(title: str, along: str, up: str, top: float, body: Sequence[str]) -> str:
    axes = []
    for tick in range(6):
        share = tick / 5
        axes.append(
            f'<line x1="{_x(share)}" y1="{_y(0, 1)}" x2="{_x(share)}" y2="{_TOP}" stroke="#eee"/>'
            f'<text x="{_x(share)}" y="{_y(0, 1) + 16}" text-anchor="middle">{share:.1f}</text>'
            f'<line x1="{_x(0)}" y1="{_y(share, 1)}" x2="{_x(1)}" y2="{_y(share, 1)}" stroke="#eee"/>'
            f'<text x="{_x(0) - 6}" y="{_y(share, 1) + 4}" text-anchor="end">{share * top:.2f}</text>'
        )
    middle = (_TOP + _HIGH - _BOTTOM) / 2
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDE} {_HIGH}" role="img" font-family="sans-serif" font-size="11">',
            f"<title>{escape(title)}</title>",
            f'<rect width="{_WIDE}" height="{_HIGH}" fill="#fff"/>',
            f'<text x="{_LEFT}" y="22" font-size="14">{escape(title)}</text>',
            *axes,
            f'<text x="{(_x(0) + _x(1)) / 2}" y="{_HIGH - 10}" text-anchor="middle">{escape(along)}</text>',
            f'<text transform="translate(14 {middle}) rotate(-90)" text-anchor="middle">{escape(up)}</text>',
            *body,
            "</svg>",
            "",
        ]
    )


def _legend(number: int, name: str) -> str:
    x, y = _WIDE - _RIGHT + 12, _TOP + 10 + 18 * number
    return (
        f'<line x1="{x}" y1="{y}" x2="{x + 22}" y2="{y}" stroke="{_ink(number)}" stroke-width="2"{_dash(number)}/>'
        f'<text x="{x + 28}" y="{y + 4}">{escape(name)}</text>'
    )


def _x(share: float) -> float:
    return _LEFT + share * (_WIDE - _LEFT - _RIGHT)


def _y(share: float, top: float) -> float:
    return _HIGH - _BOTTOM - share / top * (_HIGH - _TOP - _BOTTOM)


def _ink(number: int) -> str:
    return _INK[number % len(_INK)]


def _dash(number: int) -> str:
    dash = _DASHES[number % len(_DASHES)]
    return f' stroke-dasharray="{dash}"' if dash else ""
