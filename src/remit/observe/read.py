"""Run the five probes, the citation check and the estimate, in order, into one Observation."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import Final, Protocol

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
from remit.rerank.ranking import Ranking, admitted, inside
from remit.retrieve.retriever import Candidates

READ: Final = 12
"""So many passages, the ranked ones and then the first ones found, are read for what the evidence says besides the draft."""

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
        """Return all readings; passages outside the scope are reported by `authorization` and read by no other probe.

        Whether sources agree, which revisions hold, and which words tell passages apart, is read off what was found too,
        sent to the answerer or not: a reranker that sends one passage must not hide the one that contradicts it.
        """
        allowed = authorization(scope, found, ranking)
        ranking = inside(ranking, scope)
        found = found.model_copy(update={"hits": admitted(found.hits, scope)})  # no reading or signal looks outside
        sent, beside = {hit.passage.id for hit in ranking.hits}, _beside(ranking, found)
        told = self._weigh(contract, beside, scope)
        weighed = tuple(evidence for evidence in told if evidence.hit.passage.id in sent)
        valid = validity(contract, scope, snapshot, beside, draft, record=self._record, weighed=told)
        agreed = agreement(contract, draft, told, frozenset((*valid.holds, *valid.contested)))
        relevant = relevance(contract, ranking, draft, weighed, beside=beside)
        covered = coverage(contract, beside, draft, weighed)
        taken = Seen(found, ranking, told, relevant, covered)
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


def _beside(ranking: Ranking, found: Candidates) -> Ranking:
    """Return the ranked passages with the first others found; itself where there are enough, or none."""
    ranked = {hit.passage.id for hit in ranking.hits}
    others = (hit for hit in found.hits if hit.passage.id not in ranked)
    more = tuple(islice(others, max(0, READ - ranking.k)))
    return ranking.model_copy(update={"hits": ranking.hits + more}) if more and ranking.hits else ranking
