"""Revisions, passages, scopes and hits from a few words, and an encoder that needs no weights: material for any test."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime
from typing import Any, Final

from remit.access.scope import Scope
from remit.contract.contract import Contract, RevisionWanted
from remit.contract.value import text_digest
from remit.corpus.document import Passage, Revision, Snapshot, Span
from remit.corpus.store import NewRevision, Readable, Row, WritableCorpus
from remit.llm.scripted import HashedWords
from remit.retrieve.retriever import Candidates, Hit

NOW: Final = datetime(2026, 11, 30, 12, tzinfo=UTC)
TODAY: Final = NOW.date()
EMBED: Final = HashedWords(32)
"""The encoder of all rows made here: a retriever under test has to encode its queries with it."""


def revision(document: str, name: str = "1", *lines: str, **fields: Any) -> Revision:
    """Return a revision that holds today and that `staff` may read, where `fields` do not say otherwise."""
    whole: dict[str, Any] = {
        "title": document,
        "collection": "books",
        "labels": ["staff"],
        "status": "current",
        "digest": text_digest("\n".join(lines)),
        "recorded_at": NOW,
    }
    return Revision.model_validate({"document": document, "revision": name, **whole, **fields})


def passages(source: Revision, *lines: str, section: tuple[str, ...] = ()) -> tuple[Passage, ...]:
    """Return one passage a line, each of one sentence, with their spans in the lines joined by line ends."""
    found, start = [], 0
    for ordinal, line in enumerate(lines):
        end = start + len(line)
        passage = Passage(
            id=f"{source.id}#{ordinal}",
            document=source.document,
            revision=source.revision,
            ordinal=ordinal,
            section=section,
            start=start,
            end=end,
            text=line,
            sentences=(Span(start, end),),
        )
        found.append(passage)
        start = end + 1
    return tuple(found)


def new(document: str, name: str = "1", *lines: str, section: tuple[str, ...] = (), **fields: Any) -> NewRevision:
    """Return a revision on its way in, one passage a line; where there is no line, one that names it."""
    lines = lines or (f"What {document}@{name} says.",)
    source = revision(document, name, *lines, **fields)
    made = passages(source, *lines, section=section)
    whole = EMBED.embed([f"{source.title} {line}" for line in lines])
    return NewRevision(source, "\n".join(lines), made, whole, tuple(EMBED.embed([line]) for line in lines))


def amended(put: NewRevision, **fields: Any) -> NewRevision:
    """Return the same text with other labels, status or dates; passages and vectors are left out, as they may be."""
    source = Revision.model_validate({**put.revision.model_dump(), **fields})
    return NewRevision(source, put.text, (), put.passage_vectors[:0], ())


def fill(corpus: WritableCorpus, *revisions: NewRevision, now: datetime = NOW) -> None:
    """Put revisions into a corpus, in order, as encoded by `EMBED`."""
    corpus.use_encoder(EMBED.name, EMBED.dimension)
    for one in revisions:
        corpus.put(one, now=now)


def scope_of(*labels: str, **narrowed: Iterable[str]) -> Scope:
    """Return the scope of someone with these labels, narrowed to `collections` or `documents` where they are given."""
    parts = {name: frozenset(values) for name, values in narrowed.items()}
    return Scope.model_validate({"principal": "someone", "labels": frozenset(labels), "policy": "given", **parts})


def read(
    corpus: WritableCorpus,
    scope: Scope,
    *,
    at: date = TODAY,
    named: str | None = None,
    snapshot: Snapshot | None = None,
) -> Readable:
    """Return what a scope sees, at the newest snapshot where none is given."""
    return corpus.readable(scope, at=at, named=named, snapshot=snapshot or corpus.snapshot())


def ids(rows: Iterable[Row]) -> list[str]:
    """Return the passage ids of rows."""
    return [row.passage.id for row in rows]


def reasons(readable: Readable) -> dict[str, str]:
    """Return why each revision was set aside."""
    return {row.source.id: why for row, why in readable.set_aside}


def contract_of(question: str, *, at: date = TODAY, **fields: Any) -> Contract:
    """Return the contract of a question that owes no particular fact, where `fields` do not say otherwise."""
    whole: dict[str, Any] = {"facts": (), "wanted": RevisionWanted(at=at), "form": "text"}
    return Contract.model_validate({"framing": "given", "question": question, "claim": question, **whole, **fields})


def hits_of(*texts: str, **fields: Any) -> tuple[Hit, ...]:
    """Return hits, best first, each on a document of its own: `D0` holds the first text."""
    made = []
    for number, text in enumerate(texts):
        source = revision(f"D{number}", "1", text, **fields)
        score = 1.0 - number / (len(texts) + 1)
        made.append(Hit(passage=passages(source, text)[0], source=source, score=score, lexical=score, dense=score))
    return tuple(made)


def candidates_of(hits: Sequence[Hit]) -> Candidates:
    """Return what a search gives that finds these hits."""
    snapshot = Snapshot(number=1, digest=text_digest("one"))
    return Candidates(hits=tuple(hits), readable=len(hits), visible=len(hits), snapshot=snapshot)
