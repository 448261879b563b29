"""Run the five probes, the citation check and the estimate, in order, into one Observation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from remit.access.scope import Scope
from remit.answer.draft import Draft
from remit.answer.evidence import Evidence
from remit.contract.contract import Contract
from remit.corpus.document import Snapshot
from remit.observe.agreement import agreement
from remit.observe.authorization import authorization
from remit.observe.citations import citations
from remit.observe.coverage import coverage
from remit.observe.estimate import estimate
from remit.observe.evaluator import Evaluator
from remit.observe.observation import Observation
from remit.observe.relevance import relevance
from remit.observe.support import Seen, support
from remit.observe.validity import Revisions, told_apart, validity
from remit.rerank.ranking import Ranking, inside
from remit.retrieve.retriever import Candidates

Weigh = Callable[[Contract, Ranking, Scope], tuple[Evidence, ...]]


class Observer(Protocol):
    """Reads the evidence and the draft. It never decides, and never sees what lies outside the scope."""

    def read(
        self,
        contract: Contract,
        scope: Scope,
        snapshot: Snapshot,
        found: Candidates,
        ranking: Ranking,
        draft: Draft,
    ) -> Observation:
        """Return the observation; a reading that could not be taken is Unmeasured with the reason."""


class Reader:
    """The default observer: rules over the sentences' weights and over the record."""

    def __init__(self, record: Revisions, weigh: Weigh, evaluator: Evaluator | None = None) -> None:
        """Take the record of revisions, the function that weighs sentences (the extractive answerer's) and the evaluator."""
        self._record = record
        self._weigh = weigh
        self._evaluator = evaluator

    def read(
        self,
        contract: Contract,
        scope: Scope,
        snapshot: Snapshot,
        found: Candidates,
        ranking: Ranking,
        draft: Draft,
    ) -> Observation:
        """Return all readings; passages outside the scope are reported by `authorization` and read by no other probe."""
        allowed = authorization(scope, found, ranking)
        ranking = inside(ranking, scope)
        weighed = self._weigh(contract, ranking, scope)
        valid = validity(contract, scope, snapshot, ranking, draft, record=self._record, weighed=weighed)
        agreed = agreement(contract, draft, weighed, frozenset((*valid.holds, *valid.contested)))
        relevant, covered = relevance(contract, ranking, draft, weighed), coverage(contract, ranking, draft, weighed)
        taken = Seen(_admitted(found, scope), ranking, weighed, relevant, covered)
        return Observation(
            relevance=relevant,
            coverage=covered,
            agreement=agreed,
            validity=valid if agreed.conflicts else told_apart(valid),
            authorization=allowed,
            citations=citations(draft, ranking, scope),
            estimate=estimate(contract, draft),
            support=support(contract, draft, taken, self._evaluator),
        )


def _admitted(found: Candidates, scope: Scope) -> Candidates:
    """Return what was found without what lies outside the scope: no signal may come from there."""
    kept = tuple(
        hit for hit in found.hits if scope.admits(hit.source.labels, hit.source.collection, hit.source.document)
    )
    return found.model_copy(update={"hits": kept})
