"""The port to a corpus: put a revision, read rows through a scope at a snapshot."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from typing import NamedTuple, Protocol

from remit.access.scope import Scope
from remit.contract.catalogue import Catalogue
from remit.contract.value import Value
from remit.corpus.document import Passage, Revision, Snapshot
from remit.corpus.quantise import Quantised
from remit.llm.embed import Vectors


class NewRevision(NamedTuple):
    """A revision on its way in: its text in NFC, its passages, and for each passage and each of its sentences a vector."""

    revision: Revision
    text: str
    passages: tuple[Passage, ...]
    passage_vectors: Vectors
    sentence_vectors: tuple[Vectors, ...]


class Row(NamedTuple):
    """A passage together with the revision it belongs to."""

    passage: Passage
    source: Revision


class Named(NamedTuple):
    """A document that is there, by its id, the collection that owns it, and whether a scope opens it."""

    document: str
    collection: str
    readable: bool


class Put(Value):
    """What a write did: `new` revision, `unchanged`, or `amended` (same text; labels, status or dates changed)."""

    revision: str
    effect: str
    closed: tuple[str, ...] = ()


class Readable(NamedTuple):
    """What a scope opens: rows valid for the contract, and rows set aside with the reason each was."""

    rows: tuple[Row, ...]
    set_aside: tuple[tuple[Row, str], ...]


class Corpus(Protocol):
    """A store of revisions. Every read takes a Scope; nothing outside it is returned, counted or scored."""

    def snapshot(self) -> Snapshot:
        """Return the newest committed state."""

    def catalogue(self) -> Catalogue:
        """Return the collections as declared."""

    def readable(self, scope: Scope, *, at: date, named: str | None, snapshot: Snapshot) -> Readable:
        """Return the rows the scope opens, as they stand `at` a date, and those set aside with the reason.

        The reasons are draft, withdrawn, superseded, expired and future. With `named`, the rows of the revision of that
        name (also as ``document@revision``) are returned whatever their dates, but no draft and nothing withdrawn; the
        rest is set aside, as "other revision" where no reason of its own applies.
        """

    def revisions(self, document: str, scope: Scope, *, snapshot: Snapshot) -> tuple[Revision, ...]:
        """Return the revisions of a document that the scope opens, in order of their validity."""

    def named(self, name: str, scope: Scope) -> tuple[Named, ...]:
        """Return the documents whose id is `name` in any case of its ASCII letters, and which of them the scope opens.

        The one read beyond a scope. `corpus.known` keeps what must not be known, the last verification tells a deleted
        document from one whose label has gone, and whoever runs the service sees in a queue what a question named; nothing
        else may ask.
        """

    def opens(self, collection: str, scope: Scope) -> bool:
        """Say whether the scope opens any revision of a collection."""

    def text(self, revision: str, scope: Scope) -> str | None:
        """Return the live stored text of ``document@revision``, or None where there is none inside the scope."""

    def vectors(self, passages: Sequence[str], scope: Scope) -> tuple[Vectors, tuple[Vectors, ...]]:
        """Return for passages by id their vectors (one row each) and the vectors of their sentences.

        Raises:
            NothingThere: a passage is not there, or lies outside the scope.
        """

    def matrix(self, passages: Sequence[str], scope: Scope) -> Quantised:
        """Return the vectors of passages as stored, small integers and one scale a row, in the order given.

        Raises:
            NothingThere: a passage is not there, or lies outside the scope.
        """


class WritableCorpus(Corpus, Protocol):
    """A corpus that ingest can write. Each write is one transaction: it is there whole after a crash, or not at all."""

    def put(self, new: NewRevision, *, now: datetime) -> Put:
        """Store a revision; the same content again changes nothing.

        An amendment that keeps the title may leave passages and vectors out: those that are there stay.

        Raises:
            InvalidInput: the same document and revision is there with another text.
        """

    def stored(self, document: str) -> tuple[Revision, ...]:
        """Return every live revision of a document as declared: for whoever writes, never for an asker."""

    def use_encoder(self, name: str, dimension: int) -> None:
        """Say which encoder the vectors to come are from.

        Raises:
            MissingPrerequisite: the store holds vectors of another encoder; the two are never mixed.
        """

    def delete(self, document: str, *, now: datetime, revision: str | None = None) -> int:
        """Hide a document, or one revision of it, from every later request; return how many revisions that were."""

    def replaced_by_deleted(self) -> dict[str, str]:
        """Return the live revisions that nothing but deleted ones replaces, each with such a one: for whoever writes.

        What a deleted revision had replaced stays out of force, lest obsolete text come back by itself.
        """

    def declare(self, catalogue: Catalogue) -> None:
        """Set the collections."""
