"""The ranking, and the port to what makes one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from remit.access.scope import Scope
from remit.contract.budget import Budget, Cost
from remit.contract.contract import Contract
from remit.contract.value import Value
from remit.llm.cancel import Patience
from remit.retrieve.retriever import Candidates, Hit


class Ranking(Value):
    """An ordered choice of passages; k is its length. `log_probability` is None where the policy has none.

    `digest` is that of the policy's weights or prompt, None where it has neither. `warnings` say what did not go as it
    should and what was done instead.
    """

    hits: tuple[Hit, ...]
    policy: str
    reason: str
    log_probability: float | None = None
    digest: str | None = None
    warnings: tuple[str, ...] = ()
    cost: Cost = Cost()

    @property
    def k(self) -> int:
        """How many passages were chosen."""
        return len(self.hits)

    def find(self, passage: str) -> Hit | None:
        """Return the hit with this passage id, or None."""
        return next((hit for hit in self.hits if hit.passage.id == passage), None)


def outside(ranking: Ranking, scope: Scope) -> tuple[str, ...]:
    """Return the ids of ranked passages that the scope does not admit; a faulty search engine may bring some."""
    return tuple(
        hit.passage.id
        for hit in ranking.hits
        if not scope.admits(hit.source.labels, hit.source.collection, hit.source.document)
    )


def inside(ranking: Ranking, scope: Scope) -> Ranking:
    """Return the ranking without passages outside the scope: nothing is ever drafted or read from those."""
    return ranking.model_copy(update={"hits": admitted(ranking.hits, scope)})


def admitted(hits: Iterable[Hit], scope: Scope) -> tuple[Hit, ...]:
    """Return the hits that the scope admits, in their order."""
    return tuple(hit for hit in hits if scope.admits(hit.source.labels, hit.source.collection, hit.source.document))


class Reranker(Protocol):
    """A policy that chooses an ordered subset of the candidates, at most 15 of at most 45."""

    name: str

    def rank(
        self, contract: Contract, candidates: Candidates, scope: Scope, budget: Budget, patience: Patience
    ) -> Ranking:
        """Return the chosen passages, each once, best first; none where nothing helps.

        Stored vectors are read inside `scope`; a policy that calls a model keeps to `budget` and `patience`.

        Raises:
            Cancelled: the asker went away, or the whole time is up.
        """
