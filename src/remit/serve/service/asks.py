"""Questions over a network: each runs in the pool, says how far it is, and stops when its asker goes away."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Final, NamedTuple

from remit.engine import Remit
from remit.llm.cancel import Patience
from remit.record.answered import Answered
from remit.record.trace import Entry
from remit.serve.identity.caller import Caller
from remit.serve.service.pool import Pool

STAGES: Final = {
    "Contract": "framed",
    "Scope": "authorized",
    "Candidates": "searched",
    "Ranking": "ranked",
    "Draft": "drafted",
    "Observation": "observed",
    "Outcome": "decided",
}
"""What is told while a question runs: each stage once. How often it went round is not: that could tell hidden from absent."""

Told = Callable[[str], None]


class Question(NamedTuple):
    """What is asked: `seconds` is how long the asker will wait, within what the store allows."""

    text: str
    as_of: date | None = None
    parameters: Mapping[str, str] | None = None
    seconds: float | None = None
    collections: Sequence[str] = ()
    revision: str | None = None
    language: str | None = None


def new_trace() -> str:
    """Return an id under which a question will be recorded; nobody can guess it."""
    return str(uuid.uuid4())


class Asks:
    """The questions under way."""

    def __init__(self, remit: Remit, pool: Pool, ended: Callable[[Answered], None]) -> None:
        """Take the store, the threads, and who is told of each decision."""
        self._remit, self._pool, self._ended = remit, pool, ended
        self._under_way: dict[str, Patience] = {}

    async def ask(self, question: Question, caller: Caller, *, trace: str, told: Told | None = None) -> Answered:
        """Return the decision, recorded under `trace`. Where this is cancelled the work stops, and its trace is closed.

        Raises:
            InvalidInput: the question is empty or too long.
            Overloaded: too many wait already.
        """
        allowed = self._remit.settings.limits.seconds
        seconds = allowed if question.seconds is None else min(allowed, question.seconds)
        patience = Patience(deadline=time.monotonic() + seconds)
        watch = _stages(told, asyncio.get_running_loop()) if told is not None else None

        def work() -> Answered:
            return self._remit.ask(
                question.text,
                principal=caller.principal,
                as_of=question.as_of,
                parameters=question.parameters,
                collections=question.collections,
                revision=question.revision,
                language=question.language,
                patience=patience,
                id=trace,
                watch=watch,
            )

        future = self._pool.submit(work)
        self._under_way[trace] = patience
        try:
            answered = await asyncio.wrap_future(future)
        finally:
            patience.stop.set()
            self._under_way.pop(trace, None)
        self._ended(answered)
        return answered

    def stop(self) -> None:
        """Tell every question under way to come to its end."""
        for patience in tuple(self._under_way.values()):
            patience.stop.set()


def _stages(told: Told, loop: asyncio.AbstractEventLoop) -> Callable[[Entry], None]:
    said: set[str] = set()

    def watch(entry: Entry) -> None:
        stage = STAGES.get(entry.kind)
        if stage is not None and stage not in said:
            said.add(stage)
            loop.call_soon_threadsafe(told, stage)

    return watch
