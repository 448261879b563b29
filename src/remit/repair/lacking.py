"""What of the required facts the evidence lacks, as a planner sees it."""

from __future__ import annotations

from typing import Final, NamedTuple

from remit.answer.definitions import definitions
from remit.contract.contract import Contract
from remit.contract.terms import term_set
from remit.decide.point import OperatingPoint
from remit.observe.observation import Coverage, Relevance, Unmeasured
from remit.repair.planner import State
from remit.retrieve.retriever import Hit

_FOUND: Final = 12
"""A word in one of so many first passages found needs no other word: a reranker may have left that passage out."""


class Lack(NamedTuple):
    """Names of the facts not held, and those of their words that stand in no passage in use and in none of the first found."""

    facts: tuple[str, ...]
    words: tuple[str, ...]


def lack_of(state: State, point: OperatingPoint) -> Lack:
    """Return what is lacking. What was not measured, or not found, or is about something else, lacks as a whole."""
    seen = state.seen.coverage
    names = tuple(fact.name for fact in state.contract.facts) or (state.contract.claim,)
    if _relevant(state, point) and isinstance(seen, Coverage):
        names = tuple(fact.fact for fact in seen.facts if fact.support < point.coverage)
    here = frozenset[str]().union(*(_told_by(hit) for hit in (*state.ranking.hits, *state.found[:_FOUND])))
    words = [
        word
        for fact in state.contract.facts
        if fact.kind in {"topic", "focus"} and fact.name in names
        for term, word in zip(fact.terms, fact.words or fact.terms, strict=False)
        if term not in here
    ]
    return Lack(names, tuple(dict.fromkeys(words)))


def holds_all(hit: Hit, contract: Contract) -> bool:
    """Say whether a passage has every term that the facts name."""
    wanted = {term for fact in contract.facts for term in fact.terms}
    return bool(wanted) and wanted <= _words_of(hit)


def _relevant(state: State, point: OperatingPoint) -> bool:
    match state.seen.relevance:
        case Relevance(passages=passages, best=best):
            return bool(passages) and best >= point.relevance
        case Unmeasured():
            return False


def _told_by(hit: Hit) -> frozenset[str]:
    """Return the terms of a passage without those it only explains: a glossary holds no fact about its entries."""
    defined = (term_set(found.term, hit.source.language) for found in definitions(hit))
    return _words_of(hit) - frozenset[str]().union(*defined)


def _words_of(hit: Hit) -> frozenset[str]:
    text = " ".join((hit.source.title, *hit.passage.section, hit.passage.text))
    return term_set(text, hit.source.language)
