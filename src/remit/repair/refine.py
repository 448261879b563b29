"""A passage to the part of it that a query needs: the port, and a refiner that selects sentences."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple, Protocol

from remit.contract.budget import Budget, Cost
from remit.contract.terms import content_terms, term_set
from remit.corpus.document import Span
from remit.llm.cancel import Patience
from remit.repair.reach import Reach
from remit.retrieve.retriever import Hit

_KEPT: Final = {"summarize": 2, "explain": 4}


class Refined(NamedTuple):
    """The spans of a passage that a query needs, in order: the link from refined text to source. None were of use: ()."""

    spans: tuple[Span, ...]
    cost: Cost = Cost()


class Refiner(Protocol):
    """Selects what matters in a passage. `name` identifies the method in traces."""

    name: str

    def refine(
        self,
        query: str,
        hit: Hit,
        instruction: Literal["explain", "summarize"],
        reach: Reach,
        *,
        budget: Budget,
        patience: Patience,
    ) -> Refined:
        """Return spans of sentences of the passage."""


class SentenceRefiner:
    """Keeps the sentences that share most terms with the query: two to summarise, four to explain; calls no model."""

    name = "sentences/1"

    def refine(
        self,
        query: str,
        hit: Hit,
        instruction: Literal["explain", "summarize"],
        reach: Reach,
        *,
        budget: Budget,
        patience: Patience,
    ) -> Refined:
        """Return the spans of the closest sentences in the passage's order; none where no sentence shares a term."""
        wanted = {term.term for term in content_terms(query, reach.language)}
        shared = {
            span: len(wanted & term_set(hit.passage.quote(span), hit.source.language)) for span in hit.passage.sentences
        }
        best = sorted((span for span in shared if shared[span]), key=lambda span: (-shared[span], span.start))
        return Refined(tuple(sorted(best[: _KEPT[instruction]])))
