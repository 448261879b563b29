"""The index of one store: its segments, and in memory what they do not hold yet. Derived, whole and exact at any moment.

A run that no sound segment holds is read from the store itself: so a write is found by the next search, and a segment
that is missing or damaged costs time and never a row.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path
from threading import RLock

import numpy as np
from numpy.typing import NDArray

from remit.access.scope import Scope
from remit.contract.contract import RevisionWanted
from remit.corpus.connections import STORE_FILE, Connections
from remit.corpus.document import Snapshot
from remit.corpus.idle import ClosedAtExit
from remit.corpus.sessions import Session, Sessions
from remit.corpus.soundness import look
from remit.errors import CorpusDamaged, RemitError
from remit.retrieve.building import part_of
from remit.retrieve.indexed import IndexedView
from remit.retrieve.merging import Source, merged
from remit.retrieve.part import Part
from remit.retrieve.segment import read, written_at
from remit.retrieve.standings import Standings, standings
from remit.retrieve.stored import Asked, Said, Texts, dimension_of, runs_of, runs_said
from remit.retrieve.upkeep import FOLDER, Sizes, keep_up, named_segments
from remit.retrieve.view import Kept

MOST_TAILS = 8
"""How many parts of the tail there may be in memory before they become one."""
KEPT_ROWS = 4_000_000
"""About how many rows the views that are kept may have together; a row takes 24 bytes."""
KEPT_CHARACTERS = 32_000_000
"""How long the texts that are kept may be together: those of the revisions that were found last."""

_log = logging.getLogger(__name__)


class Index(ClosedAtExit):
    """What is searched of the store in a folder. Threads may share one; each process has its own over the same files.

    `connections` are those of the record, which stay open; without them it is the folder's own.
    """

    def __init__(
        self,
        store: Path,
        connections: Sessions | None = None,
        *,
        kept_rows: int = KEPT_ROWS,
        kept_characters: int = KEPT_CHARACTERS,
    ) -> None:
        self._lent = connections is not None
        self._connections: Sessions = Connections(store / STORE_FILE) if connections is None else connections
        self._folder = store / FOLDER
        self._lock = RLock()
        self._segments: dict[str, Part] = {}
        self._unsound: dict[str, int] = {}
        self._tail: list[Part] = []
        self._newest: Snapshot | None = None
        self._views: Kept[IndexedView] = Kept(kept_rows)
        self._texts = Texts(kept_characters)

    def view(self, scope: Scope, wanted: RevisionWanted, snapshot: Snapshot) -> IndexedView:
        """Return what `scope` sees. Any write makes a new one: a delete counts at once, at older snapshots too."""
        with self._connections.reading() as connection:
            state = look(self._connections, connection)
            with self._lock:
                if state != self._newest:  # what was deleted since stays in no view
                    self._views.clear()
                    self._texts.clear()
                    self._newest = state
            key = (scope.digest, wanted.at, wanted.named, snapshot.number, snapshot.digest, state.number, state.digest)
            asked = Asked(scope, wanted.at, snapshot.number, state.number)
            return self._views.get(key, lambda: self._made(connection, asked, wanted), lambda view: view.cost)

    def keep_up(self, sizes: Sizes = Sizes()) -> None:  # noqa: B008 - frozen
        """Bring the segments up to the store; a failure is recorded and leaves the search as exact as before."""
        try:
            keep_up(self._connections, self._folder, sizes)
        except (RemitError, OSError) as error:
            _log.warning("the segments of %s were not brought up to date: %s", self._folder.parent, error)

    def close(self) -> None:
        """Close the store's files."""
        if not self._lent:
            self._connections.close()

    def _made(self, connection: Session, asked: Asked, wanted: RevisionWanted) -> IndexedView:
        found = standings(connection, asked.scope, wanted, asked.number)
        if asked.number != asked.state:  # what is no longer in the scope is not seen in the past
            found = found.among(standings(connection, asked.scope, wanted, asked.state).runs)
        parts = self._parts(connection, found.runs[~found.odd])
        if found.odd.any():
            parts = [self._as_they_were(connection, found, asked), *parts]
        return IndexedView(self._connections, asked, found, parts, self._texts)

    def _as_they_were(self, connection: Session, found: Standings, asked: Asked) -> Part:
        """Return the runs that had another title or language at the snapshot, under that one."""
        runs = found.runs[found.odd].tolist()
        return part_of(runs_of(connection, runs, runs_said(connection, runs, asked.number)), dimension_of(connection))

    def _parts(self, connection: Session, runs: NDArray[np.int64]) -> list[Part]:
        """Return parts that hold all these runs: the sound segments, and the tail, which grows by what they lack."""
        with self._lock:
            self._open_segments()
            segments = list(self._segments.values())
            self._tail = [part for part in self._tail if len(_lacking(part.runs, segments))]
            missing = _lacking(runs, [*segments, *self._tail])
            if len(missing):
                nothing: dict[int, Said] = {}
                dimension = dimension_of(connection)
                self._tail.append(part_of(runs_of(connection, missing.tolist(), nothing), dimension))
            if len(self._tail) > MOST_TAILS:
                self._tail = [merged([Source(part, np.arange(len(part.runs))) for part in self._tail])]
            return [*segments, *self._tail]

    def _open_segments(self) -> None:
        names = named_segments(self._connections)
        for name in names:
            if name in self._segments or self._unsound.get(name) == written_at(self._folder, name):
                continue
            try:
                self._segments[name] = read(self._folder, name)
            except CorpusDamaged as error:
                if name not in named_segments(self._connections):
                    # A builder has merged it away since it was named: what took its place is named now.
                    return self._open_segments()
                self._unsound[name] = written_at(self._folder, name)
                _log.warning("%s", error)
        self._segments = {name: self._segments[name] for name in names if name in self._segments}
        return None


def _lacking(runs: NDArray[np.int64], parts: Sequence[Part]) -> NDArray[np.int64]:
    for part in parts:
        runs = runs[part.places(runs) < 0]
    return runs
