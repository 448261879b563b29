"""The service: one store, its gate, its threads, and what it does for callers."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Final, TypeVar

from remit.corpus.browse import Browser
from remit.corpus.connections import STORE_FILE
from remit.engine import Remit
from remit.errors import AccessFailed, InvalidInput, MissingPrerequisite
from remit.record.journal import NAME
from remit.retrieve.retriever import Candidates
from remit.serve.identity.caller import Caller, Refused, Role
from remit.serve.identity.settings import ANONYMOUS, Gate
from remit.serve.service.asks import Asks
from remit.serve.service.documents import Documents
from remit.serve.service.figures import Figures
from remit.serve.service.metrics import Metrics
from remit.serve.service.pool import Pool
from remit.serve.service.rate import Rate, TooMany
from remit.serve.service.reviews import Reviews
from remit.serve.service.settings import ServeSettings
from remit.serve.service.traces import Traces

T = TypeVar("T")
_GATE_THREADS: Final = 2
_GATES: Final = ("keys", "tokens")
"""Tokens of a provider wait in a place of their own: where its keys cannot be read, keys of the file are good as ever."""


class Service:
    """What all faces share. Made around an open store, which whoever opened it closes."""

    nobody = ANONYMOUS

    def __init__(self, remit: Remit, settings: ServeSettings, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.remit, self.settings = remit, settings
        self.metrics = Metrics()
        self.gate = Gate(settings.identity, now=remit.now)
        self.rate = Rate(settings.per_minute, clock=clock)
        self._pools = {
            "asks": Pool("ask", threads=settings.asks, waiting=settings.waiting),
            "reads": Pool("read", threads=settings.reads, waiting=settings.waiting),
            "writes": Pool("write", threads=1, waiting=settings.waiting),
            **{name: Pool(name, threads=_GATE_THREADS, waiting=settings.waiting * 4 + 64) for name in _GATES},
        }
        self.asks = Asks(remit, self._pools["asks"], self.metrics.decided)
        self.documents = Documents(remit, Browser(remit.corpus))
        self.traces = Traces(remit)
        self.figures = Figures(remit)
        self.reviews = Reviews(remit, settings.review, self.documents)
        self.stopping = False
        self._files: dict[Path, tuple[int, int] | None] = {}

    def warm(self) -> None:
        """Make every part before the first request, so that no two threads make one twice and nobody waits for it.

        Raises:
            RemitError: something that questions need is missing.
        """
        remit = self.remit
        remit.corpus.sound()
        remit.corpus.check_encoder(remit.parts.encoder.name, remit.parts.encoder.dimension)
        _ = remit.parts.line, remit.parts.setup, remit.journal
        remit.parts.encoder.embed(["ready"])
        self._files = {path: _file(path) for path in (remit.store / STORE_FILE, remit.store / NAME) if path.exists()}
        # A store that was restored has no index yet, and in a database others write too, who have an index of their own.
        remit.parts.retriever.caught_up(None)

    async def identified(self, token: str | None) -> Caller:
        """Return who a token proves.

        Raises:
            Refused: nobody.
            MissingPrerequisite: what says who may call cannot be read, or the store was taken away.
        """
        if not self.standing:
            raise MissingPrerequisite(
                f"{self.remit.store} was moved or replaced while it is served: put it back, or start the service again"
            )
        try:
            return await self._pools["tokens" if self.gate.asks_provider(token) else "keys"].run(
                lambda: self.gate(token)
            )
        except Refused:
            self.metrics.refused("identity")
            raise
        except InvalidInput as error:  # of whoever runs the service, so that its words are for them
            raise MissingPrerequisite(str(error)) from error

    @property
    def standing(self) -> bool:
        """Say whether the store's files are still those that are open: what is recorded in others could never be read."""
        return all(_file(path) == known for path, known in self._files.items())

    def admit(self, caller: Caller, role: Role, or_role: Role | None = None) -> None:
        """Go on where a caller has a role, or the other one that is enough, and has not sent too much.

        Raises:
            AccessFailed: they do not have it.
            TooMany: they have to wait.
        """
        if not caller.may(role) and (or_role is None or not caller.may(or_role)):
            self.metrics.refused("role")
            raise AccessFailed(f"this needs the role {role}")
        seconds = self.rate.wait(caller.principal.id)  # whatever vouched for them: a second key is no second helping
        if seconds:
            self.metrics.refused("rate")
            raise TooMany(seconds)

    async def read(self, work: Callable[[], T]) -> T:
        """Return what work gives that reads the store and asks no model anything."""
        return await self._pools["reads"].run(work)

    async def write(self, work: Callable[[], T]) -> T:
        """Return what work gives that writes documents: one at a time, so that reads keep their threads."""
        return await self._pools["writes"].run(work)

    async def search(self, caller: Caller, query: str, *, k: int, as_of: date | None) -> Candidates:
        """Return the passages that a search finds among what the caller may read."""
        return await self.read(lambda: self.remit.search(query, principal=caller.principal, k=k, as_of=as_of))

    @property
    def inside(self) -> dict[str, int]:
        """Return how many run or wait, by pool."""
        return {name: pool.inside for name, pool in self._pools.items()}

    def stop(self) -> None:
        """Bring every question under way to its end, each with its trace closed, and take no more."""
        self.stopping = True
        self.asks.stop()
        for pool in self._pools.values():
            pool.shut()


def _file(path: Path) -> tuple[int, int] | None:
    """Return which file stands there, whatever it is called; None where there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
