"""A corpus kept in tables, whichever database holds them: what `sqlite` and `postgres` share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path

from remit.contract.catalogue import Catalogue
from remit.corpus.burial import bury
from remit.corpus.declared import declared
from remit.corpus.document import Revision
from remit.corpus.idle import ClosedAtExit
from remit.corpus.ledger import Ledger
from remit.corpus.reembed import Progress, reembed
from remit.corpus.sealing import collection_seal
from remit.corpus.sessions import Session
from remit.corpus.soundness import reading
from remit.corpus.sql_read import SqlReader
from remit.corpus.sql_rows import (
    COLUMNS,
    FROM_LIVE,
    Stored,
    checked_text,
    closings,
    encoder_width,
    newest,
    to_stored,
)
from remit.corpus.sql_write import (
    bucket_of,
    closed_by,
    commit_snapshot,
    insert_metadata,
    insert_passages,
    insert_revision,
    live,
    replaced_by_deleted,
    replaces_in_turn,
)
from remit.corpus.standing import closed
from remit.corpus.storable import check
from remit.corpus.store import NewRevision, Put
from remit.errors import InvalidInput, MissingPrerequisite
from remit.llm.embed import Embed


class SqlCorpus(SqlReader, ClosedAtExit):
    """A record in tables. Each write is one transaction, on disk when the call returns; readers are never held up."""

    @abstractmethod
    def copy_to(self, folder: Path) -> None:
        """Write the record as it stands into a new store folder, as SQLite; what is derived from it is rebuilt."""

    @abstractmethod
    def where(self) -> str:
        """Return where the record is, in words; no user, no password."""

    def faults(self) -> list[str]:
        """Return what else is wrong with the record, beyond its rows."""
        return []

    def tidy(self) -> None:
        """Let the database look at what was written, at the end of much of it, so that it plans by what is there."""

    def close(self) -> None:
        """Close the store's connections."""
        self.connections.close()

    _using: tuple[str, int] | None = None

    @property
    def ledger(self) -> Ledger:
        """Return what ingests have remembered of files."""
        return Ledger(self.connections)

    def use_encoder(self, name: str, dimension: int) -> None:
        """Say which encoder the vectors to come are from; the first one said is the store's.

        Raises:
            MissingPrerequisite: the store holds vectors of another encoder; the two are never mixed.
        """
        with self.connections.writing() as connection:
            if connection.execute("SELECT 1 FROM encoder").fetchone() is None:
                connection.execute("INSERT INTO encoder VALUES (1, ?, ?)", (name, dimension))
            _same_encoder(connection, (name, dimension))
        self._using = (name, dimension)

    def reembed(self, embed: Embed, *, now: datetime, step: Callable[[Progress], None] | None = None) -> int:
        """Give every passage vectors of `embed` in place of those it has; return how many passages that were.

        What was interrupted goes on where it was; until the end the old vectors serve.
        """
        return reembed(self.connections, embed, now=now, step=step)

    def check_encoder(self, name: str, dimension: int) -> None:
        """Go on where queries of this encoder can be compared with what the store holds.

        Raises:
            MissingPrerequisite: the store holds vectors of another encoder; the two are never mixed.
        """
        with self.connections.reading() as connection:
            if connection.execute("SELECT 1 FROM encoder").fetchone() is not None:
                _same_encoder(connection, (name, dimension))

    def stored(self, document: str) -> tuple[Revision, ...]:
        """Return every live revision of a document as declared, for whoever writes; askers read through a Scope."""
        if not self.connections.can_hold(document):
            return ()
        with self.connections.reading() as connection:
            return tuple(stored.revision for stored in live(connection, document))

    def everything(self) -> Iterator[tuple[Revision, str]]:
        """Yield every live revision with its text, its validity closed by what replaces it: for the operator alone."""
        with reading(self.connections) as connection:
            starts = closings(connection, newest(connection).number)
            query = f"SELECT {COLUMNS}, r.text {FROM_LIVE} AND m.removed_in IS NULL ORDER BY r.document, r.revision"
            for row in connection.execute(query).fetchall():
                revision = to_stored(row[:-1]).revision
                yield closed(revision, starts.get(revision.id)), checked_text(row[-1], revision.digest, revision.id)

    def put(self, new: NewRevision, *, now: datetime) -> Put:
        """Store a revision; the same content again changes nothing.

        Raises:
            InvalidInput: the same document and revision is there with another text, or the revision makes no sense.
        """
        revision = new.revision
        with self.connections.writing() as connection:
            if self._using is not None:  # another process may have gone over to another encoder meanwhile
                _same_encoder(connection, self._using)
            number = newest(connection).number + 1
            known = next((s for s in live(connection, revision.document) if s.revision.id == revision.id), None)
            whole = known is None or known.revision.title != revision.title
            check(new, self.connections.can_hold, whole=whole, width=encoder_width(connection) if whole else None)
            if (other := replaces_in_turn(connection, revision)) is not None:
                raise InvalidInput(
                    f"{revision.id} supersedes {other}, which supersedes it: both would be out of force; "
                    "take one of the two out, or ingest the older one anew without it"
                )
            if known is None:
                insert_passages(connection, insert_revision(connection, new, number, now), new)
            elif not _amend(connection, known, new, number, now):
                return Put(revision=revision.id, effect="unchanged")
            closed = closed_by(connection, revision)
            commit_snapshot(connection, {bucket_of(revision.id)}, f"put {revision.id}", now)
        return Put(revision=revision.id, effect="amended" if known else "new", closed=closed)

    def delete(self, document: str, *, now: datetime, revision: str | None = None) -> int:
        """Hide a document, or one revision of it, from every later request; return how many revisions that were.

        Text, passages and vectors are erased. What a deleted revision had replaced stays replaced. One that is not what was
        written is deleted as well: then it can be ingested again.
        """
        if not self.connections.can_hold(document + (revision or "")):
            return 0
        with self.connections.writing() as connection:
            doomed = _live_keys(connection, document, revision)
            if not doomed:
                return 0
            number = newest(connection).number + 1
            touched = {part for key in doomed for part in bury(connection, key, number, now)}
            what = document if revision is None else f"{document}@{revision}"
            commit_snapshot(connection, touched, f"delete {what}", now)
        self.connections.shorten_log()
        return len(doomed)

    def replaced_by_deleted(self) -> dict[str, str]:
        """Return the live revisions that nothing but deleted ones replaces, each with such a one."""
        with reading(self.connections) as connection:
            return replaced_by_deleted(connection)

    def declare(self, catalogue: Catalogue) -> None:
        """Set the collections. This is no part of the snapshot: the rows stay the same."""
        declared = [(c.name, c.model_dump_json()) for c in catalogue.collections]
        rows = [(*row, collection_seal(*row)) for row in declared]
        with self.connections.writing() as connection:
            connection.execute("DELETE FROM collection")
            connection.executemany("INSERT INTO collection (name, declared, seal) VALUES (?, ?, ?)", rows)


def _live_keys(connection: Session, document: str, revision: str | None) -> list[int]:
    query = "SELECT key, revision FROM revision WHERE document = ? AND removed_in IS NULL ORDER BY key"
    return [key for key, name in connection.execute(query, (document,)).fetchall() if revision in {None, name}]


def _same_encoder(connection: Session, wanted: tuple[str, int]) -> None:
    row = connection.execute("SELECT name, dimension FROM encoder").fetchone()
    if row != wanted:
        raise MissingPrerequisite(
            f"this store was encoded by {row[0]} ({row[1]} dimensions), not {wanted[0]} ({wanted[1]}): "
            "configure that encoder, or go over to this one with `remit ingest --re-embed`"
        )


def _amend(connection: Session, known: Stored, new: NewRevision, number: int, now: datetime) -> bool:
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
