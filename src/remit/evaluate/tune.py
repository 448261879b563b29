"""From development results to a frozen point: fit the evaluator, choose the threshold, and record what it was tuned on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from remit.decide.frozen import FrozenPoint, Source, Tuned
from remit.decide.point import OperatingPoint, Waivable
from remit.evaluate.choose import Choice, Costs, Material, Target, Wanted, chances_of, choose, drafts_of
from remit.evaluate.fit import Row, fitted
from remit.evaluate.result import Learned, Result

COLLECTING: Final = FrozenPoint(
    point=OperatingPoint(name="collecting", relevance=1.0, coverage=1.0, chosen_on="nothing", chosen_for="tuning")
)
"""Answers nothing and corrects as often as it may, so that each draft on the way is seen."""
PLANNING: Final = OperatingPoint()
"""The thresholds by which plans are made, while collecting as well as at every learned point."""


class Freezing(NamedTuple):
    """How to name a point, what to choose it for, what to learn, which readings it waives, and the seed of the fit."""

    name: str
    wanted: Wanted
    seed: int
    waive: tuple[Waivable, ...] = ()
    learned: Learned = "evident"
    version: str = "1"


class Frozen(NamedTuple):
    """A frozen point, the choice it rests on, and how the fit went."""

    point: FrozenPoint
    choice: Choice
    fit: Mapping[str, Any]


def freeze(results: Sequence[Result], sources: Sequence[Source], how: Freezing) -> Frozen:
    """Return the point tuned on development results of the collecting point.

    Raises:
        InvalidInput: there is too little to learn from, or what is wanted cannot be had on these data.
        MissingPrerequisite: scikit-learn is not installed.
    """
    drafts = drafts_of(results)
    rows = [
        Row(dict(draft.signals), result.shows(n, how.learned), result.right(n, how.learned), result.group)
        for result, n, draft in drafts
    ]
    fit = fitted(rows, name=f"{how.name}/{how.version}", seed=how.seed)
    held_out = {(result.digest, n): float(chance) for (result, n, _), chance in zip(drafts, fit.held_out, strict=True)}
    data = Material(results, chances_of(results, held_out), how.learned)
    choice = choose(data, how.wanted, seed=how.seed)
    tuned = Tuned.on(sources, (result.group for result in results))
    point = OperatingPoint(
        name=how.name,
        version=how.version,
        relevance=PLANNING.relevance,
        coverage=PLANNING.coverage,
        support=round(choice.support, 6),
        learned=how.learned,
        evaluator=fit.evaluator.digest,
        waive=how.waive,
        rounds=choice.rounds,
        chosen_on=", ".join(source.name for source in sources),
        chosen_for=_words(how.wanted, choice.measured.unsupported),
        data=tuned.digest,
        measured=choice.measured,
    )
    return Frozen(FrozenPoint(point=point, evaluator=fit.evaluator, tuned=tuned), choice, fit.report)


def _words(wanted: Wanted, unsupported: float | None) -> str:
    if isinstance(wanted, Target):
        words = f"unsupported <= {wanted.unsupported:g} of all requests, {wanted.margin:g} standard errors below"
        missed = unsupported is not None and unsupported > wanted.unsupported
        return f"{words}; met by no threshold, {unsupported:.3f} at the highest" if missed else words
    if not isinstance(wanted, Costs):
        return "the smaller of answered (of what has an answer) and held back (of what has none)"
    return "cost " + ", ".join(f"{name} {value:g}" for name, value in wanted.model_dump().items())
