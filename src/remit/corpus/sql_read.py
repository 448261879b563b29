"""Reading a store: the scope is part of every query, and is checked once more on what comes back."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import date
from string import ascii_lowercase, ascii_uppercase
from typing import Any, NamedTuple

import numpy as np

from remit.access.scope import Scope
from remit.contract.catalogue import Catalogue, Collection
from remit.corpus.document import Revision, Snapshot
from remit.corpus.quantise import Quantised, from_bytes, restored
from remit.corpus.sealing import PASSAGE, PASSAGE_WIDTH, VECTOR, collection_seal
from remit.corpus.sessions import Session, Sessions
from remit.corpus.soundness import reading
from remit.corpus.sql_rows import (
    AT_SNAPSHOT,
    COLUMNS,
    FROM_LIVE,
    IN_SCOPE,
    Stored,
    closings,
    encoder_width,
    newest,
    passages_of,
    scope_arguments,
    sound_passage,
    sound_vector,
    texts_of,
    to_stored,
)
from remit.corpus.standing import closed, set_aside, standing
from remit.corpus.store import Named, Readable, Row
from remit.errors import CorpusDamaged, NothingThere
from remit.llm.embed import Vectors

_NAMED = f"""SELECT r.document, m.collection, max(CASE WHEN {IN_SCOPE} THEN 1 ELSE 0 END) {FROM_LIVE} AND m.removed_in IS NULL
    AND lower(r.document) = :name GROUP BY r.document, m.collection ORDER BY r.document, m.collection"""

_OPENS = f"""SELECT 1 {FROM_LIVE} AND m.removed_in IS NULL AND m.collection = :collection AND {IN_SCOPE} LIMIT 1"""
OPEN_NOW = """EXISTS (SELECT 1 FROM metadata n JOIN label l ON l.metadata_key = n.key
    WHERE n.revision_key = r.key AND n.removed_in IS NULL AND l.label IN (SELECT value FROM json_each(:labels)))"""

_ASCII_LOWER = str.maketrans(ascii_uppercase, ascii_lowercase)


class _Vectors(NamedTuple):
    """The vectors of a passage and of its sentences, as stored."""

    vector: bytes
    scale: float
    sentences: bytes
    sentence_scales: bytes


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
            rows = connection.execute("SELECT name, declared, seal FROM collection ORDER BY name").fetchall()
        return Catalogue(collections=tuple(_collection(*row) for row in rows))

    def sound(self) -> None:
        """Go on where all that could hide a revision, or open one, is as it was written.

        Raises:
            CorpusDamaged: something is not; the message names what, and what to do.
        """
        with reading(self.connections):
            pass

    def readable(self, scope: Scope, *, at: date, named: str | None, snapshot: Snapshot) -> Readable:
        """Return the rows the scope opens, as they stand `at` a date, and those set aside with the reason.

        With `named`, the rows of the revision of that name are the ones returned, whatever their dates (but no draft and
        nothing withdrawn); the others are set aside, as "other revision" where no reason of their own applies.
        """
        if scope.empty:
            return Readable((), ())
        with reading(self.connections) as connection:
            stored = list(_in_scope(connection, scope, snapshot.number))
            starts = closings(connection, snapshot.number)
            passages = passages_of(connection, dict(stored))
        rows: list[Row] = []
        aside: list[tuple[Row, str]] = []
        for key, revision in stored:
            start = starts.get(revision.id)
            reason = _reason(revision, start, at, named)
            source = standing(revision, start, at)
            for passage in passages[key]:
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
        with reading(self.connections) as connection:
            stored = list(_in_scope(connection, scope, snapshot.number, document))
            starts = closings(connection, snapshot.number)
        found = (closed(revision, starts.get(revision.id)) for _, revision in stored)
        return tuple(sorted(found, key=lambda r: (r.valid_from or date.min, r.recorded_at, r.revision)))

    def named(self, name: str, scope: Scope) -> tuple[Named, ...]:
        """Return the documents whose id is `name` in any case of its ASCII letters, and which of them the scope opens."""
        if not self.connections.can_hold(name):
            return ()
        lower = name.translate(_ASCII_LOWER)  # as the databases' own lower() has it
        with reading(self.connections) as connection:
            rows = connection.execute(_NAMED, {"name": lower, **scope_arguments(scope)}).fetchall()
        return tuple(Named(document, collection, bool(opened)) for document, collection, opened in rows)

    def opens(self, collection: str, scope: Scope) -> bool:
        """Say whether the scope opens any revision of a collection."""
        if scope.empty or not self.connections.can_hold(collection):
            return False
        with reading(self.connections) as connection:
            found = connection.execute(_OPENS, {"collection": collection, **scope_arguments(scope)}).fetchone()
        return found is not None

    def text(self, revision: str, scope: Scope) -> str | None:
        """Return the live stored text of ``document@revision``, or None where there is none inside the scope."""
        if scope.empty or not self.connections.can_hold(revision):
            return None
        document, _, name = revision.rpartition("@")
        with reading(self.connections) as connection:
            for stored in _in_scope(connection, scope, None, document):
                if stored.revision.revision == name:
                    return texts_of(connection, {stored.key: stored.revision})[stored.key]
        return None

    def vectors(self, passages: Sequence[str], scope: Scope) -> tuple[Vectors, tuple[Vectors, ...]]:
        """Return for passages by id their vectors (one row each) and the vectors of their sentences.

        Raises:
            NothingThere: a passage is not there, or lies outside the scope.
        """
        found, dimension = self._stored_vectors(passages, scope)
        sentences = tuple(restored(from_bytes(row.sentences, row.sentence_scales, dimension)) for row in found)
        return restored(_stacked(found, dimension)), sentences

    def matrix(self, passages: Sequence[str], scope: Scope) -> Quantised:
        """Return the stored integers and scales of passages by id, in the order given.

        Raises:
            NothingThere: a passage is not there, or lies outside the scope.
        """
        return _stacked(*self._stored_vectors(passages, scope))

    def _stored_vectors(self, passages: Sequence[str], scope: Scope) -> tuple[list[_Vectors], int]:
        query = f"""SELECT {PASSAGE}, {VECTOR}
            FROM passage p JOIN vector v ON v.passage_key = p.key JOIN revision r ON r.key = p.revision_key
            JOIN metadata m ON m.revision_key = r.key AND m.removed_in IS NULL
            WHERE r.removed_in IS NULL AND p.id IN (SELECT value FROM json_each(:ids)) AND {IN_SCOPE}"""  # noqa: S608 - constants; every value is bound
        with reading(self.connections) as connection:
            dimension = encoder_width(connection)
            rows = connection.execute(query, {"ids": json.dumps(list(passages)), **scope_arguments(scope)}).fetchall()
        found = dict(_vectors(row, dimension) for row in rows)
        if missing := [id for id in passages if id not in found]:
            raise NothingThere(f"no passage {missing[0]} that this principal may read: search again")
        return [found[id] for id in passages], dimension or 0


def _in_scope(connection: Session, scope: Scope, number: int | None, document: str | None = None) -> Iterator[Stored]:
    # `number` None reads what holds now. Labels taken away since a snapshot count at once in a read of that snapshot too.
    at = "m.removed_in IS NULL" if number is None else f"{AT_SNAPSHOT} AND {OPEN_NOW}"
    query = f"""SELECT {COLUMNS} {FROM_LIVE} AND {IN_SCOPE} AND (:document IS NULL OR r.document = :document)
        AND {at} ORDER BY r.document, r.revision"""
    arguments = {"number": number, "document": document, **scope_arguments(scope)}
    for row in connection.execute(query, arguments).fetchall():
        stored = to_stored(row)
        # The second lock on the same door: a mistake in the SQL above must not open it.
        if scope.admits(stored.revision.labels, stored.revision.collection, stored.revision.document):
            yield stored


def _reason(revision: Revision, start: date | None, at: date, named: str | None) -> str | None:
    reason = set_aside(revision, start, at)
    if named is None or reason in {"draft", "withdrawn"}:
        return reason
    if named in {revision.revision, revision.id}:
        return None
    return reason or "other revision"


def _collection(name: str, declared: str, seal: int) -> Collection:
    if seal != collection_seal(name, declared):
        raise CorpusDamaged(
            f"what is stored of the collection {name} is not what was written: ingest again with the remit.toml that declares it"
        )
    return Collection.model_validate_json(declared)


def _vectors(row: Sequence[Any], dimension: int | None) -> tuple[str, _Vectors]:
    """Return the id of a passage and its vectors, from a row of PASSAGE and VECTOR."""
    of = row[2].rpartition("#")[0]
    passage = sound_passage(row[:PASSAGE_WIDTH], of)
    _, vector, scale, sentences, scales, _ = sound_vector(row[PASSAGE_WIDTH:], of, dimension)
    return passage.id, _Vectors(vector, scale, sentences, scales)


def _stacked(found: Sequence[_Vectors], dimension: int) -> Quantised:
    scales = np.array([row.scale for row in found], dtype="<f4").tobytes()
    return from_bytes(b"".join(row.vector for row in found), scales, dimension)
