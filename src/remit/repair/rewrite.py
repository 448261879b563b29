"""A query in other words: the port, and a rewriter that takes them from definitions inside the scope."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal, Protocol

from remit.access.scope import Filters
from remit.answer.definitions import Definition, definitions
from remit.contract.budget import Budget
from remit.contract.contract import Contract, RequiredFact
from remit.contract.terms import Term, codes, content_terms, terms
from remit.llm.cancel import Patience
from remit.repair.planner import Synonym
from remit.repair.reach import Queries, Reach
from remit.retrieve.retriever import Retriever

_RUNS: Final = 4
_HITS: Final = 10
_LONGEST: Final = 500
_FEWEST_WORDS: Final = 2


class Rewriter(Protocol):
    """Says a query in other words. `name` identifies the method in traces."""

    name: str

    def rewrite(
        self, query: str, instruction: Literal["clarify", "expand"], reach: Reach, budget: Budget, patience: Patience
    ) -> Queries:
        """Return one query or more, best first; none where there is nothing to rewrite."""


class GlossaryRewriter:
    """Replaces words by what the corpus says they mean ("X is the shop-floor name for Y"); calls no model."""

    name = "glossary/1"

    def __init__(self, retriever: Retriever) -> None:
        """Take the retriever that looks for definitions."""
        self._retriever = retriever

    def rewrite(
        self, query: str, instruction: Literal["clarify", "expand"], reach: Reach, budget: Budget, patience: Patience
    ) -> Queries:
        """Return the query with defined words replaced (clarify) or with their meanings added (expand).

        Where nothing is defined, clarify drops the function words, if that leaves another query; expand gives none.
        """
        if len(query) > _LONGEST:
            return Queries(())
        synonyms = self._synonyms(query, reach, patience)
        if synonyms and instruction == "expand":
            text = " ".join((query.rstrip(" ?"), *(synonym.meaning for synonym in synonyms)))
        elif synonyms:
            text = _replaced(query, synonyms)
        else:
            text = _bare(query, reach.language) if instruction == "clarify" else ""
        if not text or len(text) > _LONGEST or _same(text, query):
            return Queries(())
        return Queries((text,), synonyms)

    def _synonyms(self, query: str, reach: Reach, patience: Patience) -> tuple[Synonym, ...]:
        """Return the definitions of the query's words, longest phrase first, none overlapping another."""
        found: list[tuple[Span, Synonym]] = []
        for run in _runs(query, reach.language)[:_RUNS]:
            patience.check()
            for hit in reach.search(self._retriever, run, _HITS, Filters()).hits:
                for definition in definitions(hit):
                    span = _match(definition, query, reach.language)
                    if span is not None:
                        phrase = query[span[0] : span[1]]
                        found.append((span, Synonym(phrase=phrase, meaning=definition.meaning, passage=hit.passage.id)))
        chosen: list[tuple[Span, Synonym]] = []
        for span, synonym in sorted(found, key=lambda pair: pair[0][0] - pair[0][1]):
            if all(span[1] <= taken[0] or taken[1] <= span[0] for taken, _ in chosen):
                chosen.append((span, synonym))
        return tuple(synonym for _, synonym in chosen)


Span = tuple[int, int]


def understood(contract: Contract, query: str, synonyms: tuple[Synonym, ...]) -> Contract:
    """Return the contract as it reads for `query`: its facts ask for what the synonyms mean.

    Only a definition changes what a fact asks for; other words in a query change where to look, not what is owed.
    """
    facts = contract.facts
    for synonym in synonyms:
        old = [term.term for term in terms(synonym.phrase, contract.language)]
        new = content_terms(synonym.meaning, contract.language)
        facts = tuple(_restated(fact, old, new, synonym.meaning) for fact in facts)
    return contract.model_copy(update={"claim": query, "facts": facts})


def _restated(fact: RequiredFact, old: list[str], new: Iterable[Term], meaning: str) -> RequiredFact:
    if fact.kind not in {"topic", "focus"} or not set(old) & set(fact.terms):
        return fact
    kept = [pair for pair in zip(fact.terms, fact.words or fact.terms, strict=False) if pair[0] not in old]
    pairs = [*kept, *((term.term, meaning[term.start : term.end].casefold()) for term in new)]
    unique = dict(pairs)
    return fact.model_copy(update={"terms": tuple(unique), "words": tuple(unique.values())})


def _runs(query: str, language: str) -> list[str]:
    """Return the stretches of neighbouring content words, longest first: what a definition may be of."""
    runs: list[Span] = []
    for term in _apart(content_terms(query, language)):
        if runs and not query[runs[-1][1] : term.start].strip():
            runs[-1] = (runs[-1][0], term.end)
        else:
            runs.append((term.start, term.end))
    return [query[start:end] for start, end in sorted(runs, key=lambda run: run[0] - run[1])]


def _match(definition: Definition, query: str, language: str) -> Span | None:
    """Return where the defined term stands in the query, unless its meaning stands there already.

    A code means itself: no document may turn a question about P-101 into one about another pump.
    """
    if codes(definition.term):
        return None
    words = _apart(terms(query, language))
    wanted = [term.term for term in _apart(terms(definition.term, language))]
    meaning = [term.term for term in _apart(terms(definition.meaning, language))]
    here = [term.term for term in words]
    if not wanted or not meaning or _find(meaning, here) is not None or _find(wanted, meaning) is not None:
        return None
    at = _find(wanted, here)
    return None if at is None else (words[at].start, words[at + len(wanted) - 1].end)


def _find(part: list[str], whole: list[str]) -> int | None:
    return next((at for at in range(len(whole) - len(part) + 1) if whole[at : at + len(part)] == part), None)


def _apart(found: Iterable[Term]) -> list[Term]:
    """Return the terms that do not lie inside an earlier one: a code comes whole, without its parts."""
    kept: list[Term] = []
    for term in found:
        if not kept or term.start >= kept[-1].end:
            kept.append(term)
    return kept


def _replaced(query: str, synonyms: tuple[Synonym, ...]) -> str:
    for synonym in synonyms:
        query = query.replace(synonym.phrase, synonym.meaning, 1)
    return query


def _bare(query: str, language: str) -> str:
    words = [query[term.start : term.end] for term in _apart(content_terms(query, language))]
    return " ".join(words) if len(words) >= _FEWEST_WORDS else ""


def _same(one: str, other: str) -> bool:
    return one.casefold().strip(" ?.!") == other.casefold().strip(" ?.!")
