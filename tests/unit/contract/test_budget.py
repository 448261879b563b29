"""What may be spent, at its edges."""

from __future__ import annotations

import math

import pytest
from pydantic import ValidationError

from remit.contract.budget import Budget, Cost, Limits
from remit.errors import InvalidInput


@pytest.mark.parametrize(
    "wrong",
    [
        {"seconds": math.nan},
        {"seconds": math.inf},
        {"seconds": -1.0},
        {"rounds": -1},
        {"model_calls": -1},
        {"tokens": -1},
        {"price": math.nan},
        {"price": -0.5},
    ],
)
def test_a_limit_that_would_never_be_reached_is_refused(wrong: dict[str, float]) -> None:
    """A limit that is negative or no number is refused by its name: time that is NaN would never be over."""
    with pytest.raises(ValidationError, match=next(iter(wrong))):
        Limits.model_validate(wrong)


@pytest.mark.parametrize("limits", [Limits(seconds=0), Limits(seconds=1e12), Limits(tokens=10**30), Limits(price=0.0)])
def test_a_limit_may_be_nothing_or_huge(limits: Limits) -> None:
    """Nothing is used up at once, and the most that a number can say is kept as it is."""
    budget = Budget.of(limits, now=1.0)
    assert (budget.expired(1.0), budget.tokens) == (limits.seconds == 0, limits.tokens)


@pytest.mark.parametrize("cost", [Cost(price=math.nan), Cost(price=math.inf), Cost(tokens=-1), Cost(price=-1.0)])
def test_a_cost_that_gives_back_or_is_no_number_is_refused(cost: Cost) -> None:
    """A budget only shrinks, by numbers."""
    with pytest.raises(InvalidInput):
        Budget.of(Limits(), now=0.0).spend(cost)


def test_what_is_spent_beyond_a_limit_leaves_nothing() -> None:
    """What is left never falls below nothing, and an unknown price stays unknown."""
    left = Budget.of(Limits(rounds=1, model_calls=1, tokens=10), now=0.0).spend(
        Cost(rounds=3, model_calls=4, tokens=50, price=None)
    )
    assert (left.rounds, left.model_calls, left.tokens, left.used.price) == (0, 0, 0, None)
