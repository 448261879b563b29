"""What a plan can reach: one scope, one snapshot, the revisions the contract wants. Nothing here can be widened."""

from __future__ import annotations

from typing import NamedTuple

from remit.access.scope import Filters, Scope
from remit.contract.budget import Cost
from remit.contract.contract import RevisionWanted
from remit.corpus.document import Snapshot
from remit.repair.planner import State, Synonym
from remit.retrieve.retriever import Hit, Retriever, Search


class Found(NamedTuple):
    """Hits inside the scope and the filters, and how many rows a search gave back that were not."""

    hits: tuple[Hit, ...]
    refused: int


class Queries(NamedTuple):
    """Queries in place of one, by which definitions, and at what cost; no texts where nothing could be made of it.

    With `blanks`, ``#1`` in a text stands for the answer to the first of them.
    """

    texts: tuple[str, ...]
    synonyms: tuple[Synonym, ...] = ()
    cost: Cost = Cost()
    blanks: bool = False


class Reach(NamedTuple):
    """Where rewriters, decomposers and refiners may look."""

    scope: Scope
    snapshot: Snapshot
    wanted: RevisionWanted
    language: str

    @classmethod
    def of(cls, state: State) -> Reach:
        """Return the reach of a state."""
        return cls(state.scope, state.snapshot, state.contract.wanted, state.contract.language)

    def search(self, retriever: Retriever, query: str, k: int, filters: Filters) -> Found:
        """Return at most `k` hits. What a retriever hands out against scope or filters goes no further."""
        candidates = retriever.search(Search(query, k, self.wanted, filters), self.scope, self.snapshot)
        kept = tuple(hit for hit in candidates.hits if self._admits(hit, filters))
        return Found(kept[:k], len(candidates.hits) - len(kept))

    def _admits(self, hit: Hit, filters: Filters) -> bool:
        source = hit.source
        return (
            self.scope.admits(source.labels, source.collection, source.document)
            and (filters.collections is None or source.collection in filters.collections)
            and (filters.documents is None or source.document in filters.documents)
        )
