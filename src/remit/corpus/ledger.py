"""What an ingest remembers of files, so that the next one goes on from there: which were read, and what they became."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple, Protocol, runtime_checkable

from remit.corpus.sessions import Session, Sessions


class Became(NamedTuple):
    """A revision that a file became; `automatic` where its name is that of its text."""

    document: str
    revision: str
    state: str
    automatic: bool


class Entry(NamedTuple):
    """A file as it was read without a doubt: its path and rules as `id`, what it was, and what it became."""

    id: str
    stamp: str
    digest: str
    became: tuple[Became, ...]


class Known(NamedTuple):
    """A file of which everything still stands in the store as it was written, and what its revisions replace."""

    stamp: str
    digest: str
    became: tuple[Became, ...]
    targets: tuple[str, ...]


class Job(NamedTuple):
    """An ingest: its key, and how many files an interrupted run of the same paths had done."""

    key: int
    before: int


class Unfinished(NamedTuple):
    """An ingest that was interrupted, or is still running."""

    paths: tuple[str, ...]
    started: str
    done: int
    total: int


class Ledger:
    """The jobs and files of a store."""

    def __init__(self, connections: Sessions) -> None:
        self._connections = connections

    def begin(self, paths: Sequence[str], total: int, now: datetime) -> Job:
        """Open a job, or go on with an unfinished one of the same paths."""
        named = json.dumps(sorted(paths), ensure_ascii=True)
        with self._connections.writing() as connection:
            row = connection.execute(
                "SELECT key, done FROM job WHERE paths = ? AND finished IS NULL ORDER BY key DESC", (named,)
            ).fetchone()
            if row is not None:
                connection.execute("UPDATE job SET total = ?, done = 0 WHERE key = ?", (total, row[0]))
                return Job(*row)
            rows = connection.execute(
                "INSERT INTO job (paths, started, total, done) VALUES (?, ?, ?, 0) RETURNING key",
                (named, now.isoformat(), total),
            )
            [(key,)] = rows.fetchall()
            return Job(int(key), 0)

    def note(self, job: Job | None, done: int, entries: Iterable[Entry], *, finished: datetime | None = None) -> None:
        """Remember files, and how far the job is, if there is one."""
        with self._connections.writing() as connection:
            for entry in entries:
                connection.execute("DELETE FROM file WHERE id = ?", (entry.id,))
                rows = connection.execute(
                    "INSERT INTO file (id, stamp, digest) VALUES (?, ?, ?) RETURNING key",
                    (entry.id, entry.stamp, entry.digest),
                )
                [(key,)] = rows.fetchall()
                connection.executemany(
                    "INSERT INTO file_revision VALUES (?, ?, ?, ?, ?)",
                    [(key, one.document, one.revision, one.state, int(one.automatic)) for one in entry.became],
                )
            if job is None:
                return
            connection.execute(
                "UPDATE job SET done = ?, finished = ? WHERE key = ?",
                (done, finished and finished.isoformat(), job.key),
            )
            if finished:  # one finished job is enough to see that there was one
                connection.execute("DELETE FROM job WHERE finished IS NOT NULL AND key <> ?", (job.key,))

    def known(self, ids: Iterable[str]) -> dict[str, Known]:
        """Return for each file what it became, if all of that still stands as it was written; others have to be read."""
        with self._connections.reading() as connection:
            return {id: known for id in ids if (known := _known(connection, id)) is not None}

    def unfinished(self) -> tuple[Unfinished, ...]:
        """Return the jobs that have no end, oldest first."""
        query = "SELECT paths, started, done, total FROM job WHERE finished IS NULL ORDER BY key"
        with self._connections.reading() as connection:
            rows = connection.execute(query).fetchall()
        return tuple(Unfinished(tuple(json.loads(paths)), started, done, total) for paths, started, done, total in rows)


_STANDING = """SELECT f.document, f.revision, f.state, f.automatic,
    (SELECT json_group_array(s.target) FROM supersession s JOIN metadata m ON m.key = s.metadata_key
        WHERE m.revision_key = r.key AND m.removed_in IS NULL)
    FROM file_revision f JOIN revision r ON r.document = f.document AND r.revision = f.revision
        AND r.removed_in IS NULL AND r.state = f.state
    WHERE f.file_key = ? AND NOT (f.automatic = 1 AND EXISTS (
        SELECT 1 FROM revision o WHERE o.document = r.document AND o.removed_in IS NULL AND o.key > r.key))"""


def _known(connection: Session, id: str) -> Known | None:
    query = (
        "SELECT key, stamp, digest, (SELECT count(*) FROM file_revision WHERE file_key = key) FROM file WHERE id = ?"
    )
    row = connection.execute(query, (id,)).fetchone()
    if row is None:
        return None
    key, stamp, digest, count = row
    standing = connection.execute(_STANDING, (key,)).fetchall()
    if len(standing) < count:
        return None
    became = tuple(Became(document, revision, state, bool(auto)) for document, revision, state, auto, _ in standing)
    return Known(stamp, digest, became, tuple(target for one in standing for target in json.loads(one[4])))


@runtime_checkable
class Remembering(Protocol):
    """A corpus that keeps a ledger."""

    @property
    def ledger(self) -> Ledger:
        """Return it."""
