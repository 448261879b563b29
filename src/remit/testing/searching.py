"""A retriever together with the corpus it searches, asked in one line."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Literal, NamedTuple

from remit.access.scope import Filters, Scope
from remit.contract.contract import RevisionWanted
from remit.corpus.document import Snapshot
from remit.corpus.store import NewRevision, WritableCorpus
from remit.retrieve.retriever import Candidates, Retriever, Search
from remit.testing.build import TODAY, new, scope_of

EVERYTHING = 45
STAFF = scope_of("staff")


class Searching(NamedTuple):
    """A retriever, and the corpus it searches."""

    retriever: Retriever
    corpus: WritableCorpus

    def find(
        self,
        query: str,
        k: int = EVERYTHING,
        *,
        scope: Scope = STAFF,
        at: date = TODAY,
        named: str | None = None,
        filters: Filters | None = None,
        snapshot: Snapshot | None = None,
    ) -> Candidates:
        """Return what is found, at the newest snapshot where none is given."""
        search = Search(query, k, RevisionWanted(at=at, named=named), filters or Filters())
        return self.retriever.search(search, scope, snapshot or self.corpus.snapshot())


Leg = Literal["lexical", "dense"]
Make = Callable[..., Searching]
"""Makes a retriever over the revisions it is given, in that order."""


def has_leg(made: Searching, leg: Leg) -> bool:
    """Say whether an engine over `several` searches by words, or by vectors, at all."""
    return any(getattr(hit, leg) is not None for hit in made.find("bolts").hits)


def passages_of(found: Candidates) -> list[str]:
    """Return the ids of the passages found, best first."""
    return [hit.passage.id for hit in found.hits]


def documents_of(found: Candidates) -> list[str]:
    """Return the documents found, best first."""
    return [hit.source.document for hit in found.hits]


def told(found: Candidates) -> Candidates:
    """Return all that a search says but the state it was made at: what may not depend on hidden rows."""
    return found.model_copy(update={"snapshot": Snapshot(number=0, digest="any")})


def several() -> tuple[NewRevision, ...]:
    """Return eight documents for staff that differ in words, length, language, title and headings."""
    return (
        new("torque", "1", "Tighten the flange bolts of P-101/B to 45 Nm.", "Check every bolt twice.", title="Torque"),
        new("seals", "1", "Replace the seals of the pump each year.", section=("Pump", "Seals")),
        new("bolts", "1", "Bolts, bolts and more bolts: a bolt is a bolt."),
        new("leave", "1", "Annual leave is 20 days from 1 July 2026.", collection="rules"),
        new("long", "1", "The pump runs day and night. " * 12 + "Its bolt is marked."),
        new("poem", "1", "举头望明月 低头思故乡。", language="zh"),
        new("trip", "1", "서울에서 부산까지 기차로 간다.", language="ko"),
        new("menu", "1", "Das Café öffnet für müde Gäste.", language="de"),
    )
