"""What may be spent on one question: rounds, model calls, tokens, seconds and cost. It only ever shrinks.

It stands with the contract, below every part that spends it (docs/adr/0003).
"""

from __future__ import annotations

from math import isfinite
from typing import Annotated

from pydantic import Field

from remit.contract.value import Value
from remit.errors import InvalidInput

_Count = Annotated[int, Field(ge=0)]
_Amount = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class Cost(Value):
    """What one step used. An unknown price is `None`, never 0."""

    rounds: int = 0
    model_calls: int = 0
    tokens: int = 0
    price: float | None = 0.0

    def plus(self, other: Cost) -> Cost:
        """Return both costs together; a price unknown on either side stays unknown."""
        price = None if self.price is None or other.price is None else self.price + other.price
        return Cost(
            rounds=self.rounds + other.rounds,
            model_calls=self.model_calls + other.model_calls,
            tokens=self.tokens + other.tokens,
            price=price,
        )


class Limits(Value):
    """The budget a question starts with. `seconds` is the time it may take in all.

    Nothing is negative, and time and price are finite: what is no number would never be used up.
    """

    rounds: _Count = 2
    model_calls: _Count = 8
    tokens: _Count = 40_000
    seconds: _Amount = 60.0
    price: _Amount | None = None


class Budget(Value):
    """What is left of the limits; `deadline` is absolute, in seconds of the caller's monotonic clock."""

    limits: Limits
    used: Cost = Cost()
    deadline: float

    @classmethod
    def of(cls, limits: Limits, now: float) -> Budget:
        """Return a full budget whose deadline counts from `now`."""
        return cls(limits=limits, deadline=now + limits.seconds)

    @property
    def rounds(self) -> int:
        """Rounds of correction left."""
        return max(0, self.limits.rounds - self.used.rounds)

    @property
    def model_calls(self) -> int:
        """Model calls left."""
        return max(0, self.limits.model_calls - self.used.model_calls)

    @property
    def tokens(self) -> int:
        """Tokens left, prompts and replies together."""
        return max(0, self.limits.tokens - self.used.tokens)

    def spend(self, cost: Cost) -> Budget:
        """Return what is left after `cost`. Nothing can be given back: a negative cost, or one that is no number, is refused."""
        if cost.price is not None and not isfinite(cost.price):
            raise InvalidInput("a price is a finite number; where it is not known it is None")
        if min(cost.rounds, cost.model_calls, cost.tokens, cost.price or 0.0) < 0:
            raise InvalidInput("a cost cannot be negative: a budget only shrinks")
        return self.model_copy(update={"used": self.used.plus(cost)})

    def expired(self, now: float) -> bool:
        """Say whether the deadline has passed at `now`."""
        return now >= self.deadline
