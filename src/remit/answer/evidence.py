"""How well single sentences carry what the contract requires: the measure that drafting and observing share.

Every number here comes from the question and from one passage, so that a passage's weight cannot depend on what else
lies in the corpus. Term weights come from the ranking alone.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from remit.answer.applies import applicability
from remit.answer.draft import Draft
from remit.answer.spans import Found, find, gives_reason
from remit.contract.contract import Contract, RequiredFact
from remit.contract.irregular import IRREGULAR
from remit.contract.parameters import bound_value, matches
from remit.contract.terms import codes, term_set, terms
from remit.corpus.document import Passage, Span
from remit.llm.embed import Vectors
from remit.rerank.ranking import Ranking
from remit.retrieve.retriever import Hit

Likeness = Callable[[str, tuple[str, ...]], float]
"""How alike a word is to the nearest of other words: the largest cosine, 0 where there are none."""

_LEADING: Final = 4
_SYNONYM, _NEARLY = 0.54, 0.1
"""Cosine of two words from which they count as near synonyms (all-MiniLM: "oil" and "lubricant" .55, and .3 for words
that merely stand together), and how far below it a sentence's own cosine may lie to be worth asking."""
_HEAD, _NO_REASON = 0.7, 0.6
_LEXICAL: Final = 0.35
"""Share of the words in how far a topic is met, where the whole sentence is more like the question than its words."""
_ANAPHORA: Final = re.compile(r"(?:it|they|this|these|its|their)\b", re.IGNORECASE)
_OTHER_CODE, _CODE_AROUND = 0.2, 0.8
_FAMILY: Final = 4
"""Letters of a stem from which a longer stem that begins with it is taken for the same family of words."""

_IN_SENTENCE, _IN_HEADING, _IN_SYNONYM, _IN_PASSAGE = 1.0, 0.9, 0.8, 0.5


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

    `question` holds unit vectors of the claim and of its asking sentence, shape (n, d); `vectors` gives a passage's sentence vectors; `words` how alike
    a word is to the nearest of others. It is asked only for the few sentences that would lead but for the word that names
    what is asked: a single word costs as much as a sentence to encode.
    """
    rarity = _rarity(contract, ranking)
    weighed: list[Evidence] = []
    for hit in ranking.hits:
        if not hit.passage.sentences:
            continue
        known = vectors(hit.passage)
        cosines = (known @ question.T).max(axis=1)
        for index, span in enumerate(hit.passage.sentences):
            one = _Sentence(hit, span, hit.passage.quote(span), float(cosines[index]), known[index])
            weighed.append(_weigh_one(contract, one, rarity))
    ordered = _sorted(weighed)
    return _sorted([_by_synonym(contract, e, words) if i < _LEADING else e for i, e in enumerate(ordered)])


def _by_synonym(contract: Contract, evidence: Evidence, words: Likeness) -> Evidence:
    """Return the evidence with its focus met by a near synonym, where it lacks nothing else ("oil" by "lubricant")."""
    support = list(evidence.support)
    for index, fact in enumerate(contract.facts):
        if fact.kind == "focus" and support[index] < _SYNONYM <= evidence.cosine + _NEARLY:
            said = {term.term: evidence.text[term.start : term.end] for term in terms(evidence.text)}
            best = words(
                fact.words[-1], tuple(word for word in said.values() if word.isalpha() and len(word) >= _FAMILY)
            )
            support[index] = max(support[index], _IN_SYNONYM if best >= _SYNONYM else 0.0)
    weight = _weight(contract, tuple(support), evidence.cosine) * (1.0 if evidence.fits else 0.1)
    return evidence._replace(support=tuple(support), weight=weight)


def together(contract: Contract, ranking: Ranking, cited: tuple[Evidence, ...]) -> tuple[float, ...]:
    """Return how far several sentences carry each fact together: a term counts where any of them holds it."""
    rarity = _rarity(contract, ranking)
    joint = []
    for index, fact in enumerate(contract.facts):
        alone = max((evidence.support[index] for evidence in cited), default=0.0)
        grades = [max((_grade(term, e.hit, e.text) for e in cited), default=0.0) for term in fact.terms]
        if fact.kind == "topic":
            scene = [max((_grade(term, e.hit, e.text) for e in cited), default=0.0) for term in fact.scene]
            whole = _average((*fact.terms, *fact.scene), [*grades, *scene], rarity)
            alone = max(alone, _average(fact.terms, grades, rarity), whole if scene else 0.0)
        elif fact.kind == "focus":
            alone = max(alone, _focus(grades))
        joint.append(alone)
    return tuple(joint)


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


def joint_weight(contract: Contract, ranking: Ranking, cited: tuple[Evidence, ...]) -> float:
    """Return the weight of several sentences together, by the cosine of the one most like the question."""
    if not cited:
        return 0.0
    fits = all(evidence.fits for evidence in cited)
    cosine = max(evidence.cosine for evidence in cited)
    return _weight(contract, together(contract, ranking, cited), cosine) * (1.0 if fits else 0.1)


def _sorted(weighed: list[Evidence]) -> tuple[Evidence, ...]:
    return tuple(sorted(weighed, key=lambda e: (-e.weight, -e.cosine, e.hit.passage.id, e.span.start)))


class _Sentence(NamedTuple):
    hit: Hit
    span: Span
    text: str
    cosine: float
    vector: NDArray[np.float32]


def _weigh_one(contract: Contract, one: _Sentence, rarity: dict[str, float]) -> Evidence:
    found = find(contract, one.text)
    support = tuple(_support(fact, one, found, rarity) for fact in contract.facts)
    applies = applicability(one.hit, one.text)
    bound = ((bound_value(contract, key, values), values) for key, values in applies)
    fits = all(value is None or matches(value, values) for value, values in bound)
    weight = _weight(contract, support, one.cosine) * (1.0 if fits else 0.1)
    return Evidence(one.hit, one.span, one.text, one.cosine, support, found, applies, fits, weight, one.vector)


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


def likeness(cosine: float) -> float:
    """Return how alike a cosine says that question and sentence are, in [0, 1]: 0 at .2 and below, 1 at .75 and above.

    All-MiniLM gives unrelated sentences of one field .1 to .3, and a question with its answer .5 and more.
    """
    return max(0.0, min(1.0, (cosine - 0.2) / 0.55))


def _support(fact: RequiredFact, one: _Sentence, found: Found | None, rarity: dict[str, float]) -> float:
    match fact.kind:
        case "value" if fact.dimensions == ("reason",):
            return 1.0 if gives_reason(one.text) else _NO_REASON
        case "value":
            return 1.0 if found is not None else 0.0
        case "entity":
            return _entity(fact.name, one.hit, one.text)
        case "focus":
            return _focus([_grade(term, one.hit, one.text) for term in fact.terms])
        case "topic":
            alone = _terms(fact.terms, one.hit, one.text, rarity)
            lexical = max(alone, _terms((*fact.terms, *fact.scene), one.hit, one.text, rarity) if fact.scene else 0.0)
            return max(lexical, _LEXICAL * lexical + (1 - _LEXICAL) * likeness(one.cosine))


def _focus(grades: list[float]) -> float:
    """Return how far a noun phrase is met: its last word is its head and counts most."""
    if len(grades) == 1:
        return grades[0]
    return _HEAD * grades[-1] + (1 - _HEAD) * sum(grades[:-1]) / (len(grades) - 1)


def _terms(wanted: tuple[str, ...], hit: Hit, text: str, rarity: dict[str, float]) -> float:
    return _average(wanted, [_grade(term, hit, text) for term in wanted], rarity)


def _average(wanted: tuple[str, ...], grades: list[float], rarity: dict[str, float]) -> float:
    total = sum(rarity.get(term, 1.0) for term in wanted)
    carried = sum(grade * rarity.get(term, 1.0) for term, grade in zip(wanted, grades, strict=True))
    return carried / total if total else 0.0


def _grade(term: str, hit: Hit, text: str) -> float:
    """Return how well a sentence carries a term: itself, by its headings, or by the passage around it (no table row)."""
    language = hit.source.language
    if among(term, term_set(text, language)):
        return _IN_SENTENCE
    if among(term, term_set(" ".join((hit.source.title, *hit.passage.section)), language)):
        return _IN_HEADING
    around = hit.passage.kind == "prose" and among(term, term_set(hit.passage.text, language))
    return _IN_PASSAGE if around else 0.0


def among(term: str, others: frozenset[str]) -> bool:
    """Say whether a term or another word of its family is there: "signatur" and "sign", "tighten" and "tight"."""
    if term in others or any(form in others for form in IRREGULAR.get(term, ())):
        return True
    if len(term) < _FAMILY or not term.isalpha():
        return False
    return any(
        len(other) >= _FAMILY and (term.startswith(other) or other.startswith(term)) and other.isalpha()
        for other in others
    )


def _entity(code: str, hit: Hit, text: str) -> float:
    """Return 1 where the sentence or its headings name the code, less where only the passage does, 0 elsewhere.

    A sentence that names another code of the same family ("P-102" for "P-101") speaks of that one.
    """
    inside = codes(text)
    family = code.split("-", maxsplit=1)[0].rstrip("0123456789")
    if code in inside or code == hit.source.document.casefold():
        return 1.0
    others = [other for other in inside if other.split("-", maxsplit=1)[0].rstrip("0123456789") == family]
    if any(other.split("/", maxsplit=1)[0] != code for other in others):
        return _OTHER_CODE
    if code in codes(" ".join((hit.source.title, *hit.passage.section))):
        return 1.0
    if _ANAPHORA.match(text) and code in codes(hit.passage.text):
        return 1.0
    return _CODE_AROUND if hit.passage.kind == "prose" and code in codes(hit.passage.text) else 0.0


def _rarity(contract: Contract, ranking: Ranking) -> dict[str, float]:
    """Return a weight per question term: rarer among the ranked passages weighs more."""
    bodies = [
        term_set(" ".join((hit.source.title, *hit.passage.section, hit.passage.text)), hit.source.language)
        for hit in ranking.hits
    ]
    wanted = {term for fact in contract.facts for term in (*fact.terms, *fact.scene)}
    count = len(bodies)
    return {term: 1.0 + math.log1p(count / (1 + sum(term in body for body in bodies))) / 2 for term in wanted}
