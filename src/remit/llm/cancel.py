"""The cancel signal and the deadline, as one value that is passed down and checked before each model call."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from remit.errors import Cancelled


@dataclass(frozen=True, slots=True)
class Patience:
    """How long the asker will wait: an absolute deadline in seconds of `clock`, and a signal to stop at once."""

    deadline: float | None = None
    stop: threading.Event = field(default_factory=threading.Event)
    clock: Callable[[], float] = time.monotonic

    @property
    def left(self) -> float | None:
        """Seconds until the deadline; None where there is none."""
        return None if self.deadline is None else self.deadline - self.clock()

    def keeping(self, reserve: float, until: float | None = None) -> Patience:
        """Return the same signal with an earlier deadline: `reserve` seconds before this one, or `until` if that is sooner.

        A model call gets the shorter one, so that there is time left to do without it. At most a quarter of what is left is
        kept back.
        """
        ends = [end for end in (self.deadline, until) if end is not None]
        if not ends:
            return self
        left = min(ends) - self.clock()
        return replace(self, deadline=min(ends) - max(0.0, min(reserve, left / 4)))

    def pause(self, seconds: float) -> None:
        """Wait that long.

        Raises:
            Cancelled: at once when the signal is given, or when the deadline comes first.
        """
        left = self.left
        self.stop.wait(seconds if left is None else max(0.0, min(seconds, left)))
        self.check()

    def check(self) -> None:
        """Go on, or raise.

        Raises:
            Cancelled: the signal was given, or the deadline has passed.
        """
        if self.stop.is_set():
            raise Cancelled("the asker went away; ask again to start over")
        left = self.left
        if left is not None and left <= 0:
            raise Cancelled("the deadline has passed; raise limits.seconds or ask for less")
