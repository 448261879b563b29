"""How often one caller may ask: a bucket that fills by so many a minute."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Final

from remit.serve.service.pool import Overloaded

_MOST: Final = 10_000


class TooMany(Overloaded):
    """One caller sends more than they may; `seconds` until the next one is taken."""

    def __init__(self, seconds: float) -> None:
        super().__init__("you send more requests than you may: wait a little")
        self.seconds = seconds


class Rate:
    """One bucket for each caller; those not heard of longest are forgotten first. Used from one thread."""

    def __init__(self, per_minute: int, *, clock: Callable[[], float]) -> None:
        """Take how many a minute (0: as many as they like), and the clock in seconds."""
        self._size, self._clock = float(per_minute), clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait(self, caller: str) -> float:
        """Take one from the caller's bucket and return 0, or how many seconds until there is one again."""
        if not self._size:
            return 0.0
        now = self._clock()
        left, at = self._buckets.pop(caller, (self._size, now))
        left = min(self._size, left + (now - at) * self._size / 60)
        if left < 1:
            self._buckets[caller] = (left, now)
            return (1 - left) * 60 / self._size
        self._buckets[caller] = (left - 1, now)
        while len(self._buckets) > _MOST:
            self._buckets.popitem(last=False)
        return 0.0
