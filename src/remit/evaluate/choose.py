"""Chooses the threshold of a learned point on development results, for a target or for declared costs; and says what it did."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Annotated, Final, NamedTuple

import numpy as np
from pydantic import Field

from remit.contract.value import Value
from remit.decide.decision import Action
from remit.decide.point import Measured
from remit.errors import InvalidInput
from remit.evaluate.result import Drafted, Learned, Result
from remit.measure.calibration import brier, calibration_error, calibration_floor

_ROUNDS: Final = (0, 1, 2)
_STEPS: Final = 80
"""Thresholds that are tried for a target, spread evenly over the probabilities there are."""


Amount = Annotated[float, Field(allow_inf_nan=False)]


class Costs(Value):
    """What outcomes cost, in any one unit. `second` is a second of waiting, `price` what a unit of the models' price is worth."""

    wrong: Amount = 10.0
    abstain: Amount = 1.0
    review: Amount = 2.0
    second: Amount = 0.0
    price: Amount = 0.0


class Target(Value):
    """At most this share of all requests may end in an answer that is not right; `margin` standard errors are kept below.

    Right is what the evaluator learned: that the evidence is quoted, or that what is quoted holds the answer. Where no
    threshold meets it the choice is refused, or with `or_highest` is the highest there is: a fold of an experiment that cannot
    meet its target then releases next to nothing and is scored as that.
    """

    unsupported: float
    margin: float = 1.0
    or_highest: bool = False


class Balance(Value):
    """The smaller of two shares is to be as large as it can: answered of what has an answer, held back of what has none."""


Wanted = Target | Costs | Balance


class Choice(NamedTuple):
    """The threshold chosen, how many corrective rounds are worth it, and what the point did on the development data."""

    support: float
    rounds: int
    measured: Measured
    cost: float | None


class Taken(NamedTuple):
    """What a threshold makes of one case: the action, whether a released answer is right, and at which draft it ended."""

    action: Action
    right: bool
    drafts: int


def taken(result: Result, chances: Sequence[float], support: float, rounds: int, learned: Learned = "evident") -> Taken:
    """Return what the line would do with a case at a threshold, given each draft's probability.

    The drafts are those of a run that corrected as often as it could: the rules, asked draft by draft, say where it ends.
    """
    for place, (draft, chance) in enumerate(zip(result.drafts[: rounds + 1], chances, strict=False)):
        if draft.otherwise in {Action.DENY, Action.CLARIFY, Action.REVIEW}:
            return Taken(draft.otherwise, right=False, drafts=place)
        if draft.there and draft.otherwise is Action.ANSWER and chance >= support:
            return Taken(Action.ANSWER, result.right(place, learned), place)
    return Taken(Action.ABSTAIN, right=False, drafts=min(rounds, len(result.drafts) - 1))


class Material(NamedTuple):
    """Development results, the out-of-fold probability of each of their drafts, and what it is the probability of."""

    results: Sequence[Result]
    chances: Sequence[Sequence[float]]
    learned: Learned = "evident"

    def ends(self, support: float, rounds: int) -> list[Taken]:
        """Return what a threshold and so many rounds make of each case."""
        pairs = zip(self.results, self.chances, strict=True)
        return [taken(result, each, support, rounds, self.learned) for result, each in pairs]


def choose(data: Material, wanted: Wanted, *, seed: int) -> Choice:
    """Return the choice on development results.

    Raises:
        InvalidInput: costs are to decide and the probabilities are not calibrated well enough, or no threshold meets the target.
    """
    said, so = _pairs(data)
    error, floor = calibration_error(said, so), calibration_floor(said, seed=seed)
    if isinstance(wanted, Costs):
        if error > floor.high:
            raise InvalidInput(
                f"calibration error {error:.3f} is above its bound {floor.high:.3f} (what perfect calibration stays below, "
                f"19 of 20 times, at n = {len(said)}): a threshold from costs would mean nothing; set a target instead"
            )
        support = wanted.wrong / (wanted.wrong + wanted.abstain)
        costs = {rounds: _cost(data, support, rounds, wanted) for rounds in _ROUNDS}
        rounds = min(costs, key=lambda one: (costs[one], one))
        cost: float | None = costs[rounds]
    else:
        support, rounds = _at_target(data, wanted) if isinstance(wanted, Target) else _balanced(data)
        cost = None
    measured = _measured(data, support, rounds).model_copy(
        update={"calibration_error": error, "calibration_bound": floor.high, "brier": brier(said, so)}
    )
    return Choice(support, rounds, measured, cost)


def _pairs(data: Material) -> tuple[list[float], list[bool]]:
    """Return probability and outcome of each case's last draft: what calibration is measured on."""
    pairs = [
        (each[len(result.drafts) - 1], result.right(-1, data.learned))
        for result, each in zip(data.results, data.chances, strict=True)
        if result.last.there
    ]
    return [said for said, _ in pairs], [so for _, so in pairs]


def _at_target(data: Material, wanted: Target) -> tuple[float, int]:
    """Return the threshold and rounds that answer most of what can be answered, within the target."""
    best: tuple[int, float, int] | None = None
    for support in _thresholds(data):
        for rounds in _ROUNDS:
            ends = data.ends(support, rounds)
            bad = np.array([end.action is Action.ANSWER and not end.right for end in ends], dtype=np.float64)
            if bad.mean() + wanted.margin * bad.std() / np.sqrt(len(bad)) <= wanted.unsupported:
                useful = sum(end.right for end in ends)
                if best is None or (useful, -rounds) > (best[0], -best[2]):
                    best = (useful, support, rounds)
    if best is None and wanted.or_highest:
        return 1.0, 0
    if best is None:
        raise InvalidInput(f"no threshold keeps unsupported answers below {wanted.unsupported:.3f} on these data")
    return best[1], best[2]


def _thresholds(data: Material) -> list[float]:
    every = np.unique([chance for each in data.chances for chance in each])
    found: list[float] = np.unique(np.quantile(every, np.linspace(0.0, 1.0, _STEPS), method="higher")).tolist()
    return found


def _balanced(data: Material) -> tuple[float, int]:
    """Return the threshold and rounds of the best balance; of equal ones the fewest rounds and the highest threshold."""
    answerable = np.array([result.answerable for result in data.results])
    if answerable.all() or not answerable.any():
        raise InvalidInput("a balance needs both cases that have an answer and cases that have none")
    found: list[tuple[float, int, float]] = []
    for support in _thresholds(data):
        for rounds in _ROUNDS:
            answered = np.array([end.action is Action.ANSWER for end in data.ends(support, rounds)])
            least = min(float(answered[answerable].mean()), float((~answered)[~answerable].mean()))
            found.append((least, -rounds, support))
    _, rounds, support = max(found)
    return support, -rounds


def _cost(data: Material, support: float, rounds: int, costs: Costs) -> float:
    total = 0.0
    for result, end in zip(data.results, data.ends(support, rounds), strict=True):
        share = (end.drafts + 1) / len(result.drafts)
        total += share * (result.seconds * costs.second + (result.price or 0.0) * costs.price)
        match end.action:
            case Action.ANSWER if not end.right:
                total += costs.wrong
            case Action.REVIEW:
                total += costs.review
            case Action.ABSTAIN | Action.CLARIFY | Action.DENY if result.answerable:
                total += costs.abstain
    return total / len(data.results)


def _measured(data: Material, support: float, rounds: int) -> Measured:
    ends = data.ends(support, rounds)
    answerable = [end for result, end in zip(data.results, ends, strict=True) if result.answerable]
    declined = Counter(str(end.action) for end in ends if end.action is not Action.ANSWER)
    return Measured(
        cases=len(ends),
        unsupported=sum(end.action is Action.ANSWER and not end.right for end in ends) / len(ends),
        coverage=sum(end.right for end in answerable) / len(answerable) if answerable else None,
        declined=tuple(sorted(declined.items())),
    )


def chances_of(results: Sequence[Result], by_draft: Mapping[tuple[str, int], float]) -> list[list[float]]:
    """Return each result's probabilities in the order of its drafts; what was not drafted has none of being supported."""
    return [[by_draft.get((result.digest, n), 0.0) for n in range(len(result.drafts))] for result in results]


def drafts_of(results: Sequence[Result]) -> list[tuple[Result, int, Drafted]]:
    """Return all drafts of results that are there, with their places."""
    return [(r, n, draft) for r in results for n, draft in enumerate(r.drafts) if draft.there and draft.signals]
