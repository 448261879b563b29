"""The baseline reranker: the retriever's order, cut at a score relative to the best and at a number."""

from __future__ import annotations

from remit.access.scope import Scope
from remit.contract.budget import Budget
from remit.contract.contract import Contract
from remit.llm.cancel import Patience
from remit.rerank.ranking import Ranking
from remit.retrieve.retriever import Candidates


class Cutoff:
    """Keeps the retriever's order. k is the number of hits whose score is at least `share` of the best, at most `most`."""

    def __init__(self, *, most: int = 12, share: float = 0.0) -> None:
        """Take the largest k, in 0..15, and the share in [0, 1] of the best score below which hits are cut."""
        self._most = max(0, min(most, 15))
        self._share = share
        self.name = f"cutoff/1 most={self._most} share={share}"

    def rank(
        self, contract: Contract, candidates: Candidates, scope: Scope, budget: Budget, patience: Patience
    ) -> Ranking:
        """Return the first hits in their order; none where nothing was found."""
        hits = candidates.hits[: self._most]
        floor = self._share * hits[0].score if hits else 0.0
        kept = tuple(hit for hit in hits if hit.score >= floor)
        return Ranking(hits=kept, policy=self.name, reason=f"{len(kept)} of {len(candidates.hits)} in the order found")
