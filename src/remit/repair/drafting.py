"""What a plan's GenerateAnswer hands to the answerer: a contract, a ranking, an instruction."""

from __future__ import annotations

from typing import Final, Protocol, runtime_checkable

from remit.answer.draft import Answerer, Claim, Draft
from remit.contract.catalogue import Catalogue
from remit.contract.contract import Contract
from remit.contract.frame import Given, frame
from remit.repair.bindings import Doc
from remit.repair.planner import Synonym
from remit.repair.rewrite import understood
from remit.rerank.ranking import Ranking
from remit.retrieve.retriever import Hit

MOST_PASSAGES: Final = 15
POLICY: Final = "plan"


@runtime_checkable
class Instructable(Protocol):
    """An answerer that can be told more; one that quotes has no use for it and goes on as it is."""

    def instructed(self, instruction: str) -> Answerer:
        """Return the same answerer, told `instruction`."""


def told(answerer: Answerer, instruction: str | None) -> Answerer:
    """Return the answerer, told the instruction where it takes one."""
    if instruction is not None and isinstance(answerer, Instructable):
        return answerer.instructed(instruction)
    return answerer


def contract_for(
    contract: Contract, query: str, synonyms: tuple[Synonym, ...], *, final: bool, reworded: bool
) -> Contract:
    """Return the contract to draft for.

    The question in other words owes what the question owes. Another question, such as a part of it, is read anew under
    what the asker said; where it is the last one, its answer still takes the form that was asked for. The readings that
    decide on a release are taken against the contract itself, whatever was drafted for.
    """
    if reworded:
        return contract if query == contract.claim and not synonyms else understood(contract, query, synonyms)
    given = Given(
        contract.wanted.at, None, dict(contract.parameters), limits=contract.limits, language=contract.language
    )
    own = frame(query, given, Catalogue(), lambda _: None)
    if not final:
        return contract.model_copy(update={"question": query, "claim": own.claim, "facts": own.facts, "form": own.form})
    values = tuple(fact for fact in contract.facts if fact.kind == "value")
    facts = (*(fact for fact in own.facts if fact.kind != "value"), *values)
    return contract.model_copy(update={"question": query, "claim": own.claim, "facts": facts})


def resting_on(draft: Draft, claims: tuple[Claim, ...]) -> Draft:
    """Return a draft that also rests on the answers that stood in its question; it is no surer than the weakest of them."""
    more = tuple(claim for claim in claims if claim not in draft.claims)
    if not more or draft.answer is None:
        return draft
    confidence = min(draft.confidence, *(claim.support for claim in more))
    return draft.model_copy(update={"claims": (*draft.claims, *more), "confidence": confidence})


def ranking_of(docs: tuple[Doc, ...], *, refined: bool = False) -> Ranking:
    """Return the passages in the plan's order; `refined` ones offer only the sentences that were kept.

    The text of a passage stays whole, so that a quotation verifies at its span.
    """
    hits = tuple(_narrowed(doc) if refined else doc.hit for doc in docs[:MOST_PASSAGES])
    return Ranking(hits=hits, policy=POLICY, reason="in the plan's order")


def _narrowed(doc: Doc) -> Hit:
    if doc.spans is None:
        return doc.hit
    passage = doc.hit.passage.model_copy(update={"sentences": doc.spans})
    return doc.hit.model_copy(update={"passage": passage})
