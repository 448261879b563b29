"""What was asked of models while a question was answered: one entry a call, with its tokens and its price."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

Ended = Literal["replied", "failed", "busy", "cancelled", "cached"]

MILLION: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Price:
    """What a million tokens cost, in whatever currency `limits.price` is in."""

    prompt: float
    reply: float

    def of(self, prompt_tokens: int, reply_tokens: int) -> float:
        """Return the price of one call."""
        return (prompt_tokens * self.prompt + reply_tokens * self.reply) / MILLION


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a model and how it ended.

    `prompt_tokens` and `reply_tokens` are the provider's count, None where it gave none. `tokens` is what the budget is
    charged: their sum, or an upper estimate where one is missing (`estimated`). `price` is None where it is not known.
    A reply from the cache is no call: it costs nothing, and `key` is the digest it is kept under.
    """

    model: str
    ended: Ended
    prompt_tokens: int | None
    reply_tokens: int | None
    tokens: int
    seconds: float
    price: float | None
    estimated: bool = False
    key: str = ""

    @property
    def count(self) -> int:
        """How many calls that were: none from the cache."""
        return 0 if self.ended == "cached" else 1


class Tally:
    """The calls of one question, in the order in which they ended. Threads may share it."""

    def __init__(self) -> None:
        self._calls: list[Call] = []
        self._lock = threading.Lock()

    def put(self, call: Call) -> None:
        """Take an entry."""
        with self._lock:
            self._calls.append(call)

    def since(self, mark: int) -> tuple[Call, ...]:
        """Return the entries after the first `mark`."""
        with self._lock:
            return tuple(self._calls[mark:])

    def __len__(self) -> int:
        with self._lock:
            return len(self._calls)

    def __iter__(self) -> Iterator[Call]:
        return iter(self.since(0))


def total_price(calls: tuple[Call, ...]) -> float | None:
    """Return what calls cost together; None where the price of one of them is not known."""
    prices = [call.price for call in calls if call.price is not None]
    return sum(prices) if len(prices) == len(calls) else None
