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

from remit.answer.spans import Found, find
from remit.contract.contract import Contract, RequiredFact
from remit.contract.parameters import bound_value, matches
from remit.contract.terms import codes, term_set
from remit.corpus.document import Passage, Span
from remit.llm.embed import Vectors
from remit.rerank.ranking import Ranking
from remit.retrieve.retriever import Hit

_FAMILY: Final = 4
"""Letters of a stem from which a longer stem that begins with it is taken for the same family of words."""

_IN_SENTENCE, _IN_HEADING, _IN_PASSAGE = 1.0, 0.9, 0.6


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


def weigh(
    contract: Contract, ranking: Ranking, question: Vectors, vectors: Callable[[Passage], Vectors]
) -> tuple[Evidence, ...]:
    """Return every sentence of the ranking weighed against the contract, heaviest first.

    `question` is the claim's unit vector, shape (1, d); `vectors` gives a passage's sentence vectors.
    """
    rarity = _rarity(contract, ranking)
    weighed: list[Evidence] = []
    for hit in ranking.hits:
        cosines = vectors(hit.passage) @ question[0] if hit.passage.sentences else np.zeros(0, dtype=np.float32)
        for index, span in enumerate(hit.passage.sentences):
            weighed.append(_weigh_one(contract, hit, span, float(cosines[index]), rarity))
    return tuple(sorted(weighed, key=lambda e: (-e.weight, e.hit.passage.id, e.span.start)))


def _weigh_one(contract: Contract, hit: Hit, span: Span, cosine: float, rarity: dict[str, float]) -> Evidence:
    text = hit.passage.quote(span)
    found = find(contract, text)
    support = tuple(_support(fact, hit, text, found, rarity) for fact in contract.facts)
    applies = applicability(hit, text)
    fits = all(
        (bound := bound_value(contract, key, values)) is None or matches(bound, values) for key, values in applies
    ) and not _other_value(contract, applies)
    return Evidence(hit, span, text, cosine, support, found, applies, fits, _weight(contract, support, cosine, fits))


def _weight(contract: Contract, support: tuple[float, ...], cosine: float, fits: bool) -> float:
    """Return one weight in [0, 1] from the supports and the cosine; an applicability that does not fit leaves a tenth."""
    kinds = {"entity": 1.0, "topic": 2.0, "focus": 1.0, "value": 1.5}
    total = sum(kinds[fact.kind] for fact in contract.facts)
    carried = sum(kinds[fact.kind] * value for fact, value in zip(contract.facts, support, strict=True))
    lexical = carried / total if total else 0.0
    whole = 0.5 * lexical + 0.5 * max(0.0, min(1.0, (cosine + 0.1) / 0.9))
    entities = [value for fact, value in zip(contract.facts, support, strict=True) if fact.kind == "entity"]
    return whole * (1.0 if fits else 0.1) * (0.25 + 0.75 * min(entities, default=1.0))


def _support(fact: RequiredFact, hit: Hit, text: str, found: Found | None, rarity: dict[str, float]) -> float:
    match fact.kind:
        case "value":
            return 1.0 if found is not None else 0.0
        case "entity":
            return _entity(fact.name, hit, text)
        case _:
            return _terms(fact.terms, hit, text, rarity)


def _terms(terms: tuple[str, ...], hit: Hit, text: str, rarity: dict[str, float]) -> float:
    language = hit.source.language
    sentence = term_set(text, language)
    heading = term_set(" ".join((hit.source.title, *hit.passage.section)), language)
    passage = frozenset[str]() if hit.passage.kind == "table" else term_set(hit.passage.text, language)
    total = sum(rarity.get(term, 1.0) for term in terms)
    carried = 0.0
    for term in terms:
        grade = _IN_SENTENCE if _among(term, sentence) else _IN_HEADING if _among(term, heading) else 0.0
        grade = grade or (_IN_PASSAGE if _among(term, passage) else 0.0)
        carried += grade * rarity.get(term, 1.0)
    return carried / total if total else 0.0


def _among(term: str, others: frozenset[str]) -> bool:
    """Say whether a term or another word of its family is there: "signatur" and "sign", "tighten" and "tight"."""
    if term in others:
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
    family = code.split("-")[0].rstrip("0123456789")
    if code in inside:
        return 1.0
    others = [other for other in inside if other.split("-")[0].rstrip("0123456789") == family]
    if others and any(other.split("/")[0] != code for other in others):
        return 0.2
    if code in codes(" ".join((hit.source.title, *hit.passage.section))):
        return 1.0
    return 0.8 if hit.passage.kind == "prose" and code in codes(hit.passage.text) else 0.0


def applicability(hit: Hit, row: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return what a sentence applies to: its revision's `applies_to`, and for a table row its short label cells."""
    keys = dict(hit.source.applies_to)
    if hit.passage.kind == "table":
        for cell in row.rstrip(".").split(";"):
            name, separator, value = cell.partition(":")
            key = name.strip().casefold().replace(" ", "_")
            if separator and key.endswith(("revision", "line", "region", "variant", "version", "model_year")):
                keys[key] = (value.strip(),)
    return tuple(sorted(keys.items()))


def _other_value(contract: Contract, applies: tuple[tuple[str, tuple[str, ...]], ...]) -> bool:
    """Say whether the question fixes a key to a value that this evidence is not about, such as "line 2" of line 1."""
    for key, values in applies:
        last = key.split("_")[-1]
        stem = last[:3] if len(last) > 4 else last
        for found in re.finditer(rf"\b{stem}[a-z]*\.?\s+(\w{{1,4}})\b", contract.question.casefold()):
            value = found.group(1)
            if (value.isdigit() or len(value) == 1) and not matches(value, values):
                return True
    return False


def _rarity(contract: Contract, ranking: Ranking) -> dict[str, float]:
    """Return a weight per question term: rarer among the ranked passages weighs more."""
    bodies = [
        term_set(" ".join((hit.source.title, *hit.passage.section, hit.passage.text)), hit.source.language)
        for hit in ranking.hits
    ]
    terms = {term for fact in contract.facts for term in fact.terms}
    count = len(bodies)
    return {term: 1.0 + math.log1p(count / (1 + sum(term in body for body in bodies))) / 2 for term in terms}
