"""The whole record, every row and every index of it, compared with what was written; nothing is changed."""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import groupby
from typing import Any, Final, NamedTuple

from remit.contract.value import digest_of, text_digest
from remit.corpus.sealing import (
    HELD,
    PASSAGE,
    PASSAGE_WIDTH,
    SAID,
    SAID_WIDTH,
    VECTOR,
    collection_seal,
    held_seal,
    passage_seal,
    said_seal,
    vector_seal,
)
from remit.corpus.sessions import Session, Sessions
from remit.corpus.soundness import named, runs_fit
from remit.corpus.sql_rows import encoder_width, newest

_ROWS: Final = f"""SELECT {SAID}, {HELD} FROM metadata m LEFT JOIN revision r ON r.key = m.revision_key
    ORDER BY m.revision_key, m.key"""  # noqa: S608 - our own constants
_TEXTS: Final = "SELECT r.key, r.document, r.revision, r.text, r.digest, r.removed_in FROM revision r"
_PASSAGES: Final = f"""SELECT {PASSAGE}, {VECTOR} FROM passage p LEFT JOIN vector v ON v.passage_key = p.key
    ORDER BY p.revision_key, p.ordinal"""  # noqa: S608 - our own constants
_RETITLED: Final = """SELECT 1 FROM run n JOIN metadata m ON m.revision_key = n.revision_key
    WHERE m.removed_in IS NULL AND (n.title <> m.title OR n.language <> m.language)"""
_NAME: Final = re.compile("[0-9a-f]{64}")
_REMOVED, _SEAL = 15, 18
TORN: Final = "the database: "
_MENDABLE: Final = ("index", " value in ", "CHECK constraint failed")
"""Signs of what SQLite finds wrong with an index, which is made anew, or with one row, which its sum tells as well."""


class Flaw(NamedTuple):
    """Something that is not what was written. `key` is that of the revision it is about, `row` that of a row that closed.

    `derived`: it can be made anew from the rest.
    """

    what: str
    key: int | str | None = None
    row: int | None = None
    derived: bool = False


class Verified(NamedTuple):
    """What a look at the whole record gave."""

    revisions: int
    passages: int
    flaws: tuple[Flaw, ...]


def verify(connections: Sessions) -> Verified:
    """Return what of a record is not what was written.

    Raises:
        CorpusDamaged: it cannot be read to its end.
    """
    with connections.reading() as connection, lenient(connection):
        return verified(connection, connections.torn(connection, ()))


@contextmanager
def lenient(connection: Session) -> Iterator[None]:
    """Read text that is no UTF-8 any more as well, with a sign for each wrong byte: no sum is then the one that was written."""
    if not isinstance(connection, sqlite3.Connection):
        yield
        return
    connection.text_factory = partial(str, encoding="utf-8", errors="surrogateescape")
    try:
        yield
    finally:
        connection.text_factory = str


def verified(connection: Session, torn: Iterable[str]) -> Verified:
    """Return what of a record is not what was written; `torn` is what the database itself finds wrong."""
    flaws = [Flaw(f"{TORN}{fault}", derived=any(sign in fault for sign in _MENDABLE)) for fault in torn]
    if not all(flaw.derived for flaw in flaws):
        return Verified(0, 0, tuple(flaws))  # whatever is read then may be anything
    names: dict[int, str] = {}
    flaws += _said(connection, names)
    flaws += _texts(connection, names)
    count = Counter[str]()
    flaws += _passages(connection, names, count)
    flaws += _state(connection)
    flaws += _small(connection)
    return Verified(len(names), count["passages"], tuple(flaws))


def _said(connection: Session, names: dict[int, str]) -> Iterator[Flaw]:
    """Yield what is wrong with what is said of revisions, and gather the live ones in `names`."""
    rows = connection.execute(_ROWS).fetchall()
    for key, group in groupby(rows, key=lambda row: row[1]):
        several = list(group)
        if several[0][SAID_WIDTH] is None:
            yield from (Flaw("what is said of a revision that is not there", row=row[0]) for row in several)
            continue
        sound = [row for row in several if row[_SEAL] == said_seal(row[:SAID_WIDTH])]
        open_ = [row for row in sound if row[_REMOVED] is None]
        for row in several:
            if row not in sound:
                yield Flaw(f"what is said of {named(row)}", key, row=row[0] if open_ else None)
        said, held = several[-1][:SAID_WIDTH], several[-1][SAID_WIDTH:]
        if any(row[-1] != held_seal(row[SAID_WIDTH:]) for row in sound):
            yield Flaw(f"the revision {named(said)}", key)
        live = held[8] is None
        if live and len(open_) != 1 and len(sound) == len(several):
            yield Flaw(f"{named(said)} is described {len(open_)} times", key)
        if live:
            names[key] = named(said)


def _texts(connection: Session, names: dict[int, str]) -> Iterator[Flaw]:
    for key, document, revision, text, digest, removed in connection.execute(_TEXTS):
        if removed is None and key not in names:
            yield Flaw(f"{document}@{revision} is not described", key)
        elif (text is None) if removed is None else (text is not None):
            yield Flaw(f"the text of {document}@{revision} is there or missing against what is said", key)
        elif text is not None and (not isinstance(text, str) or text_digest(text) != digest):
            yield Flaw(f"the text of {document}@{revision}", key)


def _passages(connection: Session, names: dict[int, str], count: Counter[str]) -> Iterator[Flaw]:
    width, left = encoder_width(connection), set(names)
    for key, group in groupby(connection.execute(_PASSAGES), key=lambda row: row[1]):
        rows, name = list(group), names.get(key, "a revision that is gone")
        count["passages"] += len(rows)
        left.discard(key)
        if key not in names:
            yield Flaw(f"passages of {name}", key)
        if [(row[3], row[9]) for row in rows] != [(at, len(rows)) for at in range(len(rows))]:
            yield Flaw(f"passages of {name} are missing", key)
        if any(row[PASSAGE_WIDTH - 1] != passage_seal(row[:PASSAGE_WIDTH]) for row in rows):
            yield Flaw(f"a passage of {name}", key)
        if any(_wrong_vector(row[PASSAGE_WIDTH:], width) for row in rows):
            yield Flaw(f"a vector of {name}", key)
    for key in sorted(left):
        yield Flaw(f"the passages of {names[key]} are missing", key)


def _wrong_vector(row: Sequence[Any], width: int | None) -> bool:
    return row[1] is None or len(row[1]) != width or row[-1] != vector_seal(row)


def _state(connection: Session) -> Iterator[Flaw]:
    """Yield what is wrong with the digests of the newest state, all the way down from its number to each revision."""
    state, parts = (
        newest(connection),
        connection.execute("SELECT number, digest FROM bucket ORDER BY number").fetchall(),
    )
    states: dict[int, list[str]] = {}
    rows = connection.execute("SELECT bucket, state FROM revision WHERE state IS NOT NULL ORDER BY bucket, state")
    for bucket, one in rows:
        states.setdefault(bucket, []).append(one)
    if [(number, digest) for number, digest in parts] != [(n, digest_of(found)) for n, found in states.items()]:
        yield Flaw("a part of the state's digest", derived=True)
    last = last_number(connection)
    if state.digest != digest_of([list(part) for part in parts]) or state.number < last:
        yield Flaw("the number or digest of the newest state", derived=True)


def last_number(connection: Session) -> int:
    """Return the number of the last state in which anything was said, as far as the rows that say so are sound."""
    found = connection.execute("SELECT max(created_in), max(removed_in) FROM metadata").fetchone()
    return max((number for number in found if isinstance(number, int)), default=0)


def _small(connection: Session) -> Iterator[Flaw]:
    if not runs_fit(connection) or connection.execute(_RETITLED).fetchone() is not None:
        yield Flaw("the list of what is indexed", derived=True)
    for name, declared, seal in connection.execute("SELECT name, declared, seal FROM collection ORDER BY name"):
        if seal != collection_seal(name, declared):
            yield Flaw(f"the collection {name}: ingest again with the remit.toml that declares it")
    if any(_NAME.fullmatch(str(name)) is None for (name,) in connection.execute("SELECT digest FROM segment")):
        yield Flaw("the name of a segment", derived=True)
    coming = "SELECT passage_key, vector, scale, sentence_vectors, sentence_scales, seal FROM next_vector"
    if any(row[-1] != vector_seal(row) for row in connection.execute(coming)):
        yield Flaw("vectors of the encoder to come", derived=True)
