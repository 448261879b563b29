"""The rules: six, in the order of docs/governance.md; the first that matches decides. Pure and total."""

from __future__ import annotations

from typing import Final

from remit.contract.budget import Budget
from remit.decide.decision import Action, Decision, Queue, Reason
from remit.decide.point import OperatingPoint, Waivable
from remit.decide.proposal import Proposal
from remit.observe.observation import (
    Agreement,
    Authorization,
    CitationCheck,
    Coverage,
    Observation,
    Relevance,
    RevisionFault,
    Support,
    Unmeasured,
    Validity,
)

ALL_READINGS: Final[tuple[Waivable, ...]] = ("relevance", "coverage", "agreement", "validity", "citations")


def decide(seen: Observation, proposal: Proposal, point: OperatingPoint, budget: Budget) -> Decision:
    """Return the decision of the first rule that matches; rule 6, abstain, always does."""
    settled = _deny(seen, point) or _clarify(seen, point) or _review(seen, point) or _answer(seen, point)
    if settled is not None:
        return settled
    if _rounds(point, budget) > 0 and proposal.new:
        return _made(Action.RETRIEVE_AGAIN, "new_plan", rule=5, point=point, missing=(proposal.expects,))
    return _abstain(seen, point, budget)


def open_to_repair(seen: Observation, point: OperatingPoint, budget: Budget) -> bool:
    """Say whether a plan could change the decision: rules 1 to 4 do not match and a round is left."""
    settled = _deny(seen, point) or _clarify(seen, point) or _review(seen, point) or _answer(seen, point)
    return settled is None and _rounds(point, budget) > 0


def _rounds(point: OperatingPoint, budget: Budget) -> int:
    """Return how many corrective rounds are left: the budget's, and no more than the point allows in all."""
    return budget.rounds if point.rounds is None else min(budget.rounds, point.rounds - budget.used.rounds)


def _deny(seen: Observation, point: OperatingPoint) -> Decision | None:
    match seen.authorization:
        case Authorization(outside=outside) if outside:
            reason: Reason = "outside_scope"
        case Authorization(readable=readable) if readable > 0:
            return None
        case Authorization():
            reason = "nothing_readable"
        case _:
            reason = "access_unmeasured"
    return _made(Action.DENY, reason, rule=1, point=point, queue="access_requests")


def _clarify(seen: Observation, point: OperatingPoint) -> Decision | None:
    if point.asks("agreement") and isinstance(seen.agreement, Agreement) and seen.agreement.open_parameters:
        keys = tuple(opened.key for opened in seen.agreement.open_parameters)
        return _made(Action.CLARIFY, "parameter_open", rule=2, point=point, missing=keys, queue="open_clarifications")
    if point.asks("validity") and isinstance(seen.validity, Validity) and seen.validity.ambiguous:
        missing = seen.validity.ambiguous
        return _made(
            Action.CLARIFY, "revision_ambiguous", rule=2, point=point, missing=missing, queue="open_clarifications"
        )
    return None


def _review(seen: Observation, point: OperatingPoint) -> Decision | None:
    if point.asks("agreement") and isinstance(seen.agreement, Agreement) and seen.agreement.conflicts:
        missing = tuple(conflict.about for conflict in seen.agreement.conflicts)
        return _made(Action.REVIEW, "sources_contradict", rule=3, point=point, missing=missing, queue="review_items")
    return None


def _answer(seen: Observation, point: OperatingPoint) -> Decision | None:
    if _shortfall(seen, point) is not None:
        return None
    return _made(Action.ANSWER, "supported", rule=4, point=point)


Shortfall = tuple[Reason, tuple[str, ...]]


def _shortfall(seen: Observation, point: OperatingPoint) -> Shortfall | None:
    """Return the first reason why rule 4 does not hold, with what is missing; None where it holds.

    A reading that is Unmeasured is a shortfall of its own: it never passes. A waived one is not asked, but that something
    was found and quoted always is: there is no answer without.
    """
    return _evidence(seen, point) or _draft(seen, point) or _unmeasured(seen, point)


def _evidence(seen: Observation, point: OperatingPoint) -> Shortfall | None:
    """Return what the evidence falls short of: relevance, validity or coverage."""
    match seen.relevance:
        case Relevance(passages=()):
            return "nothing_found", _lacking(seen, point)
        case Relevance(best=best) if point.asks("relevance") and _short(seen, point) and best < point.relevance:
            return "not_relevant", _lacking(seen, point)
    match seen.validity:
        case Validity(faults=faults) if faults and point.asks("validity"):
            return _invalid(faults)
    match seen.coverage:
        case Coverage(facts=facts, share=share) if point.asks("coverage") and _short(seen, point):
            if point.support is not None or share < point.coverage:
                return "fact_missing", tuple(fact.fact for fact in facts if fact.support < point.coverage)
    return None


def _lacking(seen: Observation, point: OperatingPoint) -> tuple[str, ...]:
    """Return the required facts that are not held, where coverage was read."""
    facts = seen.coverage.facts if isinstance(seen.coverage, Coverage) else ()
    return tuple(fact.fact for fact in facts if fact.support < point.coverage and not fact.optional)


def _invalid(faults: tuple[RevisionFault, ...]) -> Shortfall:
    """Return what is wrong with the revisions used: that they hold for something else comes before that they do not hold."""
    elsewhere = tuple(fault.revision for fault in faults if fault.reason == "other-applicability")
    if elsewhere:
        return "not_applicable", elsewhere
    return "revision_not_established", tuple(f"{fault.revision}: {fault.reason}" for fault in faults)


def _draft(seen: Observation, point: OperatingPoint) -> Shortfall | None:
    """Return what the draft falls short of: its citations, or what they say. A point may waive both."""
    match seen.citations:
        case CitationCheck(verified=(), failed=()):
            return "citation_unverified", ()
        case CitationCheck(verified=verified, failed=failed) if point.asks("citations") and (failed or not verified):
            return "citation_unverified", failed
    match seen.agreement:
        case Agreement(draft_faults=differing) if point.asks("citations") and differing:
            return "draft_differs", tuple(fault.differs for fault in differing)
    return None


def _short(seen: Observation, point: OperatingPoint) -> bool:
    """Say whether relevance and coverage count: always by rules; with an evaluator, where it finds too little support."""
    if point.support is None:
        return True
    return (
        isinstance(seen.support, Support)
        and seen.support.probability is not None
        and (seen.support.probability < point.support)
    )


def _unmeasured(seen: Observation, point: OperatingPoint) -> Shortfall | None:
    """Return the reading that was asked and could not be taken; None where all were."""
    if point.support is not None and not (isinstance(seen.support, Support) and seen.support.probability is not None):
        reason = seen.support.reason if isinstance(seen.support, Unmeasured) else "no evaluator gave a probability"
        return "reading_unmeasured", (reason,)
    for name in ALL_READINGS:
        reading = getattr(seen, name)
        if isinstance(reading, Unmeasured) and point.asks(name):
            return "reading_unmeasured", (reading.reason,)
    return None


def _abstain(seen: Observation, point: OperatingPoint, budget: Budget) -> Decision:
    reason, missing = _shortfall(seen, point) or ("fact_missing", ())
    return _made(Action.ABSTAIN, reason, rule=6, point=point, missing=missing, queue="corpus_gaps")


def _made(
    action: Action,
    reason: Reason,
    *,
    rule: int,
    point: OperatingPoint,
    missing: tuple[str, ...] = (),
    queue: Queue | None = None,
) -> Decision:
    named = tuple(dict.fromkeys(name for name in missing if name))
    return Decision(action=action, reason=reason, rule=rule, missing=named, queue=queue, point=point.digest)
