"""What a write does inside its transaction: rows in, rows closed, rows purged, and the next snapshot."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from datetime import datetime

from remit.contract.value import digest_of
from remit.corpus.declared import declared
from remit.corpus.document import Revision, Snapshot
from remit.corpus.quantise import Quantised, quantise
from remit.corpus.sealing import HELD, SAID, UNSEALED, held_seal, passage_seal, said_seal, vector_seal
from remit.corpus.sessions import Session
from remit.corpus.sql_rows import COLUMNS, FROM_LIVE, Stored, newest, to_stored
from remit.corpus.store import NewRevision
from remit.llm.embed import Vectors


def live(connection: Session, document: str) -> tuple[Stored, ...]:
    """Return every live revision of a document, as declared, oldest record first."""
    query = f"SELECT {COLUMNS} {FROM_LIVE} AND m.removed_in IS NULL AND r.document = ? ORDER BY r.key"
    return tuple(to_stored(row) for row in connection.execute(query, (document,)))


def insert_revision(connection: Session, new: NewRevision, number: int, now: datetime) -> int:
    """Store a revision with its text and metadata and return its key; an earlier tombstone of that id is lifted."""
    revision = new.revision
    _lift_tombstones(connection, revision, number)
    rows = connection.execute(
        """INSERT INTO revision (document, revision, text, digest, recorded_at, bucket, created_in)
        VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING key""",
        (
            revision.document,
            revision.revision,
            new.text,
            revision.digest,
            now.isoformat(),
            bucket_of(revision.id),
            number,
        ),
    )
    [(key,)] = rows.fetchall()
    insert_metadata(connection, key, revision, number, now)
    return int(key)


def insert_metadata(connection: Session, key: int, revision: Revision, number: int, now: datetime) -> None:
    """Open a metadata row for a revision, closing the one before it, and set its part of the snapshot digest."""
    before = close_metadata(connection, key, number)
    rows = connection.execute(
        """INSERT INTO metadata (revision_key, title, collection, status, valid_from, valid_to, authority, applies_to,
        language, source, recorded_at, created_in) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        RETURNING key""",
        (
            key,
            revision.title,
            revision.collection,
            revision.status,
            revision.valid_from and revision.valid_from.isoformat(),
            revision.valid_to and revision.valid_to.isoformat(),
            revision.authority,
            json.dumps(revision.applies_to, ensure_ascii=False),
            revision.language,
            revision.source,
            now.isoformat(),
            number,
        ),
    )
    [(row,)] = rows.fetchall()
    connection.executemany("INSERT INTO label VALUES (?, ?)", [(row, label) for label in sorted(revision.labels)])
    connection.executemany(
        "INSERT INTO supersession VALUES (?, ?, ?)",
        [(row, position, target) for position, target in enumerate(revision.supersedes)],
    )
    connection.execute("UPDATE revision SET state = ? WHERE key = ?", (digest_of(declared(revision)), key))
    seal_said(connection, [*before, row])
    seal_held(connection, key)


def close_metadata(connection: Session, key: int, number: int) -> list[int]:
    """Close the open metadata row of a revision, and return its key in a list; its sum is still to be written."""
    open_ = "SELECT key FROM metadata WHERE revision_key = ? AND removed_in IS NULL"
    found = [row for (row,) in connection.execute(open_, (key,)).fetchall()]
    connection.executemany("UPDATE metadata SET removed_in = ? WHERE key = ?", [(number, row) for row in found])
    return found


def seal_said(connection: Session, rows: Iterable[int]) -> None:
    """Write the sums of metadata rows, which the caller has just written or has found to be what was written."""
    query = f"SELECT {SAID} FROM metadata m JOIN revision r ON r.key = m.revision_key WHERE m.key = ?"  # noqa: S608 - constants
    for key in rows:
        said = connection.execute(query, (key,)).fetchone()
        connection.execute("UPDATE metadata SET seal = ? WHERE key = ?", (said_seal(said), key))


def seal_held(connection: Session, key: int) -> None:
    """Write the sum of a revision beside all that is said about it."""
    query = f"SELECT {HELD} FROM metadata m JOIN revision r ON r.key = m.revision_key WHERE r.key = ?"  # noqa: S608 - constants
    held = connection.execute(query, (key,)).fetchone()
    connection.execute("UPDATE metadata SET revision_seal = ? WHERE revision_key = ?", (held_seal(held), key))


def insert_passages(connection: Session, key: int, new: NewRevision) -> None:
    """Store the passages and vectors of a revision, in place of any it had."""
    purge_passages(connection, key)
    first = connection.execute("SELECT coalesce(max(key), 0) + 1 FROM passage").fetchone()[0]
    quantised, total = quantise(new.passage_vectors), len(new.passages)
    passages, rows = [], []
    for at, (passage, sentences) in enumerate(zip(new.passages, new.sentence_vectors, strict=True)):
        section = json.dumps(passage.section, ensure_ascii=False)
        spans = (passage.start, passage.end, passage.kind, json.dumps(passage.sentences))
        row = (first + at, key, passage.id, passage.ordinal, section, *spans, total)
        vectors = (first + at, *stored_vectors(quantised, at, sentences))
        passages.append((*row, passage_seal((*row, UNSEALED)), vector_seal((*vectors, UNSEALED))))
        rows.append(vectors)
    connection.executemany(
        """INSERT INTO passage (key, revision_key, id, ordinal, section, start_at, end_at, kind, sentences, total, seal,
        vector_seal) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
        passages,
    )
    connection.executemany("INSERT INTO vector VALUES (?, ?, ?, ?, ?)", rows)


def stored_vectors(whole: Quantised, at: int, sentences: Vectors) -> tuple[bytes, float, bytes, bytes]:
    """Return the columns of a passage's vectors: row `at` of `whole`, and those of its sentences."""
    each = quantise(sentences)
    scales = each.scales.astype("<f4").tobytes()
    return whole.values[at].tobytes(), float(whole.scales[at]), each.values.tobytes(), scales


def purge_passages(connection: Session, key: int | str) -> None:
    """Remove the passages and vectors of a revision."""
    connection.execute(
        "DELETE FROM vector WHERE passage_key IN (SELECT key FROM passage WHERE revision_key = ?)", (key,)
    )
    connection.execute("DELETE FROM passage WHERE revision_key = ?", (key,))


def closed_by(connection: Session, revision: Revision) -> tuple[str, ...]:
    """Return which live revisions this one replaces."""
    if revision.status == "draft":
        return ()
    query = "SELECT 1 FROM revision WHERE document = ? AND revision = ? AND removed_in IS NULL"
    there = [id for id in revision.supersedes if connection.execute(query, id.rpartition("@")[::2]).fetchone()]
    return tuple(sorted(there))


def replaced_by_deleted(connection: Session) -> dict[str, str]:
    """Return the live revisions that nothing but deleted ones replaces, each with such a one; `bury` keeps them replaced."""
    query = """SELECT s.target, r.document || '@' || r.revision, r.removed_in FROM supersession s
        JOIN metadata m ON m.key = s.metadata_key AND m.removed_in IS NULL
        JOIN revision r ON r.key = m.revision_key
        WHERE (m.status IS NULL OR m.status <> 'draft')
        AND s.target IN (SELECT s.target FROM supersession s JOIN metadata m ON m.key = s.metadata_key
            JOIN revision r ON r.key = m.revision_key WHERE r.removed_in IS NOT NULL)
        ORDER BY s.target, r.key"""
    by: dict[str, list[tuple[str, bool]]] = {}
    for target, id, removed in connection.execute(query).fetchall():
        by.setdefault(target, []).append((id, removed is not None))
    query = f"SELECT m.status {FROM_LIVE} AND m.removed_in IS NULL AND r.document = ? AND r.revision = ?"
    found = {}
    for target, ids in by.items():
        row = connection.execute(query, target.rpartition("@")[::2]).fetchone()
        if row is not None and row[0] in {None, "current"} and all(deleted for _, deleted in ids):
            found[target] = ids[-1][0]
    return found


def replaces_in_turn(connection: Session, revision: Revision) -> str | None:
    """Return a live revision that this one replaces and that replaces it; None: none does."""
    if revision.status == "draft":
        return None
    query = """SELECT r.document || '@' || r.revision FROM supersession s
        JOIN metadata m ON m.key = s.metadata_key AND m.removed_in IS NULL
        JOIN revision r ON r.key = m.revision_key AND r.removed_in IS NULL
        WHERE s.target = ? AND (m.status IS NULL OR m.status <> 'draft')"""
    by = {id for (id,) in connection.execute(query, (revision.id,)).fetchall()}
    return min(by & set(revision.supersedes), default=None)


def commit_snapshot(connection: Session, buckets: set[int], what: str, now: datetime) -> Snapshot:
    """Number and digest the state this transaction leaves. `buckets` are those whose revisions it touched."""
    for bucket in buckets:
        states = connection.execute(
            "SELECT state FROM revision WHERE bucket = ? AND state IS NOT NULL ORDER BY state", (bucket,)
        ).fetchall()
        connection.execute("DELETE FROM bucket WHERE number = ?", (bucket,))
        if states:
            connection.execute("INSERT INTO bucket VALUES (?, ?)", (bucket, digest_of([state for (state,) in states])))
    digests = connection.execute("SELECT number, digest FROM bucket ORDER BY number").fetchall()
    snapshot = Snapshot(number=newest(connection).number + 1, digest=digest_of(digests))
    connection.execute(
        "INSERT INTO snapshot VALUES (?, ?, ?, ?)", (snapshot.number, snapshot.digest, now.isoformat(), what)
    )
    return snapshot


def bucket_of(id: str) -> int:
    """Return in which of 256 parts of the snapshot digest a revision id lies."""
    return hashlib.sha256(id.encode("utf-8", "surrogatepass")).digest()[0]


def _lift_tombstones(connection: Session, revision: Revision, number: int) -> None:
    # The revision is told anew: what its deleted namesake had replaced is from now on for the new one to say.
    query = "SELECT key FROM revision WHERE document = ? AND revision = ? AND removed_in IS NOT NULL"
    for (key,) in connection.execute(query, (revision.document, revision.revision)).fetchall():
        closed = close_metadata(connection, key, number)
        connection.execute("UPDATE revision SET state = NULL WHERE key = ?", (key,))
        seal_said(connection, closed)
        seal_held(connection, key)
