"""Vanilla RAG: retrieve, answer once. With a reranker: retrieve more, let it choose, answer once.

Faithful: both. The published tables give baselines the top 10; `k` says how many here, and a second table gives them as many
candidates as the reranker sees.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from remit.answer.draft import Draft
from remit.baselines.system import Need
from remit.baselines.work import Work
from remit.rerank.ranking import Reranker


@dataclass(frozen=True, slots=True)
class Vanilla:
    """Answers once from the first `k` passages found."""

    k: int = 10
    paper: str = "Lewis et al. (2020), Retrieval-Augmented Generation for Knowledge-Intensive NLP Tasks"

    @property
    def name(self) -> str:
        """Its name with k."""
        return f"vanilla k={self.k}"

    @property
    def needs(self) -> frozenset[Need]:
        """Nothing beyond the common parts."""
        return frozenset()

    def answer(self, work: Work) -> Draft:
        """Return the draft from the first passages."""
        return work.draft(work.search(work.question, self.k))


@dataclass(frozen=True, slots=True)
class Reranked:
    """Answers once from what a reranker keeps of `depth` candidates, `k` at most."""

    reranker: Reranker = field(repr=False)
    label: str = "vanilla+reranker"
    depth: int = 45
    k: int = 10
    paper: str = ""

    @property
    def name(self) -> str:
        """Its label with k; the reranker's own name stands in the run card."""
        return f"{self.label} k={self.k}"

    @property
    def needs(self) -> frozenset[Need]:
        """Nothing beyond the common parts."""
        return frozenset()

    def answer(self, work: Work) -> Draft:
        """Return the draft from the passages chosen."""
        return work.draft(work.reranked(self.reranker, self.depth)[: self.k])
