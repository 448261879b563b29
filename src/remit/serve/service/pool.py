"""Threads for what blocks: so many at once, so many more waiting, and a plain no to the rest."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock
from typing import TypeVar

from remit.errors import ProviderBusy

T = TypeVar("T")


class Overloaded(ProviderBusy):
    """More is waiting than may wait; a later try may succeed."""


class Pool:
    """A bounded pool. What does not fit into its waiting room is refused at once, not kept until its asker has gone."""

    def __init__(self, name: str, *, threads: int, waiting: int) -> None:
        """Take how many run at once, and how many more may wait."""
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix=f"remit-{name}")
        self._most = threads + waiting
        self._lock = Lock()
        self._inside = 0

    @property
    def inside(self) -> int:
        """Return how many run or wait."""
        with self._lock:
            return self._inside

    def submit(self, work: Callable[[], T]) -> Future[T]:
        """Return the future of work that runs when its turn comes.

        Raises:
            Overloaded: too much waits already.
        """
        with self._lock:
            if self._inside >= self._most:
                raise Overloaded("the service has more to do than it can: try again in a moment")
            self._inside += 1
        try:
            future = self._threads.submit(work)
        except RuntimeError as error:  # the pool was shut
            self._left()
            raise Overloaded("the service is stopping: try again in a moment") from error
        future.add_done_callback(lambda _: self._left())
        return future

    async def run(self, work: Callable[[], T]) -> T:
        """Return what work gives, without holding up the event loop."""
        return await asyncio.wrap_future(self.submit(work))

    def shut(self) -> None:
        """Take no more, drop what waits, and return when what runs has come to its end."""
        self._threads.shutdown(wait=True, cancel_futures=True)

    def _left(self) -> None:
        with self._lock:
            self._inside -= 1
