"""What cases are made of: the documents of a store as they stand, and the changes that a case asks of a copy of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any, Final, NamedTuple

from remit.cases.swap import holds
from remit.contract.terms import content_terms, term_set
from remit.corpus.document import Revision
from remit.corpus.sentences import sentences
from remit.measure.text import normalised

_SHARED: Final = 0.5
"""Share of the question's words from which a document that holds the answer may support it."""
_LONG_AGO: Final = date(2000, 1, 1)


class Document(NamedTuple):
    """The revision of a document that holds now, and its text."""

    revision: Revision
    text: str


@dataclass(frozen=True)
class Changes:
    """What has to be done to a copy of a store: documents to delete, and lines to ingest over it, ours in JSONL."""

    delete: list[str] = field(default_factory=list)
    lines: list[dict[str, Any]] = field(default_factory=list)

    def add(self, other: Changes) -> None:
        """Take over what another one asks."""
        self.delete.extend(one for one in other.delete if one not in self.delete)
        self.lines.extend(one for one in other.lines if one not in self.lines)


class Material:
    """The documents of a store, and which of them could support an answer."""

    def __init__(self, documents: Mapping[str, Document], gold: Iterable[str]) -> None:
        """Take the documents by id, and the ids of all that are gold for some question."""
        self.documents = documents
        self._gold = frozenset(gold)
        self._plain = {id: f" {normalised(one.text)} " for id, one in documents.items()}

    def beside(self, question: str, golden: Sequence[str], gold: Sequence[str]) -> tuple[str, ...] | None:
        """Return the documents beside `gold` that may support the answer too; None where one is gold of another question."""
        asked = frozenset(term.term for term in content_terms(question))
        wanted = [f" {answer} " for answer in map(normalised, golden) if answer]
        found = []
        for id, plain in self._plain.items():
            if id in gold or not any(answer in plain for answer in wanted):
                continue
            one = self.documents[id]
            said = term_set(f"{one.revision.title} {one.text}", one.revision.language)
            if asked and len(asked & said) >= _SHARED * len(asked):
                found.append(id)
        return None if self._gold.intersection(found) else tuple(found)


def bearing(documents: Sequence[Document], golden: Sequence[str]) -> Document | None:
    """Return the document that holds a golden answer, or None."""
    return next((one for one in documents if holds(one.text, golden)), None)


def terse(text: str, answer: str) -> str:
    """Return the sentence that holds the answer, with the one after it: what a short replacement says."""
    spans = sentences(text, 0, len(text))
    place = next((n for n, span in enumerate(spans) if answer.casefold() in text[span.start : span.end].casefold()), 0)
    chosen = spans[place : place + 2]
    return text[chosen[0].start : chosen[-1].end] if chosen else text


def line_of(revision: Revision, text: str, /, **changed: object) -> dict[str, Any]:
    """Return the JSONL line that makes a revision as it is, but for what is changed; None takes a field away."""
    said: dict[str, Any] = {
        "document": revision.document,
        "revision": revision.revision,
        "title": revision.title,
        "collection": revision.collection,
        "labels": sorted(revision.labels),
        "status": revision.status,
        "valid_from": _day(revision.valid_from),
        "valid_to": _day(revision.valid_to),
        "supersedes": list(revision.supersedes) or None,
        "authority": revision.authority,
        "applies_to": {key: list(values) for key, values in revision.applies_to} or None,
        "language": revision.language,
        **changed,
    }
    return {**{key: value for key, value in said.items() if value is not None}, "text": text}


def body(document: Document) -> str:
    """Return a text without the title that it opens with: a new document says its title apart."""
    title = document.revision.title.strip()
    head, _, rest = document.text.partition("\n")
    return rest.lstrip() if title and rest.strip() and head.strip(" #*") == title else document.text


def next_day(revision: Revision) -> str:
    """Return a day after which a replacement of a revision can hold, long past unless the revision itself is recent."""
    return ((revision.valid_from or _LONG_AGO) + timedelta(days=1)).isoformat()


def _day(day: date | None) -> str | None:
    return None if day is None else day.isoformat()
