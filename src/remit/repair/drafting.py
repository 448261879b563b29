"""What a plan's GenerateAnswer hands to the answerer: a contract, a ranking, an instruction."""

from __future__ import annotations

from typing import Final, Protocol, runtime_checkable

from remit.answer.draft import Answerer
from remit.contract.contract import Contract, RequiredFact
from remit.contract.terms import content_terms
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


def contract_for(contract: Contract, query: str, synonyms: tuple[Synonym, ...], *, final: bool) -> Contract:
    """Return the contract to draft for. The last answer owes what the question owes, however the query reads.

    A step in between asks something else: whatever sentence answers it will do.
    """
    if final:
        return contract if query == contract.claim and not synonyms else understood(contract, query, synonyms)
    words = {term.term: query[term.start : term.end] for term in content_terms(query, contract.language)}
    topic = RequiredFact(kind="topic", name=query, terms=tuple(words), words=tuple(words.values()))
    return contract.model_copy(update={"claim": query, "form": "text", "facts": (topic,) if words else ()})


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
