"""The corpus in one SQLite file: the record that everything else is derived from."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np

from remit.access.principal import clean_label
from remit.contract.catalogue import Catalogue
from remit.contract.value import text_digest
from remit.corpus.connections import STORE_FILE, open_connections
from remit.corpus.declared import declared
from remit.corpus.document import Passage, Revision, encodable
from remit.corpus.ledger import Ledger
from remit.corpus.reembed import Progress, reembed
from remit.corpus.sqlite_read import (
    COLUMNS,
    FROM_LIVE,
    SqliteReader,
    Stored,
    closings,
    encoder_width,
    newest,
    to_stored,
)
from remit.corpus.sqlite_write import (
    bucket_of,
    bury,
    closed_by,
    commit_snapshot,
    insert_metadata,
    insert_passages,
    insert_revision,
    live,
)
from remit.corpus.standing import closed
from remit.corpus.store import NewRevision, Put
from remit.errors import InvalidInput, MissingPrerequisite
from remit.llm.embed import Embed


class SqliteCorpus(SqliteReader):
    """A store folder. Each write is one transaction, on disk when the call returns; readers are never held up."""

    @classmethod
    def open(cls, folder: Path, *, create: bool = False) -> Self:
        """Return the corpus of the store in `folder`; it is made where it is missing only if `create` says so.

        Raises:
            NothingThere: there is no store.
            InvalidInput: the folder is a file, or holds another program's database.
            MissingPrerequisite: a newer Remit wrote it, or it cannot be read and written.
            CorpusDamaged: the file is no database.
        """
        return cls(open_connections(folder, create=create))

    def close(self) -> None:
        """Close the store's files."""
        self._connections.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    _using: tuple[str, int] | None = None

    @property
    def ledger(self) -> Ledger:
        """Return what ingests have remembered of files."""
        return Ledger(self._connections)

    def use_encoder(self, name: str, dimension: int) -> None:
        """Say which encoder the vectors to come are from; the first one said is the store's.

        Raises:
            MissingPrerequisite: the store holds vectors of another encoder; the two are never mixed.
        """
        with self._connections.writing() as connection:
            if connection.execute("SELECT 1 FROM encoder").fetchone() is None:
                connection.execute("INSERT INTO encoder VALUES (1, ?, ?)", (name, dimension))
            _same_encoder(connection, (name, dimension))
        self._using = (name, dimension)

    def reembed(self, embed: Embed, *, now: datetime, step: Callable[[Progress], None] | None = None) -> int:
        """Give every passage vectors of `embed` in place of those it has; return how many passages that were.

        What was interrupted goes on where it was; until the end the old vectors serve.
        """
        return reembed(self._connections, embed, now=now, step=step)

    def check_encoder(self, name: str, dimension: int) -> None:
        """Go on where queries of this encoder can be compared with what the store holds.

        Raises:
            MissingPrerequisite: the store holds vectors of another encoder; the two are never mixed.
        """
        with self._connections.reading() as connection:
            if connection.execute("SELECT 1 FROM encoder").fetchone() is not None:
                _same_encoder(connection, (name, dimension))

    def stored(self, document: str) -> tuple[Revision, ...]:
        """Return every live revision of a document as declared, for whoever writes; askers read through a Scope."""
        if not encodable(document):
            return ()
        with self._connections.reading() as connection:
            return tuple(stored.revision for stored in live(connection, document))

    def everything(self) -> Iterator[tuple[Revision, str]]:
        """Yield every live revision with its text, its validity closed by what replaces it: for the operator alone."""
        with self._connections.reading() as connection:
            starts = closings(connection, newest(connection).number)
            query = f"SELECT {COLUMNS}, r.text {FROM_LIVE} AND m.removed_in IS NULL ORDER BY r.document, r.revision"
            for row in connection.execute(query).fetchall():
                revision = to_stored(row[:-1]).revision
                yield closed(revision, starts.get(revision.id)), str(row[-1])

    def copy_to(self, folder: Path) -> None:
        """Write the record as it stands into a new store folder; what is derived from it is rebuilt or copied beside it."""
        folder.mkdir(mode=0o700, parents=True)
        with self._connections.reading() as connection, closing(sqlite3.connect(folder / STORE_FILE)) as target:
            connection.backup(target)

    def put(self, new: NewRevision, *, now: datetime) -> Put:
        """Store a revision; the same content again changes nothing.

        Raises:
            InvalidInput: the same document and revision is there with another text, or the revision makes no sense.
        """
        revision = new.revision
        with self._connections.writing() as connection:
            if self._using is not None:  # another process may have gone over to another encoder meanwhile
                _same_encoder(connection, self._using)
            number = newest(connection).number + 1
            known = next((s for s in live(connection, revision.document) if s.revision.id == revision.id), None)
            whole = known is None or known.revision.title != revision.title
            check(new, whole=whole, width=encoder_width(connection) if whole else None)
            if known is None:
                insert_passages(connection, insert_revision(connection, new, number, now), new)
            elif not _amend(connection, known, new, number, now):
                return Put(revision=revision.id, effect="unchanged")
            closed = closed_by(connection, revision)
            commit_snapshot(connection, {bucket_of(revision.id)}, f"put {revision.id}", now)
        return Put(revision=revision.id, effect="amended" if known else "new", closed=closed)

    def delete(self, document: str, *, now: datetime, revision: str | None = None) -> int:
        """Hide a document, or one revision of it, from every later request; return how many revisions that were.

        Text, passages and vectors are erased. What a deleted revision had replaced stays replaced.
        """
        if not encodable(document + (revision or "")):
            return 0
        with self._connections.writing() as connection:
            doomed = [s for s in live(connection, document) if revision in {None, s.revision.revision}]
            if not doomed:
                return 0
            number = newest(connection).number + 1
            for stored in doomed:
                bury(connection, stored, number)
            what = document if revision is None else f"{document}@{revision}"
            commit_snapshot(connection, {bucket_of(s.revision.id) for s in doomed}, f"delete {what}", now)
        self._connections.shorten_log()
        return len(doomed)

    def declare(self, catalogue: Catalogue) -> None:
        """Set the collections. This is no part of the snapshot: the rows stay the same."""
        rows = [(c.name, c.model_dump_json()) for c in catalogue.collections]
        with self._connections.writing() as connection:
            connection.execute("DELETE FROM collection")
            connection.executemany("INSERT INTO collection VALUES (?, ?)", rows)


def _same_encoder(connection: sqlite3.Connection, wanted: tuple[str, int]) -> None:
    row = connection.execute("SELECT name, dimension FROM encoder").fetchone()
    if row != wanted:
        raise MissingPrerequisite(
            f"this store was encoded by {row[0]} ({row[1]} dimensions), not {wanted[0]} ({wanted[1]}): "
            "configure that encoder, or go over to this one with `remit ingest --re-embed`"
        )


def _amend(connection: sqlite3.Connection, known: Stored, new: NewRevision, number: int, now: datetime) -> bool:
    revision = new.revision
    if known.revision.digest != revision.digest:
        raise InvalidInput(
            f"revision {revision.revision} of {revision.document} is already there with other text: "
            "give it a new revision"
        )
    if declared(known.revision) == declared(revision):
        return False
    insert_metadata(connection, known.key, revision, number, now)
    if known.revision.title != revision.title:
        insert_passages(connection, known.key, new)  # passages are encoded together with the title
    return True


def check(new: NewRevision, *, whole: bool, width: int | None) -> None:
    """Go on where a revision can be stored as it is; `whole`: with its passages, and vectors of the store's `width`.

    Raises:
        InvalidInput: an id, a label, the digest, a passage's offsets or a vector are wrong.
        MissingPrerequisite: no encoder was named whose vectors these are.
    """
    revision = new.revision
    if whole and width is None:
        raise MissingPrerequisite("the store does not know its encoder yet; call use_encoder(name, dimension) first")
    faults = _wrong_ids(revision)
    if not all(map(encodable, (new.text, revision.title, revision.collection, revision.source, *revision.labels))):
        faults.append("its text, title, source or a label holds half a surrogate pair")
        raise InvalidInput(f"{revision.id!a} cannot be stored: {faults[0]}")
    if text_digest(new.text) != revision.digest:
        faults.append("its digest is not that of its text")
    if faults := [*faults, *(_wrong_parts(new, width or 0) if whole else ())]:
        raise InvalidInput(f"{revision.id} cannot be stored: {faults[0]}")


def _wrong_ids(revision: Revision) -> list[str]:
    faults = [
        f"{field} {value!r} is blank or holds '@', '#' or a control character"
        for field, value in (("document", revision.document), ("revision", revision.revision))
        if not value.strip() or any(c in "@#" or not c.isprintable() for c in value)
    ]
    faults += [
        f"label {name!r} grants nothing" for name in revision.labels if clean_label(name) != name or name in {"", "*"}
    ]
    if not revision.collection.strip() or revision.collection == "*":
        faults.append(f"collection {revision.collection!r} is no name")
    if revision.id in revision.supersedes:
        faults.append("it supersedes itself")
    if revision.valid_from and revision.valid_to and revision.valid_to < revision.valid_from:
        faults.append("valid_to is before valid_from")
    return faults


def _wrong_parts(new: NewRevision, width: int) -> list[str]:
    faults = []
    several = (new.passage_vectors, *(vectors for vectors in new.sentence_vectors if len(vectors)))
    if any(vectors.ndim != 2 or vectors.shape[1] != width for vectors in several):  # noqa: PLR2004 - rows and columns
        return [f"its vectors are not {width} wide, as those of the store's encoder are"]
    if not all(np.isfinite(vectors).all() for vectors in several):
        faults.append("a vector holds something that is no number")
    if not new.passages:
        faults.append("it has no passages")
    if len(new.passage_vectors) != len(new.passages) or len(new.sentence_vectors) != len(new.passages):
        faults.append("it does not have one vector, and one set of sentence vectors, for each passage")
    faults += [f"passage {p.id} is not the text at its span" for p in new.passages if not _in_place(p, new)]
    faults += [
        f"passage {p.id} does not have one vector for each sentence"
        for p, vectors in zip(new.passages, new.sentence_vectors, strict=False)
        if len(vectors) != len(p.sentences)
    ]
    return faults


def _in_place(passage: Passage, new: NewRevision) -> bool:
    return (
        passage.id == f"{new.revision.id}#{passage.ordinal}"
        and passage.revision_id == new.revision.id
        and new.text[passage.start : passage.end] == passage.text
        and all(passage.start <= s.start <= s.end <= passage.end for s in passage.sentences)
    )
