"""Mending a record: what is derived is made anew, and a revision that is not what was written is deleted, to come again."""

from __future__ import annotations

from datetime import datetime
from typing import Final, NamedTuple

from remit.corpus.burial import bury
from remit.corpus.sealing import collection_seal
from remit.corpus.sessions import Session, Sessions
from remit.corpus.sql_rows import newest
from remit.corpus.sql_write import commit_snapshot, purge_passages
from remit.corpus.verify import TORN, Flaw, last_number, lenient, verified, verify
from remit.errors import CorpusDamaged

_DERIVED: Final = ("next_vector", "next_encoder", "segment", "run", "file_revision", "file", "job")
"""Tables that are made anew: by this, by the next ingest, or by the next upkeep of the index."""
_BUCKETS: Final = frozenset(range(256))
_RUNS: Final = """INSERT INTO run (revision_key, title, language)
    SELECT m.revision_key, m.title, m.language FROM metadata m JOIN revision r ON r.key = m.revision_key
    WHERE m.removed_in IS NULL AND r.removed_in IS NULL ORDER BY m.revision_key"""


class Mended(NamedTuple):
    """What was found, and which revisions were deleted since they were not what was written."""

    flaws: tuple[Flaw, ...]
    deleted: tuple[str, ...]


def mend(connections: Sessions, *, now: datetime) -> Mended:
    """Make anew what is derived, and delete each revision that is not what was written; all of it in one write.

    Raises:
        CorpusDamaged: that is not enough: the file is torn beyond its indexes.
    """
    before = verify(connections).flaws
    if not before:
        return Mended((), ())
    with connections.writing() as connection:
        connections.reindex(connection)
        with lenient(connection):
            found = verified(connection, connections.torn(connection, ())).flaws
        if torn := [flaw for flaw in found if flaw.what.startswith(TORN) and not flaw.derived]:
            raise CorpusDamaged(
                f"{torn[0].what}: this is beyond mending: restore a backup, or ingest into a new folder"
            )
        flaws = tuple(dict.fromkeys((*before, *found)))
        deleted = _mended(connection, flaws, now)
    return Mended(flaws, tuple(deleted))


def _mended(connection: Session, flaws: tuple[Flaw, ...], now: datetime) -> list[str]:
    last = max(newest(connection).number, last_number(connection))
    if last > newest(connection).number:
        connection.execute("INSERT INTO snapshot VALUES (?, '', ?, 'mended')", (last, now.isoformat()))
    named = {flaw.key for flaw in flaws if flaw.key is not None and flaw.row is None}
    whole = {key for key in named if isinstance(key, int)}
    for key in named - whole:  # what a row says of whose it is may be no number any more
        purge_passages(connection, key)
    for flaw in flaws:
        if flaw.row is not None and flaw.key not in whole:  # something said before of a revision that is sound now
            _forget(connection, flaw.row)
    deleted = []
    for key in sorted(whole):
        deleted.append(_named(connection, key, flaws))
        bury(connection, key, last + 1, now)
    for name, declared, seal in connection.execute("SELECT name, declared, seal FROM collection").fetchall():
        if seal != collection_seal(name, declared):
            connection.execute("DELETE FROM collection WHERE name = ?", (name,))
    for table in _DERIVED if any(flaw.derived for flaw in flaws) else ():
        connection.execute(f"DELETE FROM {table}")  # noqa: S608 - our own constants
    if any(flaw.derived for flaw in flaws):
        connection.execute(_RUNS)
    commit_snapshot(connection, set(_BUCKETS), "mend", now)
    return deleted


def _forget(connection: Session, row: int) -> None:
    connection.execute("DELETE FROM label WHERE metadata_key = ?", (row,))
    connection.execute("DELETE FROM supersession WHERE metadata_key = ?", (row,))
    connection.execute("DELETE FROM metadata WHERE key = ?", (row,))


def _named(connection: Session, key: int, flaws: tuple[Flaw, ...]) -> str:
    row = connection.execute("SELECT document, revision FROM revision WHERE key = ?", (key,)).fetchone()
    return next(flaw.what for flaw in flaws if flaw.key == key) if row is None else f"{row[0]}@{row[1]}"
