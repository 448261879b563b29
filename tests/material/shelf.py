"""Revisions made from lines of text, ready to be put into a store: one passage a line."""

from __future__ import annotations

from datetime import UTC, date, datetime

from hashing import HashingEmbed

from remit.access.scope import Scope
from remit.contract.value import text_digest
from remit.corpus.document import Passage, Revision, Span
from remit.corpus.opening import open_corpus
from remit.corpus.sql import SqlCorpus
from remit.corpus.store import NewRevision

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
TODAY = NOW.date()
EMBED = HashingEmbed()


def scope_of(*labels: str, **narrowed: frozenset[str]) -> Scope:
    """Return a scope that holds these labels."""
    return Scope(principal="t", labels=frozenset(labels), policy="t", **narrowed)


def new(document: str = "D", revision: str = "1", text: str = "One line.", **fields) -> NewRevision:
    """Return a revision with one passage for each line of `text`, readable by `staff` if not said otherwise."""
    whole = {
        "title": document,
        "collection": "books",
        "labels": ["staff"],
        "status": "current",
        "digest": text_digest(text),
        "recorded_at": NOW,
    }
    source = Revision.model_validate({"document": document, "revision": revision, **whole, **fields})
    passages, start = [], 0
    for ordinal, line in enumerate(text.split("\n")):
        end = start + len(line)
        passage = Passage(
            id=f"{source.id}#{ordinal}",
            document=document,
            revision=revision,
            ordinal=ordinal,
            section=("Part",),
            start=start,
            end=end,
            text=line,
            sentences=(Span(start, end),),
        )
        passages.append(passage)
        start = end + 1
    vectors = EMBED.embed([passage.text for passage in passages])
    return NewRevision(source, text, tuple(passages), vectors, tuple(vectors[i : i + 1] for i in range(len(passages))))


def filled(folder, *revisions: NewRevision, database=None) -> SqlCorpus:
    """Return an open store with these revisions in it; `database` is where its record is, if it is not a file."""
    corpus = open_corpus(folder, database, create=True)
    corpus.use_encoder(EMBED.name, EMBED.dimension)
    for revision in revisions:
        corpus.put(revision, now=NOW)
    return corpus


def seen(corpus, scope: Scope, at: date = TODAY, named: str | None = None, snapshot=None):
    """Return the ids of the visible passages, and of those set aside with the reason."""
    readable = corpus.readable(scope, at=at, named=named, snapshot=snapshot or corpus.snapshot())
    return [row.passage.id for row in readable.rows], {row.passage.id: why for row, why in readable.set_aside}
