"""The events of reviewed items on disk, in the journal. Each is written only where the item is as its writer saw it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from pydantic import TypeAdapter

from remit.errors import CorpusDamaged, ProviderBusy
from remit.record.review import Event, Given, Happened, Resolved, State, Taken, state_of

BUSY_SECONDS: Final = 30.0
SCHEMA: Final = (
    """CREATE TABLE review_event (
        item INTEGER NOT NULL REFERENCES queued (number), version INTEGER NOT NULL, at TEXT NOT NULL, what TEXT NOT NULL,
        PRIMARY KEY (item, version)
    ) STRICT, WITHOUT ROWID""",
    *(
        f"CREATE TRIGGER review_event_stays_{verb.lower()} BEFORE {verb} ON review_event "
        "BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END"
        for verb in ("UPDATE", "DELETE")
    ),
    "CREATE INDEX opened_by_time ON opened (at, trace)",
    "CREATE INDEX opened_by_asker ON opened (asker, at, trace)",
)
_HAPPENED: Final[TypeAdapter[Any]] = TypeAdapter(Happened)


class ReviewBook:
    """The reviewed items of one journal, which has to be there. Several threads and processes may write at once."""

    def __init__(self, journal: Path) -> None:
        self._file = journal

    def of_trace(self, trace: str) -> int | None:
        """Return the number of the item that a question left, or None where it left none."""
        with self._connected() as connection:
            row = connection.execute("SELECT number FROM queued WHERE trace = ?", (trace,)).fetchone()
        return None if row is None else int(row[0])

    def reviewed(self) -> tuple[int, ...]:
        """Return the numbers of the items that anybody has taken."""
        with self._connected() as connection:
            return tuple(
                number for (number,) in connection.execute("SELECT DISTINCT item FROM review_event ORDER BY item")
            )

    def state(self, number: int) -> State:
        """Return where an item stands."""
        with self._connected() as connection:
            return state_of(_events(connection, number))

    def events(self, number: int) -> tuple[Event, ...]:
        """Return what happened to an item, in order."""
        with self._connected() as connection:
            return tuple(_events(connection, number))

    def add(self, number: int, at: datetime, happen: Callable[[State], Sequence[Any]]) -> State:
        """Write what `happen` says follows from the state of an item, and return the new state.

        State and events are read and written in one transaction: no two writers act on the same state.

        Raises:
            Taken: as `happen` says.
        """
        with self._connected() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                events = list(_events(connection, number))
                state = state_of(events)
                fresh = [Event(state.version + 1 + place, at, what) for place, what in enumerate(happen(state))]
                connection.executemany(
                    "INSERT INTO review_event (item, version, at, what) VALUES (?, ?, ?, ?)",
                    [(number, one.version, at.isoformat(), one.what.model_dump_json()) for one in fresh],
                )
                self._take_off(connection, number, at, fresh)
                connection.execute("COMMIT")
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
        return state_of([*events, *fresh])

    def _take_off(self, connection: sqlite3.Connection, number: int, at: datetime, fresh: Sequence[Event]) -> None:
        """Take an item that is settled now off its queue, in the same transaction."""
        if not any(isinstance(one.what, Resolved) for one in fresh):
            return
        who = next(one.what.authority.by for one in fresh if isinstance(one.what, Given))
        row = (number, "settled", who, at.isoformat())
        connection.execute("INSERT OR IGNORE INTO handled (item, how, who, at) VALUES (?, ?, ?, ?)", row)

    @contextmanager
    def _connected(self) -> Iterator[sqlite3.Connection]:
        try:
            with closing(
                sqlite3.connect(
                    f"{self._file.absolute().as_uri()}?mode=rw", uri=True, timeout=BUSY_SECONDS, isolation_level=None
                )
            ) as connection:
                connection.execute("PRAGMA synchronous = FULL")
                connection.execute("PRAGMA foreign_keys = ON")
                yield connection
        except sqlite3.IntegrityError as error:
            raise Taken("somebody else was first: look at the item again") from error
        except sqlite3.OperationalError as error:
            raise ProviderBusy(f"{self._file}: {error}; try again") from error
        except sqlite3.DatabaseError as error:
            raise CorpusDamaged(f"{self._file}: {error}; restore a backup") from error


def _events(connection: sqlite3.Connection, number: int) -> Iterator[Event]:
    rows = connection.execute("SELECT version, at, what FROM review_event WHERE item = ? ORDER BY version", (number,))
    for version, at, what in rows.fetchall():
        yield Event(version, datetime.fromisoformat(at), _HAPPENED.validate_json(what))
