"""Documents, revisions and passages: what a store holds."""

from __future__ import annotations

from datetime import date, datetime
from typing import Literal, NamedTuple

from remit.contract.value import DocumentText, Value

Status = Literal["draft", "current", "superseded", "withdrawn"]
Authority = Literal["authoritative", "informative"]


class Span(NamedTuple):
    """Code points ``start`` to ``end`` (exclusive) of a revision's stored NFC text."""

    start: int
    end: int


class Revision(Value):
    """One revision of a document: who may read it, when it holds, what it replaces.

    `status` and both dates are None where the source did not say; `labels` is empty where nobody may read it.
    `applies_to` maps a key such as ``equipment_revision`` to the values it holds for. `digest` is that of the text.
    """

    document: str
    revision: str
    title: str
    collection: str
    labels: frozenset[str]
    status: Status | None = None
    valid_from: date | None = None
    valid_to: date | None = None
    supersedes: tuple[str, ...] = ()
    authority: Authority = "informative"
    applies_to: tuple[tuple[str, tuple[str, ...]], ...] = ()
    language: str = "en"
    source: str = ""
    digest: str
    recorded_at: datetime

    @property
    def id(self) -> str:
        """Return ``document@revision``."""
        return f"{self.document}@{self.revision}"

    @property
    def undated(self) -> bool:
        """Say whether the source left out both status and validity."""
        return self.status is None and self.valid_from is None and self.valid_to is None


class Passage(Value):
    """A stretch of a revision's text under one heading path; `sentences` are the spans inside it, in order.

    `section` is the heading path. For table rows `sentences` holds one span a row and `columns` the header, so that a
    row can be read without the rest of the table.
    """

    id: str
    document: str
    revision: str
    ordinal: int
    section: tuple[str, ...]
    start: int
    end: int
    text: DocumentText
    sentences: tuple[Span, ...] = ()
    kind: Literal["prose", "table"] = "prose"

    @property
    def revision_id(self) -> str:
        """Return ``document@revision``."""
        return f"{self.document}@{self.revision}"

    def quote(self, span: Span) -> str:
        """Return the text at a span of the revision that lies inside this passage."""
        return self.text[span.start - self.start : span.end - self.start]


class Snapshot(Value):
    """A numbered state of the corpus. Equal content has equal digests, whatever the order of arrival."""

    number: int
    digest: str


def encodable(text: str) -> bool:
    """Say whether a text can be asked for: half a surrogate pair names nothing."""
    return not any("\ud800" <= character <= "\udfff" for character in text)
