"""What could hide a revision, or open one, is looked through before the first read of a process, and each write after it.

A row that is handed out is compared with its sum each time. That does not show a row that is *not* handed out since a
byte of its label, its date or an index has changed. So all that decides on visibility is read once: what is said of every
revision, their labels, what replaces what, the runs, the state's number and digest. It takes some 10 µs a revision.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from remit.contract.value import digest_of
from remit.corpus.document import Snapshot
from remit.corpus.sealing import HELD, SAID, changed, held_seal, said_seal
from remit.corpus.sessions import Session, Sessions
from remit.corpus.sql_rows import newest
from remit.errors import CorpusDamaged

SMALL: Final = ("metadata", "label", "supersession", "run", "snapshot", "bucket", "encoder", "collection")
"""Tables whose indexes are compared with them at the first look. The others are large, and `remit verify` reads them."""

_SAID: Final = f"SELECT {SAID} FROM metadata m LEFT JOIN revision r ON r.key = m.revision_key"  # noqa: S608 - our own constants
_SINCE: Final = f"{_SAID} WHERE m.created_in > :number OR m.removed_in > :number"
_UNDATED: Final = f"""SELECT {HELD} FROM metadata m JOIN revision r ON r.key = m.revision_key
    WHERE m.valid_from IS NULL AND m.key IN (SELECT metadata_key FROM supersession)
    AND (m.created_in > :number OR m.removed_in > :number)"""  # noqa: S608 - our own constants
_RUNS: Final = """SELECT
    (SELECT count(*) FROM run n WHERE NOT EXISTS (
        SELECT 1 FROM metadata m WHERE m.revision_key = n.revision_key AND m.removed_in IS NULL)),
    (SELECT count(*) FROM metadata m WHERE m.removed_in IS NULL
        AND NOT EXISTS (SELECT 1 FROM run n WHERE n.revision_key = m.revision_key)
        AND EXISTS (SELECT 1 FROM passage p WHERE p.revision_key = m.revision_key))"""
_CREATED, _REMOVED, _SEAL = 14, 15, 18


@contextmanager
def reading(connections: Sessions) -> Iterator[Session]:
    """Lend a session inside one read transaction, on a record that was looked through.

    Raises:
        CorpusDamaged: something that decides on visibility is not what was written.
    """
    with connections.reading() as connection:
        look(connections, connection)
        yield connection


def look(connections: Sessions, connection: Session) -> Snapshot:
    """Return the newest state, of which every row that decides on visibility is as it was written.

    Raises:
        CorpusDamaged: one is not; so it is told until something is written again.
    """
    state, looked = newest(connection), connections.looked
    if state.number <= looked.number and looked.fault is None:
        return state
    with looked.lock:
        if state.number > looked.number:
            try:
                _look(connections, connection, state)
            except CorpusDamaged as error:
                looked.number, looked.fault = state.number, str(error)
                raise
            looked.number, looked.fault = state.number, None
        elif looked.fault is not None:
            raise CorpusDamaged(looked.fault)
    return state


def _look(connections: Sessions, connection: Session, state: Snapshot) -> None:
    looked = connections.looked
    since = looked.number if looked.fault is None else -1
    if since < 0:
        torn(connections.torn(connection, SMALL))
    last = 0
    rows = connection.execute(_SINCE if since >= 0 else _SAID, {"number": since} if since >= 0 else ())
    for row in rows:
        if row[_SEAL] != said_seal(row):
            raise changed(named(row))
        last = max(last, row[_CREATED], row[_REMOVED] or 0)
    for row in connection.execute(_UNDATED, {"number": since}):
        if row[-1] != held_seal(row):
            raise changed(f"{row[1]}@{row[2]}")
    _check_state(connection, state, last)
    if since < 0 and not runs_fit(connection):
        raise CorpusDamaged(
            "the list of what is indexed does not fit the revisions: `remit verify --mend` makes it anew from them"
        )


def runs_fit(connection: Session) -> bool:
    """Say whether there is one run for each live revision, and none else."""
    return not any(connection.execute(_RUNS).fetchone())


def named(said: Sequence[Any]) -> str:
    """Return what to call the revision of a row of SAID."""
    return "a revision that is not there" if said[2] is None else f"{said[2]}@{said[3]}"


def torn(faults: Iterable[str]) -> None:
    """Go on where the database finds nothing wrong.

    Raises:
        CorpusDamaged: it does.
    """
    if fault := next(iter(faults), None):
        raise CorpusDamaged(
            f"the database is damaged ({fault}): `remit verify --mend` makes its indexes anew; where that is not enough, "
            "restore a backup"
        )


def _check_state(connection: Session, state: Snapshot, last: int) -> None:
    """Go on where the state's digest is that of its parts, and nothing was written after it."""
    buckets = connection.execute("SELECT number, digest FROM bucket ORDER BY number").fetchall()
    if state.digest != digest_of([list(bucket) for bucket in buckets]) or state.number < last:
        raise CorpusDamaged(
            "the newest state of the record is not what was written: `remit verify --mend` makes it anew from the revisions"
        )
