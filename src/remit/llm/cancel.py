"""The cancel signal, the deadline and what else a model call is held to, as one value that is passed down."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from remit.errors import Cancelled
from remit.llm.ledger import Tally


@dataclass(frozen=True, slots=True)
class Patience:
    """How long the asker will wait: an absolute deadline in seconds of `clock`, and a signal to stop at once.

    `calls` is how many calls may be made, tries that fail among them; None: as many as the caller likes. `realm` names
    scope and snapshot: a kept reply is used inside its own realm only. What is called is put on the `tally`.
    """

    deadline: float | None = None
    stop: threading.Event = field(default_factory=threading.Event)
    clock: Callable[[], float] = time.monotonic
    calls: int | None = None
    realm: str = ""
    tally: Tally = field(default_factory=Tally)

    @property
    def left(self) -> float | None:
        """Seconds until the deadline; None where there is none."""
        return None if self.deadline is None else self.deadline - self.clock()

    def within(self, scope: str, snapshot: str) -> Patience:
        """Return the same patience for a question under the scope and the snapshot of these digests."""
        return replace(self, realm=f"{scope} {snapshot}")

    def keeping(self, reserve: float, until: float | None = None, calls: int | None = None) -> Patience:
        """Return the same signal with an earlier deadline: `reserve` seconds before this one, or `until` if that is sooner.

        A model call gets the shorter one, so that there is time left to do without it. At most a quarter of what is left is
        kept back.
        """
        allowed = [count for count in (self.calls, calls) if count is not None]
        kept = replace(self, calls=min(allowed, default=None))
        ends = [end for end in (self.deadline, until) if end is not None]
        if not ends:
            return kept
        left = min(ends) - self.clock()
        return replace(kept, deadline=min(ends) - max(0.0, min(reserve, left / 4)))

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
