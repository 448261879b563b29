"""How well single sentences carry what the contract requires: the measure that drafting and observing share.

Every number here comes from the question and from one passage, so that a passage's weight cannot depend on what else
lies in the corpus. Term weights come from the ranking alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from remit.answer.applies import applicability
from remit.answer.draft import Draft
from remit.answer.facts import Sentence, Words, grade, likeness, phrase, support, topic, words_of
from remit.answer.found import Found
from remit.answer.items import with_lead_in
from remit.answer.orders import states
from remit.answer.retracted import says_what_holds
from remit.answer.rows import another_row, one_of_many
from remit.answer.spans import find
from remit.contract.contract import Contract, RequiredFact
from remit.contract.parameters import bound_value, matches
from remit.contract.terms import terms
from remit.corpus.document import Passage, Span
from remit.llm.embed import Vectors
from remit.rerank.ranking import Ranking
from remit.retrieve.retriever import Hit

Likeness = Callable[[str, tuple[str, ...]], float]
"""How alike a word is to the nearest of other words: the largest cosine, 0 where there are none."""

_LEADING: Final = 4
_SYNONYM, _NEARLY, _IN_SYNONYM = 0.54, 0.1, 0.8
"""Cosine of two words from which they count as near synonyms (all-MiniLM: "oil" and "lubricant" .55, and .3 for words
that merely stand together), how far below it a sentence's own cosine may lie to be worth asking, and what it supports."""
_WORD: Final = 4
_MISFIT, _INFORMATIVE = 0.1, 0.93
"""What is left of the weight of evidence for something else, and of a source that is not authoritative."""


class Evidence(NamedTuple):
    """One sentence of one passage, and how far it carries each required fact, in [0, 1].

    `weight` in [0, 1] is the whole, `cosine` that of question and sentence. `found` is the span of the wanted form.
    `applies` holds the applicability of passage or row, `fits` is False where a bound parameter contradicts it.
    """

    hit: Hit
    span: Span
    text: str
    cosine: float
    support: tuple[float, ...]
    found: Found | None
    applies: tuple[tuple[str, tuple[str, ...]], ...]
    fits: bool
    weight: float
    vector: NDArray[np.float32]

    def alike(self, other: Evidence) -> float:
        """Return the cosine of the two sentences."""
        return float(self.vector @ other.vector)


def weigh(
    contract: Contract, ranking: Ranking, question: Vectors, vectors: Callable[[Passage], Vectors], words: Likeness
) -> tuple[Evidence, ...]:
    """Return every sentence of the ranking weighed against the contract, heaviest first.

    `question` holds unit vectors of the claim and of its asking sentence, shape (n, d); `vectors` gives a passage's
    sentence vectors; `words` how alike a word is to the nearest of others. It is asked only for the few sentences that
    would lead but for the word that names what is asked: a single word costs as much as a sentence to encode.
    """
    ours = words_of(contract, ranking)
    weighed: list[Evidence] = []
    for hit in ranking.hits:
        if not hit.passage.sentences:
            continue
        known = vectors(hit.passage)
        cosines = (known @ question.T).max(axis=1)
        for index, (span, text) in enumerate(with_lead_in(hit.passage)):
            weighed.append(_weigh_one(contract, Sentence(hit, span, text, float(cosines[index]), known[index]), ours))
    ordered = _sorted(weighed)
    return _sorted([_by_synonym(contract, e, words) if i < _LEADING else e for i, e in enumerate(ordered)])


def _by_synonym(contract: Contract, evidence: Evidence, words: Likeness) -> Evidence:
    """Return the evidence with its focus met by a near synonym, where it lacks nothing else ("oil" by "lubricant")."""
    supports = list(evidence.support)
    beside = {term for fact in contract.facts if fact.kind in {"topic", "entity"} for term in fact.terms}
    for index, fact in enumerate(contract.facts):
        # A question with nothing else to go by ("How much does a motorcycle cost?") would be answered of the bicycle.
        if (
            fact.kind == "focus"
            and fact.role != "part"
            and (len(fact.terms) > 1 or beside - set(fact.terms))
            and supports[index] < _SYNONYM <= evidence.cosine + _NEARLY
        ):
            said = {term.term: evidence.text[term.start : term.end] for term in terms(evidence.text)}
            best = words(fact.words[-1], tuple(word for word in said.values() if word.isalpha() and len(word) >= _WORD))
            if best >= _SYNONYM:
                supports[index] = max(supports[index], _IN_SYNONYM)
                supports = [_met(f, s, evidence) for f, s in zip(contract.facts, supports, strict=True)]
    weight = _weight(contract, tuple(supports), evidence.cosine) * _standing(evidence.hit, fits=evidence.fits)
    return evidence._replace(support=tuple(supports), weight=weight)


def _met(fact: RequiredFact, supported: float, evidence: Evidence) -> float:
    """Return a topic's support by likeness, where the word it seemed to lack turned out to be said by another."""
    return max(supported, _IN_SYNONYM * likeness(evidence.cosine)) if fact.kind == "topic" else supported


def together(contract: Contract, words: Words, cited: tuple[Evidence, ...]) -> tuple[float, ...]:
    """Return how far several sentences carry each fact together; the first of them is the one that answers."""
    sentences = tuple(Sentence(e.hit, e.span, e.text, e.cosine, e.vector) for e in cited)
    joint, named_in = [], _one_row(contract, cited)
    for index, fact in enumerate(contract.facts):
        speak = named_in if fact.kind == "entity" else cited
        alone = max((evidence.support[index] for evidence in speak), default=0.0)
        if fact.kind == "topic" and cited:
            alike = likeness(max(evidence.cosine for evidence in cited))
            alone = max(topic(contract, fact, sentences, words, alike), cited[0].support[index])
        elif fact.kind == "focus" and fact.role not in {"relation", "part"}:
            grades = [max((grade(term, e.hit, e.text) for e in cited), default=0.0) for term in fact.terms]
            alone = max(alone, phrase(grades))
        joint.append(alone)
    return tuple(joint)


def _one_row(contract: Contract, cited: tuple[Evidence, ...]) -> tuple[Evidence, ...]:
    """Return what may name things together: of several rows of one table the one that names most, for it alone is of them all."""
    rows: dict[str, list[Evidence]] = {}
    for evidence in cited:
        if evidence.hit.passage.kind == "table":
            rows.setdefault(evidence.hit.passage.revision_id, []).append(evidence)
    named = [index for index, fact in enumerate(contract.facts) if fact.kind == "entity"]
    best = {id(max(found, key=lambda one: sum(one.support[index] for index in named))) for found in rows.values()}
    return tuple(one for one in cited if one.hit.passage.kind != "table" or id(one) in best)


def quoted(draft: Draft, weighed: tuple[Evidence, ...]) -> tuple[Evidence, ...]:
    """Return the weighed sentences that a draft's citations quote."""
    return tuple(
        evidence
        for evidence in weighed
        if any(
            citation.passage == evidence.hit.passage.id and citation.start <= evidence.span.start < citation.end
            for citation in draft.citations
        )
    )


def joint_weight(contract: Contract, words: Words, cited: tuple[Evidence, ...]) -> float:
    """Return the weight of several sentences together, by the cosine of the one most like the question."""
    if not cited:
        return 0.0
    fits = all(evidence.fits for evidence in cited)
    cosine = max(evidence.cosine for evidence in cited)
    return _weight(contract, together(contract, words, cited), cosine) * _standing(cited[0].hit, fits=fits)


def _sorted(weighed: list[Evidence]) -> tuple[Evidence, ...]:
    return tuple(sorted(weighed, key=lambda e: (-e.weight, -e.cosine, e.hit.passage.id, e.span.start)))


def _weigh_one(contract: Contract, one: Sentence, words: Words) -> Evidence:
    holds = says_what_holds(contract.question, one.text, one.hit.passage.section) and states(
        contract.question, one.text
    )
    found = find(contract, one.text) if holds else None
    supports = tuple(support(contract, fact, one, found, words) for fact in contract.facts)
    applies = applicability(one.hit, one.text, dict(contract.parameters))
    bound = ((bound_value(contract, key, values), values) for key, values in applies)
    fits = holds and not another_row(contract, one.hit, one.text, words.columns)
    fits = fits and not one_of_many(contract, one.hit, one.text, words.columns)
    fits = fits and all(value is None or matches(value, values) for value, values in bound)
    weight = _weight(contract, supports, one.cosine) * _standing(one.hit, fits=fits)
    return Evidence(one.hit, one.span, one.text, one.cosine, supports, found, applies, fits, weight, one.vector)


def _standing(hit: Hit, *, fits: bool) -> float:
    return (1.0 if fits else _MISFIT) * (1.0 if hit.source.authority == "authoritative" else _INFORMATIVE)


def _weight(contract: Contract, support: tuple[float, ...], cosine: float) -> float:
    """Return one weight in [0, 1]: cosine and topic together, cut where a code, the focus or the value is missing."""
    by_kind: dict[str, float] = {}
    for fact, value in zip(contract.facts, support, strict=True):
        kind = "action" if fact.optional else fact.kind
        by_kind[kind] = min(value, by_kind.get(kind, 1.0))
    whole = 0.5 * by_kind.get("topic", 1.0) + 0.5 * likeness(cosine)
    entity, focus, value = (by_kind.get(kind, 1.0) for kind in ("entity", "focus", "value"))
    action = 0.7 + 0.3 * by_kind.get("action", 1.0)
    return whole * action * (0.25 + 0.75 * entity) * (0.5 + 0.5 * focus) * (0.6 + 0.4 * value)
