"""Is the plan's draft better than the first one, by what is known without a gold answer."""

from __future__ import annotations

from collections.abc import Callable

from remit.answer.draft import Draft
from remit.contract.contract import Contract
from remit.observe.estimate import estimate
from remit.observe.observation import CitationCheck, Validity
from remit.repair.planner import State
from remit.rerank.ranking import Ranking

Estimator = Callable[[Contract, Ranking, Draft], float]
"""How likely a draft is correct, in [0, 1]; only its order matters."""


def by_estimate(contract: Contract, ranking: Ranking, draft: Draft) -> float:
    """Return the estimated probability that a draft is correct, of the question as it was asked."""
    return estimate(contract, draft).probability


def by_confidence(contract: Contract, ranking: Ranking, draft: Draft) -> float:
    """Return the answerer's own confidence."""
    return draft.confidence


def better(state: State, ranking: Ranking, draft: Draft, likelihood: Estimator) -> bool:
    """Say whether a draft beats the state's: with an answer before none, sound before faulted, then by the estimate.

    Confidence does not weigh up a revision that is known not to hold, or a quotation that was not found: a terse
    current revision often reads worse than the detailed one it replaced.
    """
    first = state.draft
    mine = (draft.answer is not None, _sound(state, draft), likelihood(state.contract, ranking, draft))
    theirs = (first.answer is not None, _sound(state, first), likelihood(state.contract, state.ranking, first))
    return mine > theirs


def _sound(state: State, draft: Draft) -> bool:
    """Say whether a draft rests on nothing that was already seen to fail."""
    seen = state.seen
    faulted = {fault.revision for fault in seen.validity.faults} if isinstance(seen.validity, Validity) else set()
    failed = set(seen.citations.failed) if isinstance(seen.citations, CitationCheck) else set()
    return not any(cited.revision_id in faulted or cited.digest in failed for cited in draft.citations)
