"""Deleting a revision: all of it goes but that it was there, and what it had replaced, so that stays replaced.

One that is not what was written can be deleted too, whatever its rows hold: that is how damage is mended.
"""

from __future__ import annotations

import sqlite3
from datetime import date, datetime
from typing import Any

from remit.contract.value import digest_of
from remit.corpus.sessions import Session
from remit.corpus.sql_rows import Stored, read_back
from remit.corpus.sql_write import bucket_of, purge_passages, seal_held, seal_said


def bury(connection: Session, key: int, number: int, now: datetime) -> set[int]:
    """Leave of a revision that it was there and what it had replaced; return the parts of the state that this touches."""
    stored = read_back(connection, key)
    if stored is None:
        return _bury_damaged(connection, key, number, now)
    purge_passages(connection, key)
    rows = [row for (row,) in connection.execute("SELECT key FROM metadata WHERE revision_key = ?", (key,)).fetchall()]
    connection.executemany("DELETE FROM label WHERE metadata_key = ?", [(row,) for row in rows])
    connection.execute("UPDATE metadata SET title = '', source = '', applies_to = '[]' WHERE revision_key = ?", (key,))
    connection.execute(
        "UPDATE revision SET text = NULL, state = ?, removed_in = ? WHERE key = ?",
        (_state(connection, stored), number, key),
    )
    seal_said(connection, rows)
    seal_held(connection, key)
    return {bucket_of(stored.revision.id)}


def _state(connection: Session, stored: Stored) -> str | None:
    """Return the part of a deleted revision in the digest of the state; None: it had replaced nothing."""
    key, revision = stored
    if not revision.supersedes or revision.status == "draft":
        return None
    recorded = connection.execute("SELECT recorded_at FROM revision WHERE key = ?", (key,)).fetchone()[0]
    start = revision.valid_from or date.fromisoformat(recorded[:10])
    return digest_of(["closed", revision.id, sorted(revision.supersedes), start.isoformat()])


def _bury_damaged(connection: Session, key: int, number: int, now: datetime) -> set[int]:
    """Put a new grave in the place of rows that hold anything: what they replaced, as far as it can be read, stays so.

    From the day on which it was recorded, since the day that they told may be the damage.
    """
    document = _read(connection, "SELECT document FROM revision WHERE key = ?", key) or f"damaged-{key}"
    name = _read(connection, "SELECT revision FROM revision WHERE key = ?", key) or "1"
    recorded = _moment(_read(connection, "SELECT recorded_at FROM revision WHERE key = ?", key)) or now.isoformat()
    targets = _targets(connection, key)
    bucket = _read(connection, "SELECT bucket FROM revision WHERE key = ?", key)
    _erase(connection, key)
    id = f"{document}@{name}"
    state = digest_of(["closed", id, sorted(targets), recorded[:10]]) if targets else None
    connection.execute(
        """INSERT INTO revision (key, document, revision, text, digest, recorded_at, bucket, state, created_in, removed_in)
        VALUES (?, ?, ?, NULL, '', ?, ?, ?, ?, ?)""",
        (key, document, name, recorded, bucket_of(id), state, number, number),
    )
    rows = connection.execute(
        """INSERT INTO metadata (revision_key, title, collection, authority, applies_to, language, source, recorded_at,
        created_in) VALUES (?, '', '-', 'informative', '[]', 'en', '', ?, ?) RETURNING key""",
        (key, recorded, number),
    )
    [(row,)] = rows.fetchall()
    connection.executemany(
        "INSERT INTO supersession VALUES (?, ?, ?)",
        [(row, position, target) for position, target in enumerate(targets)],
    )
    seal_said(connection, [row])
    seal_held(connection, key)
    return {bucket_of(id), *([bucket] if isinstance(bucket, int) else [])}


def _erase(connection: Session, key: int) -> None:
    of_metadata = "WHERE metadata_key IN (SELECT key FROM metadata WHERE revision_key = ?)"
    connection.execute(f"DELETE FROM label {of_metadata}", (key,))  # noqa: S608 - our own constants
    connection.execute(f"DELETE FROM supersession {of_metadata}", (key,))  # noqa: S608 - as above
    connection.execute("DELETE FROM metadata WHERE revision_key = ?", (key,))
    purge_passages(connection, key)
    connection.execute("DELETE FROM run WHERE revision_key = ?", (key,))
    connection.execute("DELETE FROM revision WHERE key = ?", (key,))


def _targets(connection: Session, key: int) -> list[str]:
    query = """SELECT DISTINCT s.target FROM supersession s JOIN metadata m ON m.key = s.metadata_key
        WHERE m.revision_key = ? AND (m.status IS NULL OR m.status <> 'draft') ORDER BY s.target"""
    try:
        return [str(target) for (target,) in connection.execute(query, (key,)).fetchall()]
    except sqlite3.OperationalError:  # no UTF-8 any more
        return []


def _read(connection: Session, query: str, key: int) -> Any:
    """Return one value of a row that may hold anything; None where it cannot be read."""
    try:
        row = connection.execute(query, (key,)).fetchone()
    except sqlite3.OperationalError:
        return None
    return None if row is None else row[0]


def _moment(text: Any) -> str | None:
    try:
        return datetime.fromisoformat(str(text)).isoformat()
    except ValueError:
        return None
