"""Writing the sums of a record that has none yet: one of an older Remit, whose rows are compared with what else is known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from remit.contract.value import digest_of
from remit.corpus.declared import declared
from remit.corpus.sealing import (
    HELD,
    PASSAGE,
    SAID,
    SAID_WIDTH,
    VECTOR,
    collection_seal,
    held_seal,
    passage_seal,
    said_seal,
    vector_seal,
)
from remit.corpus.sessions import Session
from remit.corpus.sql_rows import to_stored

_AT_ONCE: Final = 500
_NEXT: Final = """SELECT n.passage_key, n.vector, n.scale, n.sentence_vectors, n.sentence_scales, n.seal FROM next_vector n
    WHERE n.passage_key > ? ORDER BY n.passage_key LIMIT ?"""


def seal_record(connection: Session) -> None:
    """Write the sums of every row. What is said of a live revision and is not what its state says stays without one."""
    connection.execute(
        """UPDATE passage SET total = (SELECT count(*) FROM passage o WHERE o.revision_key = passage.revision_key)"""
    )
    said = f"SELECT {SAID}, {HELD} FROM metadata m JOIN revision r ON r.key = m.revision_key WHERE m.key > ? ORDER BY m.key LIMIT ?"  # noqa: S608 - our own constants
    for rows in _lots(connection, said):
        sums = [(*_sums_said(row), row[0]) for row in rows]
        connection.executemany("UPDATE metadata SET seal = ?, revision_seal = ? WHERE key = ?", sums)
    passages = f"SELECT {PASSAGE} FROM passage p WHERE p.key > ? ORDER BY p.key LIMIT ?"  # noqa: S608 - our own constants
    for rows in _lots(connection, passages):
        connection.executemany("UPDATE passage SET seal = ? WHERE key = ?", [(passage_seal(r), r[0]) for r in rows])
    vectors = (
        f"SELECT {VECTOR} FROM passage p JOIN vector v ON v.passage_key = p.key WHERE p.key > ? ORDER BY p.key LIMIT ?"  # noqa: S608 - our own constants
    )
    for rows in _lots(connection, vectors):
        connection.executemany(
            "UPDATE passage SET vector_seal = ? WHERE key = ?", [(vector_seal(r), r[0]) for r in rows]
        )
    for rows in _lots(connection, _NEXT):
        sums_next = [(vector_seal(row), row[0]) for row in rows]
        connection.executemany("UPDATE next_vector SET seal = ? WHERE passage_key = ?", sums_next)
    named = connection.execute("SELECT name, declared FROM collection").fetchall()
    connection.executemany(
        "UPDATE collection SET seal = ? WHERE name = ?", [(collection_seal(*row), row[0]) for row in named]
    )


def _lots(connection: Session, query: str) -> Iterator[list[Any]]:
    """Yield the rows of a query in lots, each from where the last one ended: what is written meanwhile is in no way."""
    last = -1
    while rows := connection.execute(query, (last, _AT_ONCE)).fetchall():
        yield rows
        last = rows[-1][0]


def _sums_said(row: Sequence[Any]) -> tuple[int, int]:
    """Return the sums of a row of SAID and HELD; the first is another one where the row is not what its state says."""
    said, held = list(row[:SAID_WIDTH]), list(row[SAID_WIDTH:])
    said[-1], held[-1] = said_seal(said), held_seal(held)
    live = said[15] is None and held[8] is None
    return (~said[-1] if live and _state(said, held) != held[6] else said[-1]), held[-1]


def _state(said: Sequence[Any], held: Sequence[Any]) -> str | None:
    """Return what the state of a live revision has to be; None where what is said cannot be read."""
    try:
        return digest_of(declared(to_stored([*said, *held]).revision))
    except ValueError:
        return None
