"""Reading a store: the scope is part of every query, and is checked once more on what comes back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from string import ascii_lowercase, ascii_uppercase
from typing import Any, NamedTuple

import numpy as np

from remit.access.scope import Scope
from remit.contract.catalogue import Catalogue, Collection
from remit.contract.value import digest_of, text_digest
from remit.corpus.document import Passage, Revision, Snapshot, Span
from remit.corpus.quantise import Quantised, from_bytes, restored
from remit.corpus.sessions import Session, Sessions
from remit.corpus.standing import Closing, closed, first_closings, set_aside, standing
from remit.corpus.store import Named, Readable, Row
from remit.errors import CorpusDamaged, NothingThere
from remit.llm.embed import Vectors

EMPTY = Snapshot(number=0, digest=digest_of([]))
"""The state of a store into which nothing has been put."""
COLUMNS = """m.key, r.key, r.document, r.revision, m.title, m.collection, m.status, m.valid_from, m.valid_to,
    m.authority, m.applies_to, m.language, m.source, r.digest, m.recorded_at,
    (SELECT json_group_array(label) FROM label WHERE metadata_key = m.key),
    (SELECT json_group_array(target) FROM (SELECT target FROM supersession WHERE metadata_key = m.key ORDER BY position) AS told)"""

FROM_LIVE = "FROM metadata m JOIN revision r ON r.key = m.revision_key WHERE r.removed_in IS NULL"

AT_SNAPSHOT = "m.created_in <= :number AND (m.removed_in IS NULL OR m.removed_in > :number)"

IN_SCOPE = """EXISTS (SELECT 1 FROM label l WHERE l.metadata_key = m.key
        AND l.label IN (SELECT value FROM json_each(:labels)))
    AND (:collections IS NULL OR m.collection IN (SELECT value FROM json_each(:collections)))
    AND (:documents IS NULL OR r.document IN (SELECT value FROM json_each(:documents)))"""

_NAMED = f"""SELECT r.document, m.collection, max(CASE WHEN {IN_SCOPE} THEN 1 ELSE 0 END) {FROM_LIVE} AND m.removed_in IS NULL
    AND lower(r.document) = :name GROUP BY r.document, m.collection ORDER BY r.document, m.collection"""

_OPENS = f"""SELECT 1 {FROM_LIVE} AND m.removed_in IS NULL AND m.collection = :collection AND {IN_SCOPE} LIMIT 1"""
OPEN_NOW = """EXISTS (SELECT 1 FROM metadata n JOIN label l ON l.metadata_key = n.key
    WHERE n.revision_key = r.key AND n.removed_in IS NULL AND l.label IN (SELECT value FROM json_each(:labels)))"""


_ASCII_LOWER = str.maketrans(ascii_uppercase, ascii_lowercase)


class Stored(NamedTuple):
    """A revision as declared, and where its row is."""

    key: int
    revision: Revision


class SqlReader:
    """The reading side of a record. Nothing outside the scope is returned, counted or loaded."""

    def __init__(self, connections: Sessions) -> None:
        self.connections = connections

    def snapshot(self) -> Snapshot:
        """Return the newest committed state."""
        with self.connections.reading() as connection:
            return newest(connection)

    def catalogue(self) -> Catalogue:
        """Return the collections as declared."""
        with self.connections.reading() as connection:
            rows = connection.execute("SELECT declared FROM collection ORDER BY name").fetchall()
        return Catalogue(collections=tuple(Collection.model_validate_json(declared) for (declared,) in rows))

    def readable(self, scope: Scope, *, at: date, named: str | None, snapshot: Snapshot) -> Readable:
        """Return the rows the scope opens, as they stand `at` a date, and those set aside with the reason.

        With `named`, the rows of the revision of that name are the ones returned, whatever their dates (but no draft and
        nothing withdrawn); the others are set aside, as "other revision" where no reason of their own applies.
        """
        if scope.empty:
            return Readable((), ())
        with self.connections.reading() as connection:
            stored = list(_in_scope(connection, scope, snapshot.number))
            starts = closings(connection, snapshot.number)
            passages = _passages(connection, stored)
        rows: list[Row] = []
        aside: list[tuple[Row, str]] = []
        for key, revision in stored:
            start = starts.get(revision.id)
            reason = _reason(revision, start, at, named)
            source = standing(revision, start, at)
            for passage in passages.get(key, ()):
                row = Row(passage, source)
                if reason is None:
                    rows.append(row)
                else:
                    aside.append((row, reason))
        return Readable(tuple(rows), tuple(aside))

    def revisions(self, document: str, scope: Scope, *, snapshot: Snapshot) -> tuple[Revision, ...]:
        """Return the revisions of a document that the scope opens, in order of their validity (undated ones first).

        `valid_to` is closed where another revision replaces one; `status` is as declared.
        """
        if scope.empty or not self.connections.can_hold(document):
            return ()
        with self.connections.reading() as connection:
            stored = list(_in_scope(connection, scope, snapshot.number, document))
            starts = closings(connection, snapshot.number)
        found = (closed(revision, starts.get(revision.id)) for _, revision in stored)
        return tuple(sorted(found, key=lambda r: (r.valid_from or date.min, r.recorded_at, r.revision)))

    def named(self, name: str, scope: Scope) -> tuple[Named, ...]:
        """Return the documents whose id is `name` in any case of its ASCII letters, and which of them the scope opens."""
        if not self.connections.can_hold(name):
            return ()
        lower = name.translate(_ASCII_LOWER)  # as the databases' own lower() has it
        with self.connections.reading() as connection:
            rows = connection.execute(_NAMED, {"name": lower, **_scope_arguments(scope)}).fetchall()
        return tuple(Named(document, collection, bool(opened)) for document, collection, opened in rows)

    def opens(self, collection: str, scope: Scope) -> bool:
        """Say whether the scope opens any revision of a collection."""
        if scope.empty or not self.connections.can_hold(collection):
            return False
        with self.connections.reading() as connection:
            found = connection.execute(_OPENS, {"collection": collection, **_scope_arguments(scope)}).fetchone()
        return found is not None

    def text(self, revision: str, scope: Scope) -> str | None:
        """Return the live stored text of ``document@revision``, or None where there is none inside the scope."""
        if scope.empty or not self.connections.can_hold(revision):
            return None
        document, _, name = revision.rpartition("@")
        with self.connections.reading() as connection:
            for stored in _in_scope(connection, scope, None, document):
                if stored.revision.revision == name:
                    return _texts(connection, [stored.key])[stored.key]
        return None

    def vectors(self, passages: Sequence[str], scope: Scope) -> tuple[Vectors, tuple[Vectors, ...]]:
        """Return for passages by id their vectors (one row each) and the vectors of their sentences.

        Raises:
            NothingThere: a passage is not there, or lies outside the scope.
        """
        found, dimension = self._stored_vectors(passages, scope)
        sentences = tuple(restored(from_bytes(row[2], row[3], dimension)) for row in found)
        return restored(_stacked(found, dimension)), sentences

    def matrix(self, passages: Sequence[str], scope: Scope) -> Quantised:
        """Return the stored integers and scales of passages by id, in the order given.

        Raises:
            NothingThere: a passage is not there, or lies outside the scope.
        """
        return _stacked(*self._stored_vectors(passages, scope))

    def _stored_vectors(
        self, passages: Sequence[str], scope: Scope
    ) -> tuple[list[tuple[bytes, float, bytes, bytes]], int]:
        query = f"""SELECT p.id, v.vector, v.scale, v.sentence_vectors, v.sentence_scales
            FROM passage p JOIN vector v ON v.passage_key = p.key JOIN revision r ON r.key = p.revision_key
            JOIN metadata m ON m.revision_key = r.key AND m.removed_in IS NULL
            WHERE r.removed_in IS NULL AND p.id IN (SELECT value FROM json_each(:ids)) AND {IN_SCOPE}"""  # noqa: S608 - constants; every value is bound
        with self.connections.reading() as connection:
            encoder = connection.execute("SELECT dimension FROM encoder").fetchone()
            rows = connection.execute(query, {"ids": json.dumps(list(passages)), **_scope_arguments(scope)}).fetchall()
        found = {row[0]: tuple(row[1:]) for row in rows}
        if missing := [id for id in passages if id not in found]:
            raise NothingThere(f"no passage {missing[0]} that this principal may read: search again")
        return [found[id] for id in passages], int(encoder[0]) if encoder else 0


def encoder_width(connection: Session) -> int | None:
    """Return the dimension of the store's encoder, or None where none was named yet."""
    found = connection.execute("SELECT dimension FROM encoder").fetchone()
    return None if found is None else int(found[0])


def newest(connection: Session) -> Snapshot:
    """Return the newest committed state."""
    row = connection.execute("SELECT number, digest FROM snapshot ORDER BY number DESC LIMIT 1").fetchone()
    return Snapshot(number=row[0], digest=row[1]) if row else EMPTY


def closings(connection: Session, number: int) -> dict[str, date]:
    """Return for each replaced revision the day from which it is, whatever the labels of what replaces it.

    A revision that replaces another but does not say from when does so from the day it was first recorded.
    """
    query = f"""SELECT s.target, coalesce(m.valid_from, r.recorded_at)
        FROM supersession s JOIN metadata m ON m.key = s.metadata_key JOIN revision r ON r.key = m.revision_key
        WHERE {AT_SNAPSHOT} AND (m.status IS NULL OR m.status <> 'draft')"""  # noqa: S608 - constants; every value is bound
    rows = connection.execute(query, {"number": number})
    return first_closings(Closing(target, date.fromisoformat(start[:10])) for target, start in rows)


def to_stored(row: Sequence[str | int | None]) -> Stored:
    """Return the revision that a row of COLUMNS holds."""
    (_, key, document, revision, title, collection, status, valid_from, valid_to, authority) = row[:10]
    (applies_to, language, source, digest, recorded_at, labels, supersedes) = row[10:]
    fields = {
        "document": document,
        "revision": revision,
        "title": title,
        "collection": collection,
        "labels": listed(str(labels)),
        "status": status,
        "valid_from": valid_from,
        "valid_to": valid_to,
        "supersedes": listed(str(supersedes)),
        "authority": authority,
        "applies_to": listed(str(applies_to)),
        "language": language,
        "source": source,
        "digest": digest,
        "recorded_at": recorded_at,
    }
    return Stored(int(str(key)), Revision.model_validate(fields))


def listed(text: str) -> Sequence[Any]:
    """Return a list that is stored as JSON; most are empty."""
    return () if text == "[]" else json.loads(text)


def _in_scope(connection: Session, scope: Scope, number: int | None, document: str | None = None) -> Iterator[Stored]:
    # `number` None reads what holds now. Labels taken away since a snapshot count at once in a read of that snapshot too.
    at = "m.removed_in IS NULL" if number is None else f"{AT_SNAPSHOT} AND {OPEN_NOW}"
    query = f"""SELECT {COLUMNS} {FROM_LIVE} AND {IN_SCOPE} AND (:document IS NULL OR r.document = :document)
        AND {at} ORDER BY r.document, r.revision"""
    arguments = {"number": number, "document": document, **_scope_arguments(scope)}
    for row in connection.execute(query, arguments).fetchall():
        stored = to_stored(row)
        # The second lock on the same door: a mistake in the SQL above must not open it.
        if scope.admits(stored.revision.labels, stored.revision.collection, stored.revision.document):
            yield stored


def _scope_arguments(scope: Scope) -> dict[str, str | None]:
    return {
        "labels": json.dumps(sorted(scope.labels)),
        "collections": None if scope.collections is None else json.dumps(sorted(scope.collections)),
        "documents": None if scope.documents is None else json.dumps(sorted(scope.documents)),
    }


def _reason(revision: Revision, start: date | None, at: date, named: str | None) -> str | None:
    reason = set_aside(revision, start, at)
    if named is None or reason in {"draft", "withdrawn"}:
        return reason
    if named in {revision.revision, revision.id}:
        return None
    return reason or "other revision"


def _passages(connection: Session, stored: Iterable[Stored]) -> dict[int, list[Passage]]:
    revisions = dict(stored)
    texts = _texts(connection, revisions)
    query = """SELECT revision_key, id, ordinal, section, start_at, end_at, kind, sentences FROM passage
        WHERE revision_key IN (SELECT value FROM json_each(:keys)) ORDER BY revision_key, ordinal"""
    passages: dict[int, list[Passage]] = {key: [] for key in revisions}
    for key, id, ordinal, section, start, end, kind, sentences in connection.execute(
        query, {"keys": json.dumps(list(revisions))}
    ):
        passage = Passage(
            id=id,
            document=revisions[key].document,
            revision=revisions[key].revision,
            ordinal=ordinal,
            section=tuple(json.loads(section)),
            start=start,
            end=end,
            text=texts[key][start:end],
            sentences=tuple(Span(*span) for span in json.loads(sentences)),
            kind=kind,
        )
        passages[key].append(passage)
    return passages


def _texts(connection: Session, keys: Iterable[int]) -> dict[int, str]:
    query = """SELECT key, text, digest, document || '@' || revision FROM revision
        WHERE key IN (SELECT value FROM json_each(:keys))"""
    texts = {}
    for key, text, digest, id in connection.execute(query, {"keys": json.dumps(list(keys))}):
        if text_digest(text) != digest:
            raise CorpusDamaged(
                f"the stored text of {id} is not what was written: delete that revision and ingest it again"
            )
        texts[key] = text
    return texts


def _stacked(found: list[tuple[bytes, float, bytes, bytes]], dimension: int) -> Quantised:
    scales = np.array([row[1] for row in found], dtype="<f4").tobytes()
    return from_bytes(b"".join(row[0] for row in found), scales, dimension)
