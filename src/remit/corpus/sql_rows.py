"""The rows of a record and what becomes of them: each is compared with its sum before anything is made of it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any, Final, NamedTuple

from remit.access.scope import Scope
from remit.contract.value import digest_of, text_digest
from remit.corpus.document import Passage, Revision, Snapshot, Span
from remit.corpus.sealing import (
    HELD,
    PASSAGE,
    SAID,
    SAID_WIDTH,
    changed,
    held_seal,
    listed,
    passage_seal,
    said_seal,
    vector_seal,
)
from remit.corpus.sessions import Session
from remit.corpus.standing import Closing, first_closings
from remit.errors import CorpusDamaged

EMPTY: Final = Snapshot(number=0, digest=digest_of([]))
"""The state of a store into which nothing has been put."""

COLUMNS: Final = f"{SAID}, {HELD}"

FROM_LIVE: Final = "FROM metadata m JOIN revision r ON r.key = m.revision_key WHERE r.removed_in IS NULL"

AT_SNAPSHOT: Final = "m.created_in <= :number AND (m.removed_in IS NULL OR m.removed_in > :number)"

IN_SCOPE: Final = """EXISTS (SELECT 1 FROM label l WHERE l.metadata_key = m.key
        AND l.label IN (SELECT value FROM json_each(:labels)))
    AND (:collections IS NULL OR m.collection IN (SELECT value FROM json_each(:collections)))
    AND (:documents IS NULL OR r.document IN (SELECT value FROM json_each(:documents)))"""


class Stored(NamedTuple):
    """A revision as declared, and where its row is."""

    key: int
    revision: Revision


class PassageRow(NamedTuple):
    """A row of PASSAGE."""

    key: int
    revision_key: int
    id: str
    ordinal: int
    section: str
    start: int
    end: int
    kind: Any
    sentences: str
    total: int
    seal: int


def scope_arguments(scope: Scope) -> dict[str, str | None]:
    """Return what the condition of a scope in SQL is bound to."""
    return {
        "labels": json.dumps(sorted(scope.labels)),
        "collections": None if scope.collections is None else json.dumps(sorted(scope.collections)),
        "documents": None if scope.documents is None else json.dumps(sorted(scope.documents)),
    }


def newest(connection: Session) -> Snapshot:
    """Return the newest committed state."""
    row = connection.execute("SELECT number, digest FROM snapshot ORDER BY number DESC LIMIT 1").fetchone()
    return Snapshot(number=row[0], digest=row[1]) if row else EMPTY


def encoder_width(connection: Session) -> int | None:
    """Return the dimension of the store's encoder, or None where none was named yet."""
    found = connection.execute("SELECT dimension FROM encoder").fetchone()
    if found is not None and not isinstance(found[0], int):
        raise CorpusDamaged(
            "the name of the store's encoder is not what was written: `remit ingest --re-embed` writes it anew"
        )
    return None if found is None else found[0]


def closings(connection: Session, number: int) -> dict[str, date]:
    """Return for each replaced revision the day from which it is, whatever the labels of what replaces it.

    A revision that replaces another but does not say from when does so from the day it was first recorded.
    """
    query = f"""SELECT s.target, coalesce(m.valid_from, r.recorded_at)
        FROM supersession s JOIN metadata m ON m.key = s.metadata_key JOIN revision r ON r.key = m.revision_key
        WHERE {AT_SNAPSHOT} AND (m.status IS NULL OR m.status <> 'draft')"""  # noqa: S608 - constants; every value is bound
    rows = connection.execute(query, {"number": number})
    return first_closings(Closing(target, _day(start, target)) for target, start in rows)


def to_stored(row: Sequence[Any]) -> Stored:
    """Return the revision that a row of COLUMNS holds.

    Raises:
        CorpusDamaged: it is not what was written.
    """
    held = row[SAID_WIDTH:]
    if held[-1] != held_seal(held):
        raise changed(f"{held[1]}@{held[2]}")
    return said_of(row[:SAID_WIDTH], held[3])


def said_of(row: Sequence[Any], digest: str) -> Stored:
    """Return the revision that a row of SAID tells of, under the digest of its text, which the caller compares.

    Raises:
        CorpusDamaged: what is said is not what was written.
    """
    (_, key, document, revision, title, collection, status, valid_from, valid_to, authority) = row[:10]
    (applies_to, language, source, recorded_at, _, _, labels, supersedes, seal) = row[10:]
    if seal != said_seal(row):
        raise changed(f"{document}@{revision}")
    fields = {
        "document": document,
        "revision": revision,
        "title": title,
        "collection": collection,
        "labels": listed(labels),
        "status": status,
        "valid_from": valid_from,
        "valid_to": valid_to,
        "supersedes": listed(supersedes),
        "authority": authority,
        "applies_to": listed(applies_to),
        "language": language,
        "source": source,
        "digest": digest,
        "recorded_at": recorded_at,
    }
    return Stored(int(key), Revision.model_validate(fields))


def read_back(connection: Session, key: int) -> Stored | None:
    """Return what is said now of a revision, or None where that is not what was written, or cannot be read."""
    query = f"SELECT {COLUMNS} FROM metadata m JOIN revision r ON r.key = m.revision_key WHERE m.removed_in IS NULL AND r.key = ?"  # noqa: S608 - constants
    try:
        [row] = connection.execute(query, (key,)).fetchall()
        return to_stored(row)
    except (CorpusDamaged, ValueError, sqlite3.OperationalError):  # two rows or none; no list, no date, no UTF-8
        return None


def sound_passage(row: Sequence[Any], of: str) -> PassageRow:
    """Return a row of PASSAGE that is as it was written.

    Raises:
        CorpusDamaged: it is not; `of` names the revision.
    """
    if row[-1] != passage_seal(row):
        raise changed(of)
    return PassageRow._make(row)


def sound_vector(row: Sequence[Any], of: str, dimension: int | None) -> Sequence[Any]:
    """Return a row of VECTOR that is as it was written, and of the store's `dimension`.

    Raises:
        CorpusDamaged: it is not; `of` names the revision.
    """
    if row[1] is None or len(row[1]) != dimension or row[-1] != vector_seal(row):
        raise changed(of)
    return row


def whole(rows: Iterable[PassageRow], of: str) -> list[PassageRow]:
    """Return the passages of a revision, which are all that it has.

    Raises:
        CorpusDamaged: some are missing; `of` names the revision.
    """
    found = list(rows)
    if not found or [(row.ordinal, row.total) for row in found] != [(at, len(found)) for at in range(len(found))]:
        raise changed(of)
    return found


def passage_of(row: Sequence[Any], source: Revision, text: str) -> Passage:
    """Return the passage that a sound row of PASSAGE holds; `text` is its own."""
    _, _, id, ordinal, section, start, end, kind, sentences, *_ = row
    return Passage(
        id=id,
        document=source.document,
        revision=source.revision,
        ordinal=ordinal,
        section=() if section == "[]" else tuple(json.loads(section)),
        start=start,
        end=end,
        text=text,
        sentences=tuple(map(Span._make, json.loads(sentences))),
        kind=kind,
    )


def passages_of(connection: Session, revisions: Mapping[int, Revision]) -> dict[int, list[Passage]]:
    """Return the passages of live revisions by key, in order.

    Raises:
        CorpusDamaged: a text or a passage is not what was written, or one is missing.
    """
    texts = texts_of(connection, revisions)
    query = f"""SELECT {PASSAGE} FROM passage p
        WHERE p.revision_key IN (SELECT value FROM json_each(:keys)) ORDER BY p.revision_key, p.ordinal"""  # noqa: S608 - our own constants
    rows: dict[int, list[PassageRow]] = {key: [] for key in revisions}
    for row in connection.execute(query, {"keys": json.dumps(list(revisions))}):
        if row[1] not in rows:  # an index says another revision than the row
            raise changed(row[2].rpartition("#")[0])
        rows[row[1]].append(sound_passage(row, revisions[row[1]].id))
    return {
        key: [passage_of(row, source, texts[key][row.start : row.end]) for row in whole(rows[key], source.id)]
        for key, source in revisions.items()
    }


def texts_of(connection: Session, revisions: Mapping[int, Revision]) -> dict[int, str]:
    """Return the texts of live revisions by key.

    Raises:
        CorpusDamaged: one is not what was written.
    """
    query = "SELECT r.key, r.text FROM revision r WHERE r.key IN (SELECT value FROM json_each(:keys))"
    found = dict(connection.execute(query, {"keys": json.dumps(list(revisions))}).fetchall())
    return {key: checked_text(found.get(key), source.digest, source.id) for key, source in revisions.items()}


def checked_text(text: str | None, digest: str, of: str) -> str:
    """Return a text that has the digest it was written with.

    Raises:
        CorpusDamaged: it has not; `of` names the revision.
    """
    if not isinstance(text, str) or text_digest(text) != digest:
        raise CorpusDamaged(
            f"the stored text of {of} is not what was written: delete that revision and ingest it again"
        )
    return text


def _day(start: str, target: str) -> date:
    try:
        return date.fromisoformat(start[:10])
    except ValueError as error:
        raise changed(f"what replaces {target}") from error
