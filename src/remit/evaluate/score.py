"""Figures of a system over a set of cases, each with its interval; nothing that could not be measured becomes a number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from remit.decide.decision import Action
from remit.evaluate.bound import right_at_best
from remit.evaluate.result import Learned, Result
from remit.measure.bootstrap import Interval, Rows, interval
from remit.measure.calibration import (
    brier,
    calibration_error,
    calibration_floor,
    gap_closed,
    perfect_area,
    risk_coverage,
)

Values = NDArray[np.float64]
Figure = Interval | None

_TIMES: Final = 1000
_ROUTED: Final = frozenset({Action.DENY, Action.CLARIFY, Action.REVIEW})
_LEAST: Final = 2
_SENSES: Final[Mapping[Learned, str]] = {"evident": "", "supported": "_exact"}


class Rate(NamedTuple):
    """A share: of which results, and which of them count."""

    of: Callable[[Result], bool]
    counts: Callable[[Result], float]


def _any(result: Result) -> bool:
    return True


def _known(result: Result) -> bool:
    return bool(result.acceptable)


_BY_KIND: Final = ("right_action", "unsupported_of_requests", "bound_evident", "bound_answerable")

RATES: Final[Mapping[str, Rate]] = {
    "right_action": Rate(_any, lambda r: r.acted_right),
    "bound_evident": Rate(_known, lambda r: right_at_best(r, "evident")),
    "bound_answerable": Rate(_known, lambda r: right_at_best(r, "answerable")),
    "useful_coverage": Rate(lambda r: r.answerable, lambda r: bool(r.evident)),
    "exact_coverage": Rate(lambda r: r.answerable, lambda r: bool(r.supported)),
    "answered_of_answerable": Rate(lambda r: r.answerable, lambda r: r.answered),
    "unsupported_of_requests": Rate(_any, lambda r: r.unsupported),
    "unsupported_of_answers": Rate(lambda r: r.answered, lambda r: r.unsupported),
    "answered_without_evidence": Rate(lambda r: not r.answerable, lambda r: r.answered),
    "inappropriate_abstention": Rate(lambda r: r.answerable, lambda r: r.action is Action.ABSTAIN),
    "review_demand": Rate(_any, lambda r: r.action is Action.REVIEW),
    "needless_review": Rate(
        lambda r: r.kind not in {"conflicting", "conflicting-metadata"}, lambda r: r.action is Action.REVIEW
    ),
    "em": Rate(lambda r: r.answerable, lambda r: r.em or 0.0),
    "f1": Rate(lambda r: r.answerable, lambda r: r.f1 or 0.0),
    "not_holding_of_answers": Rate(lambda r: r.answered, lambda r: not r.supported),
    "draft_evident": Rate(lambda r: r.answerable, lambda r: r.right(-1, "evident")),
    "draft_supported": Rate(lambda r: r.answerable, lambda r: r.right(-1, "supported")),
    "failed": Rate(_any, lambda r: r.failed is not None),
}
"""Each share by its name. A failed case counts like any other; what was not released answers nothing (EM and F1 0)."""


class Scored(NamedTuple):
    """The figures of one system on one set: shares with intervals, the ordering, the calibration, the cost, the confusion."""

    cases: int
    groups: int
    rates: dict[str, Figure]
    by_kind: dict[str, dict[str, Figure]]
    order: dict[str, Figure]
    calibration: dict[str, float | None]
    cost: dict[str, float | None]
    declined: dict[str, int]
    confusion: dict[str, dict[str, int]]
    leaks: int


def scored(results: Sequence[Result], baseline: Sequence[Result], *, seed: int, times: int = _TIMES) -> Scored:
    """Return the figures of a system; `baseline` are the same cases under the first system of the comparison."""
    kinds = sorted({result.kind for result in results})
    by_kind = {kind: [result for result in results if result.kind == kind] for kind in kinds}
    return Scored(
        cases=len(results),
        groups=len({result.group for result in results}),
        rates={name: _rate(rate, results, seed, times) for name, rate in RATES.items()},
        by_kind={
            kind: {name: _rate(RATES[name], held, seed, times) for name in _BY_KIND} for kind, held in by_kind.items()
        },
        order=_order(results, baseline, seed, times),
        calibration=_calibration(results, seed),
        cost=_cost(results),
        declined=dict(sorted(Counter(str(r.action) for r in results if not r.answered).items())),
        confusion={kind: dict(sorted(Counter(str(r.action) for r in held).items())) for kind, held in by_kind.items()},
        leaks=sum(bool(result.leaks) for result in results),
    )


def _rate(rate: Rate, results: Sequence[Result], seed: int, times: int) -> Figure:
    held = [result for result in results if rate.of(result)]
    if not held:
        return None
    values = np.array([float(rate.counts(result)) for result in held])
    return interval(lambda rows: float(values[rows].mean()), [r.group for r in held], seed=seed, times=times)


def confidence(result: Result) -> float:
    """Return how sure a system was of its last draft: what is routed elsewhere comes last of all.

    It is the evaluator's probability; by rules, the smaller of relevance and coverage; the drafter's own where those are waived.
    """
    if result.action in _ROUTED:
        return -1.0
    if result.probability is not None:
        return result.probability
    signals = dict(result.last.signals)
    taken = [value for value in (signals.get("relevance"), signals.get("coverage")) if value is not None]
    return min(taken, default=0.0)


def _drafted(results: Sequence[Result]) -> list[Result]:
    return [result for result in results if result.last.there]


def _order(results: Sequence[Result], baseline: Sequence[Result], seed: int, times: int) -> dict[str, Figure]:
    """Return areas under risk-coverage, for both senses of a right draft: of the system, of the baseline, of a perfect order."""
    ours = {result.case: result for result in _drafted(results)}
    theirs = {result.case: result for result in _drafted(baseline)}
    both = [case for case in ours if case in theirs]
    if len(both) < _LEAST:
        return {}
    groups = [ours[case].group for case in both]
    figures: dict[str, Figure] = {}
    for learned, ending in _SENSES.items():
        curves = _Curves.of([ours[case] for case in both], [theirs[case] for case in both], learned)
        for name, figure in curves.figures.items():
            figures[name + ending] = interval(figure, groups, seed=seed, times=times)
    return figures


class _Curves(NamedTuple):
    """How sure a system and the baseline are of each draft, and whether each of them is wrong."""

    sure: Values
    wrong: Values
    sure_before: Values
    wrong_before: Values

    @classmethod
    def of(cls, ours: Sequence[Result], theirs: Sequence[Result], learned: Learned) -> _Curves:
        return cls(
            np.array([confidence(one) for one in ours]),
            np.array([float(not one.right(-1, learned)) for one in ours]),
            np.array([one.last.confidence for one in theirs]),
            np.array([float(not one.right(-1, learned)) for one in theirs]),
        )

    @property
    def figures(self) -> dict[str, Callable[[Rows], float]]:
        return {
            "aurc": self._ours,
            "aurc_baseline": self._baseline,
            "aurc_unordered": lambda rows: float(self.wrong_before[rows].mean()),
            "aurc_perfect": lambda rows: perfect_area(self.wrong_before[rows]),
            "gap_closed": lambda rows: self._closed(self._baseline(rows), rows),
            "gap_closed_of_unordered": lambda rows: self._closed(float(self.wrong_before[rows].mean()), rows),
        }

    def _ours(self, rows: Rows) -> float:
        return risk_coverage(self.sure[rows], self.wrong[rows]).area

    def _baseline(self, rows: Rows) -> float:
        return risk_coverage(self.sure_before[rows], self.wrong_before[rows]).area

    def _closed(self, single: float, rows: Rows) -> float:
        return gap_closed(single, self._ours(rows), perfect_area(self.wrong_before[rows])) or 0.0


def probabilities(results: Sequence[Result]) -> tuple[Values, Values]:
    """Return what was said and what was so of each draft that an evaluator judged, in the sense that it learned."""
    judged = [(r.probability, float(r.right(-1, r.learned))) for r in _drafted(results) if r.probability is not None]
    return np.array([said for said, _ in judged], dtype=np.float64), np.array(
        [so for _, so in judged], dtype=np.float64
    )


def _calibration(results: Sequence[Result], seed: int) -> dict[str, float | None]:
    said, so = probabilities(results)
    if len(said) < _LEAST:
        return dict.fromkeys(("n", "ece", "ece_perfect", "ece_perfect_high", "brier"))
    floor = calibration_floor(said, seed=seed)
    groups = [result.group for result in _drafted(results) if result.probability is not None]
    around = interval(lambda rows: calibration_error(said[rows], so[rows]), groups, seed=seed, times=300)
    return {
        "n": float(len(said)),
        "ece": around.value,
        "ece_low": around.low,
        "ece_high": around.high,
        "ece_perfect": floor.mean,
        "ece_perfect_high": floor.high,
        "brier": brier(said, so),
    }


def _cost(results: Sequence[Result]) -> dict[str, float | None]:
    seconds = np.array([result.seconds for result in results])
    prices = [result.price for result in results]
    known = [price for price in prices if price is not None]
    return {
        "seconds_p50": float(np.percentile(seconds, 50)),
        "seconds_p90": float(np.percentile(seconds, 90)),
        "seconds_p99": float(np.percentile(seconds, 99)),
        "model_calls": float(np.mean([result.model_calls for result in results])),
        "tokens": float(np.mean([result.tokens for result in results])),
        "rounds": float(np.mean([result.rounds for result in results])),
        "price": sum(known) / len(known) if len(known) == len(prices) else None,
    }


def as_json(found: Scored) -> dict[str, Any]:
    """Return figures as JSON data: each interval as value, low and high, null where nothing could be measured."""
    return {name: _plain(value) for name, value in found._asdict().items()}


def _plain(value: Any) -> Any:
    if isinstance(value, Interval):
        return {name: round(one, 6) for name, one in value._asdict().items()}
    if isinstance(value, dict):
        return {name: _plain(one) for name, one in value.items()}
    return round(value, 6) if isinstance(value, float) else value
