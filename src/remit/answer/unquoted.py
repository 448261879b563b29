"""An answer that came without a quotation: the sentence of the passages that says it, where it speaks of what was asked. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from remit.answer.carry import Statement, carried
from remit.answer.numerals import as_english
from remit.answer.orders import states
from remit.contract.contract import Contract
from remit.contract.terms import content_terms, term_set
from remit.corpus.document import Span
from remit.retrieve.retriever import Hit

SPEAKS: Final = 0.5
"""How many of the question's own words the sentence must hold, or the headings above it; one of them the sentence itself."""


class Said(NamedTuple):
    """A sentence that says a statement, its span in the revision's text, and how much of the question stands there too."""

    hit: Hit
    span: Span
    spoken: float


def said_in(statement: Statement, contract: Contract, hits: tuple[Hit, ...]) -> Said | None:
    """Return the sentence that carries a statement and holds most of the question, the earliest passage first; None: none does.

    A yes or no stands in no sentence: it has to be quoted for. What is found is held to the same checks as a quotation.
    """
    if statement.form == "boolean":
        return None
    return max(_saying(statement, contract, hits), key=lambda one: one.spoken, default=None)


def _saying(statement: Statement, contract: Contract, hits: tuple[Hit, ...]) -> Iterator[Said]:
    asked = {found.term for found in content_terms(contract.question, contract.language)}
    for hit in hits:
        headings = "\n".join((hit.source.title, *hit.passage.section))
        above = asked & term_set(headings, contract.language)
        for span in hit.passage.sentences:
            sentence = hit.passage.quote(span)
            held = asked & term_set(sentence, contract.language)
            spoken = len(held | above) / len(asked) if asked else 0.0
            if not held or spoken < SPEAKS or not states(contract.question, sentence):
                continue
            read = as_english(sentence, hit.source.language)
            if carried(statement, contract, [read], headings=headings) is not None:
                yield Said(hit, span, spoken)
