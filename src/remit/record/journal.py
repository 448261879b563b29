"""The journal: one opening row and one closing row for each ask, never changed, durable before the answer goes out."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Final, Literal, NamedTuple

from remit.decide.decision import Decision
from remit.errors import CorpusDamaged, InvalidInput, MissingPrerequisite, NothingThere
from remit.record import retention, reviewing
from remit.record.queue import SELECT, TABLES, Handling, Item
from remit.record.trace import Entry

NAME: Final = "journal.db"
BUSY_SECONDS: Final = 30.0

_FIRST: Final = (
    """CREATE TABLE opened (
        trace TEXT PRIMARY KEY, asker TEXT NOT NULL, question TEXT NOT NULL, at TEXT NOT NULL
    ) STRICT, WITHOUT ROWID""",
    """CREATE TABLE closed (
        trace TEXT PRIMARY KEY REFERENCES opened (trace), at TEXT NOT NULL, entries TEXT NOT NULL
    ) STRICT, WITHOUT ROWID""",
    """CREATE TABLE queued (
        number INTEGER PRIMARY KEY, trace TEXT NOT NULL UNIQUE REFERENCES closed (trace), queue TEXT NOT NULL,
        action TEXT NOT NULL, reason TEXT NOT NULL, missing TEXT NOT NULL, at TEXT NOT NULL
    ) STRICT""",
    "CREATE INDEX queued_by_queue ON queued (queue, number)",
    *(
        f"CREATE TRIGGER {table}_stays_{verb.lower()} BEFORE {verb} ON {table} "
        "BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END"
        for table in ("opened", "closed", "queued")
        for verb in ("UPDATE", "DELETE")
    ),
)
MIGRATIONS: Final[Sequence[Sequence[str]]] = (_FIRST, TABLES, reviewing.SCHEMA, retention.SCHEMA)
"""Statements that lead from each schema version to the next. Append only: what was released is never edited."""


class Recorded(NamedTuple):
    """A trace as it was read back. One that was opened and never closed is `unfinished`: the process was killed."""

    trace: str
    asker: str
    question: str
    opened_at: str
    closed_at: str | None
    entries: tuple[Entry, ...]

    @property
    def state(self) -> Literal["closed", "unfinished"]:
        """Say whether the ask came to its end."""
        return "unfinished" if self.closed_at is None else "closed"


class Journal:
    """An append-only SQLite file. Several threads and several processes may write to it at once."""

    def __init__(self, path: Path, *, make: bool = True) -> None:
        """Open the journal at `path`, and make it or bring its schema up to date where `make` says so.

        Raises:
            NothingThere: there is none and `make` is False.
            MissingPrerequisite: a newer Remit wrote it.
            CorpusDamaged: the file is no SQLite database.
        """
        self.path = path
        self._lock = threading.Lock()
        if not path.exists():
            if not make:
                raise NothingThere(f"{path}: no journal here; nothing has been asked of this store yet")
            # Traces name people and what they asked: the owner's eyes only, from the first byte on.
            path.touch(mode=0o600)
        with _attributed(path):
            self._db = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
            self._db.execute("PRAGMA synchronous = FULL")
            self._db.execute("PRAGMA foreign_keys = ON")
            self._prepare()

    def open(self, trace: str, *, asker: str, question: str, at: datetime) -> None:
        """Write the opening row of a trace.

        Raises:
            InvalidInput: a trace of that id is there.
        """
        row = (trace, asker, question, at.isoformat())
        try:
            with self._writing():
                self._db.execute("INSERT INTO opened (trace, asker, question, at) VALUES (?, ?, ?, ?)", row)
        except sqlite3.IntegrityError as error:
            raise InvalidInput(f"trace {trace}: this id was used before; trace ids must be random") from error

    def close(self, trace: str, *, entries: Sequence[Entry], decision: Decision | None, at: datetime) -> None:
        """Write the closing row of a trace, and the item a person picks up; both are on disk when this returns.

        Raises:
            InvalidInput: the trace was never opened, or is closed.
        """
        lines = "\n".join(json.dumps([entry.kind, entry.data, entry.after]) for entry in entries)
        try:
            with self._writing():
                row = (trace, at.isoformat(), lines)
                self._db.execute("INSERT INTO closed (trace, at, entries) VALUES (?, ?, ?)", row)
                if decision is not None and decision.queue is not None:
                    self._queue(trace, decision, at)
        except sqlite3.IntegrityError as error:
            raise InvalidInput(f"trace {trace}: it was never opened, or it is closed already") from error

    def read(self, trace: str) -> Recorded:
        """Return a trace as it was recorded.

        Raises:
            NothingThere: no trace of that id.
        """
        with self._lock, _attributed(self.path):
            row = self._db.execute(
                "SELECT asker, question, opened.at, closed.at, entries FROM opened "
                "LEFT JOIN closed USING (trace) WHERE trace = ?",
                (trace,),
            ).fetchone()
        if row is None:
            raise NothingThere(f"trace {trace}: no such trace in this store")
        asker, question, opened_at, closed_at, lines = row
        written = (json.loads(line) for line in (lines or "").split("\n") if line)
        entries = tuple(Entry(kind=kind, data=data, after=next(iter(after), None)) for kind, data, *after in written)
        return Recorded(trace, asker, question, opened_at, closed_at, entries)

    def waiting(
        self, queue: str, *, after: int = 0, limit: int | None = None, handled: bool = False
    ) -> tuple[Item, ...]:
        """Return what waits in a queue, oldest first, from beyond number `after`; or what was `handled` already."""
        kept = "how IS NOT NULL" if handled else "how IS NULL"
        query = f"{SELECT} WHERE queue = ? AND number > ? AND {kept} ORDER BY number LIMIT ?"
        with self._lock, _attributed(self.path):
            rows = self._db.execute(query, (queue, after, -1 if limit is None else limit)).fetchall()
        return tuple(map(Item.of, rows))

    def asked_before(self, asker: str, question: str, queue: str) -> tuple[Item, ...]:
        """Return what waits in a queue because this asker put this question."""
        query = f"{SELECT} WHERE how IS NULL AND queue = ? AND asker = ? AND question = ? ORDER BY number"
        with self._lock, _attributed(self.path):
            return tuple(map(Item.of, self._db.execute(query, (queue, asker, question)).fetchall()))

    def item(self, number: int) -> Item:
        """Return one item of any queue, whether it waits or was handled.

        Raises:
            NothingThere: no item of that number.
        """
        with self._lock, _attributed(self.path):
            row = self._db.execute(f"{SELECT} WHERE number = ?", (number,)).fetchone()
        if row is None:
            raise NothingThere(f"item {number}: no such item in any queue of this store")
        return Item.of(row)

    def handle(self, number: int, how: Handling, *, who: str, at: datetime, trace: str | None = None) -> bool:
        """Take an item off its queue, for good; False where it was off already, or there is none of that number."""
        known = "SELECT number, ?, ?, ?, ? FROM queued WHERE number = ?"
        with self._writing():
            done = self._db.execute(
                f"INSERT OR IGNORE INTO handled (item, how, who, trace, at) {known}",
                (how, who, trace, at.isoformat(), number),
            )
            return done.rowcount == 1

    def depths(self) -> dict[str, int]:
        """Return how many items wait in each queue that has any."""
        query = "SELECT queue, count(*) FROM queued WHERE number NOT IN (SELECT item FROM handled) GROUP BY queue"
        with self._lock, _attributed(self.path):
            return {str(queue): int(count) for queue, count in self._db.execute(query)}

    def unfinished(self) -> int:
        """Return how many traces were opened and never closed: asks in flight, and asks that were killed."""
        with self._lock, _attributed(self.path):
            count = "SELECT count(*) FROM opened WHERE trace NOT IN (SELECT trace FROM closed)"
            return int(self._db.execute(count).fetchone()[0])

    def faults(self) -> tuple[str, ...]:
        """Return what SQLite's own check finds wrong with the file; nothing where it is sound."""
        with self._lock, _attributed(self.path):
            found = [str(row[0]) for row in self._db.execute("PRAGMA quick_check")]
        return tuple(line for line in found if line != "ok")

    def shut(self) -> None:
        """Close the file."""
        with self._lock:
            self._db.close()

    def _queue(self, trace: str, decision: Decision, at: datetime) -> None:
        missing = json.dumps(decision.missing, ensure_ascii=False)
        row = (trace, decision.queue, str(decision.action), decision.reason, missing, at.isoformat())
        self._db.execute(
            "INSERT INTO queued (trace, queue, action, reason, missing, at) VALUES (?, ?, ?, ?, ?, ?)", row
        )

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Hold the write lock for one transaction: all of the block's rows, or none."""
        with self._lock, _attributed(self.path):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._db.execute("COMMIT")
            finally:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")

    def _prepare(self) -> None:
        """Bring the schema up to date; whoever comes second finds it done."""
        if self._version() > len(MIGRATIONS):
            raise MissingPrerequisite(
                f"{self.path}: written by a newer Remit (schema {self._version()}, this one knows {len(MIGRATIONS)}); "
                "upgrade with: pip install -U remit"
            )
        if self._version() == len(MIGRATIONS):
            return
        if self._db.execute("PRAGMA journal_mode = WAL").fetchone()[0] != "wal":
            raise MissingPrerequisite(f"{self.path}: this file system cannot hold a write-ahead log; use a local disk")
        with self._writing():
            for number in range(self._version(), len(MIGRATIONS)):
                for statement in MIGRATIONS[number]:
                    self._db.execute(statement)
                self._db.execute(f"PRAGMA user_version = {number + 1}")

    def _version(self) -> int:
        return int(self._db.execute("PRAGMA user_version").fetchone()[0])


@contextmanager
def _attributed(path: Path) -> Iterator[None]:
    """Turn what SQLite says about a broken or unwritable file into words with a fix."""
    try:
        yield
    except sqlite3.IntegrityError:
        raise
    except sqlite3.OperationalError as error:
        raise MissingPrerequisite(f"{path}: {error}; is the disk writable, and not held by another program?") from error
    except sqlite3.DatabaseError as error:
        raise CorpusDamaged(f"{path}: {error}; move it away to start a new journal, or restore a backup") from error
