"""Taking traces out of the journal, for good: those that are old enough, or one of them word by word. Each time is recorded."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, Final, NamedTuple

from remit.contract.value import digest_of, text_digest
from remit.errors import MissingPrerequisite, NothingThere

SCHEMA: Final = (
    """CREATE TABLE taken_out (
        number INTEGER PRIMARY KEY, at TEXT NOT NULL, what TEXT NOT NULL, traces INTEGER NOT NULL, digest TEXT NOT NULL
    ) STRICT""",
    *(
        f"CREATE TRIGGER taken_out_stays_{verb.lower()} BEFORE {verb} ON taken_out "
        "BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END"
        for verb in ("UPDATE", "DELETE")
    ),
)
REDACTED: Final = "Redacted"
_WRITTEN: Final = frozenset({"text", "why", "quote"})
_OLD: Final = """SELECT trace FROM opened WHERE at < ? AND trace NOT IN (
    SELECT queued.trace FROM queued WHERE number NOT IN (SELECT item FROM handled))"""
_DELETES: Final = (
    "DELETE FROM review_event WHERE item IN (SELECT number FROM queued WHERE trace IN (SELECT value FROM json_each(:gone)))",
    "DELETE FROM handled WHERE item IN (SELECT number FROM queued WHERE trace IN (SELECT value FROM json_each(:gone)))",
    "DELETE FROM queued WHERE trace IN (SELECT value FROM json_each(:gone))",
    "DELETE FROM closed WHERE trace IN (SELECT value FROM json_each(:gone))",
    "DELETE FROM opened WHERE trace IN (SELECT value FROM json_each(:gone))",
)


class TakenOut(NamedTuple):
    """How many traces went, and the digest of their ids, by which an auditor can tell which ones."""

    traces: int
    digest: str


def prune(journal: Path, *, before: datetime, now: datetime) -> TakenOut:
    """Delete the traces that were opened before a moment, with their items; what still waits for a person stays."""
    with _open_for_deletion(journal) as connection:
        gone = sorted(trace for (trace,) in connection.execute(_OLD, (before.isoformat(),)))
        for statement in _DELETES:
            connection.execute(statement, {"gone": json.dumps(gone)})
        done = TakenOut(len(gone), digest_of(gone))
        if gone:
            _record(connection, now, f"prune before {before.isoformat()}", done)
    return done


def redact(journal: Path, trace: str, *, now: datetime) -> TakenOut:
    """Take the words out of one trace and of its item: what was asked, by whom, what was recorded, and what reviewers wrote.

    That it was asked, when, and who reviewed it stays.

    Raises:
        NothingThere: no trace of that id.
    """
    with _open_for_deletion(journal) as connection:
        row = connection.execute(
            "SELECT asker, question, entries FROM opened LEFT JOIN closed USING (trace) WHERE trace = ?", (trace,)
        ).fetchone()
        if row is None:
            raise NothingThere(f"trace {trace}: no such trace in this store")
        asker, question, entries = row
        digests = (text_digest(asker), text_digest(question), trace)
        connection.execute("UPDATE opened SET asker = ?, question = ? WHERE trace = ?", digests)
        if entries is not None:
            kept = json.dumps([REDACTED, {"digest": text_digest(entries)}])
            connection.execute("UPDATE closed SET entries = ? WHERE trace = ?", (kept, trace))
        for (number,) in connection.execute("SELECT number FROM queued WHERE trace = ?", (trace,)).fetchall():
            _redact_item(connection, number, asker)
        done = TakenOut(1, digest_of([trace]))
        _record(connection, now, f"redact {trace}", done)
    return done


def _redact_item(connection: sqlite3.Connection, number: int, asker: str) -> None:
    """Take the words out of what a question left in a queue."""
    (missing,) = connection.execute("SELECT missing FROM queued WHERE number = ?", (number,)).fetchone()
    kept = json.dumps([text_digest(one) for one in json.loads(missing)])
    connection.execute("UPDATE queued SET missing = ? WHERE number = ?", (kept, number))
    connection.execute("UPDATE handled SET who = ? WHERE item = ? AND who = ?", (text_digest(asker), number, asker))
    events = connection.execute("SELECT version, what FROM review_event WHERE item = ?", (number,)).fetchall()
    for version, what in events:
        row = (json.dumps(_wordless(json.loads(what))), number, version)
        connection.execute("UPDATE review_event SET what = ? WHERE item = ? AND version = ?", row)


def _wordless(said: Any) -> Any:
    """Return what was said with a digest for each text that somebody wrote or quoted."""
    if isinstance(said, list):
        return [_wordless(one) for one in said]
    if not isinstance(said, dict):
        return said
    return {
        name: text_digest(value) if name in _WRITTEN and isinstance(value, str) and value else _wordless(value)
        for name, value in said.items()
    }


def _record(connection: sqlite3.Connection, now: datetime, what: str, done: TakenOut) -> None:
    row = (now.isoformat(), what, done.traces, done.digest)
    connection.execute("INSERT INTO taken_out (at, what, traces, digest) VALUES (?, ?, ?, ?)", row)


@contextmanager
def _open_for_deletion(journal: Path) -> Iterator[sqlite3.Connection]:
    """Lend a connection in one transaction in which the journal is not append-only; afterwards it is again."""
    if not journal.is_file():
        raise NothingThere(f"{journal}: no journal here; nothing has been asked of this store yet")
    try:
        with closing(sqlite3.connect(journal, timeout=30, isolation_level=None)) as connection:
            connection.execute("PRAGMA secure_delete = ON")
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("BEGIN IMMEDIATE")
            try:
                guards = _lifted(connection)
                yield connection
                for statement in guards:
                    connection.execute(statement)
                connection.execute("COMMIT")
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    except sqlite3.OperationalError as error:
        raise MissingPrerequisite(
            f"{journal}: {error}; is the disk writable, and not held by another program?"
        ) from error


def _lifted(connection: sqlite3.Connection) -> Sequence[str]:
    """Drop the triggers that keep the journal append-only, and return what makes them again."""
    found = connection.execute(
        "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND sql LIKE '%append-only%'"
    )
    guards = found.fetchall()
    for name, _ in guards:
        connection.execute(f"DROP TRIGGER {name}")
    return [statement for _, statement in guards]
