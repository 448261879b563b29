"""Has each thing that a question names a text of its own among what was found: signals for the learned evaluator. Pure.

A question that goes from one thing to another, or compares two, cannot be answered where the text of one of them is missing,
however much the other's speaks of it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

from remit.answer.evidence import Evidence
from remit.answer.titles import plain_title
from remit.contract.contract import Contract
from remit.contract.terms import content_terms, term_set
from remit.observe.observation import Signal
from remit.rerank.ranking import Ranking

_SHORTEST: Final = 4
"""Letters from which a title in a question or a text is no coincidence."""
_OF: Final = ("entity", "focus")


def of_names(
    contract: Contract, ranking: Ranking, main: Evidence | None, weighed: tuple[Evidence, ...]
) -> Iterator[Signal]:
    """Yield how many titles the question names, how far they and the texts hold its names, and how the quoted one is led to."""
    question = contract.question.casefold()
    titles = {plain_title(hit.source.title) for hit in ranking.hits}
    named = {title for title in titles if _stands(title, question)}
    asked = _terms(contract.claim, contract.language)
    beyond = asked.difference(*(_terms(title, contract.language) for title in named))
    yield "named", float(len(named))
    yield "beyond_named", len(beyond) / len(asked) if asked else None
    yield from _of_facts(contract, ranking)
    for kind in _OF:
        places = [place for place, fact in enumerate(contract.facts) if fact.kind == kind]
        yield f"any_{kind}", min((max((e.support[n] for e in weighed), default=0.0) for n in places), default=None)
    yield from _of_main(ranking, main, named)


def _of_facts(contract: Contract, ranking: Ranking) -> Iterator[Signal]:
    facts = [frozenset(fact.terms) for fact in contract.facts if fact.kind == "entity" and fact.terms]
    titles = [term_set(hit.source.title, hit.source.language) for hit in ranking.hits]
    texts = [
        title | term_set(hit.passage.text, hit.source.language) for title, hit in zip(titles, ranking.hits, strict=True)
    ]
    titled = [max((len(fact & one) / len(fact) for one in titles), default=0.0) for fact in facts]
    told = [max((len(fact & one) / len(fact) for one in texts), default=0.0) for fact in facts]
    yield "names", math.log1p(len(facts))
    yield "names_titled", sum(titled) / len(titled) if titled else None
    yield "names_told", min(told, default=None)


def _of_main(ranking: Ranking, main: Evidence | None, named: set[str]) -> Iterator[Signal]:
    if main is None:
        yield from ((name, None) for name in ("main_named", "main_led", "main_led_from_named"))
        return
    title = plain_title(main.hit.source.title)
    leading = [
        hit
        for hit in ranking.hits
        if hit.source.document != main.hit.source.document and _stands(title, hit.passage.text.casefold())
    ]
    yield "main_named", float(title in named)
    yield "main_led", float(bool(leading))
    yield "main_led_from_named", float(any(plain_title(hit.source.title) in named for hit in leading))


def _stands(title: str, text: str) -> bool:
    return len(title) >= _SHORTEST and title in text


def _terms(text: str, language: str) -> frozenset[str]:
    return frozenset(term.term for term in content_terms(text, language))
