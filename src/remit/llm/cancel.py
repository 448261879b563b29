"""The cancel signal and the deadline, as one value that is passed down and checked before each model call."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

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
