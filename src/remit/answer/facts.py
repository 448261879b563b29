"""How far one sentence carries one required fact, in [0, 1]."""

from __future__ import annotations

import itertools
import math
import re
from bisect import bisect_left
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from remit.answer.applies import applicability, applies_to
from remit.answer.found import Found
from remit.answer.opposites import says_opposite
from remit.answer.parties import names_party
from remit.answer.rows import Columns, columns_of
from remit.answer.spans import gives_reason
from remit.contract.compare import in_unit
from remit.contract.contract import Contract, RequiredFact
from remit.contract.frame import interrogative
from remit.contract.irregular import IRREGULAR
from remit.contract.parameters import matches
from remit.contract.relations import alike, another_relation, runs_backwards, thing_missed
from remit.contract.stopwords import GENERIC, STOPWORDS
from remit.contract.terms import codes, term_set
from remit.corpus.document import Span
from remit.rerank.ranking import Ranking
from remit.retrieve.retriever import Hit

_HEAD, _NO_REASON = 0.7, 0.4
"""Share of its last word in how far a noun phrase is met; support of a reason by a sentence that gives none in words."""
_LEXICAL: Final = 0.35
"""Share of the words in how far a topic is met, where the whole sentence is more like the question than its words."""
_OTHER_THING: Final = 0.6
"""What is left of a topic where the sentence speaks of another kind of the thing: "cover bolts" for "casing bolts"."""
_STRANGE: Final = 0.6
"""How much of a topic goes with the share of its words that stand in other passages and not in the one cited."""
_ANAPHORA: Final = re.compile(r"(?:it|they|this|these|its|their)\b", re.IGNORECASE)
_OTHER_UNIT: Final = 0.8
_OTHER_CODE, _CODE_AROUND = 0.2, 0.8
_FAMILY: Final = 4
"""Letters of a stem from which a longer stem that begins with it is taken for the same family of words."""
_IN_SENTENCE, _IN_HEADING, _IN_PASSAGE = 1.0, 0.9, 0.5


class Sentence(NamedTuple):
    """A sentence to weigh: where it stands, its text with the lead-in of the list it belongs to, and its vector."""

    hit: Hit
    span: Span
    text: str
    cosine: float
    vector: NDArray[np.float32]


class Words(NamedTuple):
    """What the ranking says of the question's words: how rare each is, and which passages hold it; and the cells of its tables."""

    rarity: dict[str, float]
    held: dict[str, frozenset[str]]
    columns: Columns


def words_of(contract: Contract, ranking: Ranking) -> Words:
    """Return the question's words as the ranked passages use them; rarer among them weighs more."""
    bodies = {
        hit.passage.id: term_set(
            " ".join((hit.source.title, *hit.passage.section, hit.passage.text)), hit.source.language
        )
        for hit in ranking.hits
    }
    wanted = {term for fact in contract.facts for term in (*fact.terms, *fact.scene)}
    held = {term: frozenset(id for id, body in bodies.items() if among(term, body)) for term in wanted}
    rarity = {term: 1.0 + math.log1p(len(bodies) / (1 + len(ids))) / 2 for term, ids in held.items()}
    return Words(rarity, held, columns_of(ranking))


def support(contract: Contract, fact: RequiredFact, one: Sentence, found: Found | None, words: Words) -> float:
    """Return how far a sentence carries a fact."""
    match fact.kind:
        case "value" if fact.dimensions == ("reason",):
            return 1.0 if gives_reason(one.text) else _NO_REASON
        case "value":
            return 0.0 if found is None else _unit(contract, found)
        case "entity":
            return named(fact, one)
        case "focus" if fact.role == "part":
            said = min(grade(term, one.hit, one.text) for term in fact.terms)
            return said if said > _IN_PASSAGE else 0.0
        case "focus" if fact.role == "relation":
            return stated(fact, one.hit, one.text)
        case "focus":
            return phrase([grade(term, one.hit, one.text) for term in fact.terms])
        case "topic":
            return topic(contract, fact, (one,), words, likeness(one.cosine))


def _unit(contract: Contract, found: Found) -> float:
    """Return how far a value is in the unit asked for: of two sentences, the one that gives days says how many days."""
    return 1.0 if contract.unit is None or in_unit(found.text, contract.unit) else _OTHER_UNIT


def topic(contract: Contract, fact: RequiredFact, cited: tuple[Sentence, ...], words: Words, alike: float) -> float:
    """Return how far sentences together carry a topic: a term counts where any of them holds it.

    A term that none of them holds while another ranked passage does is a bad sign: the corpus has the word, and uses it
    elsewhere. So is another thing of the same kind ("cover bolts" where "casing bolts" are asked for).
    """
    grades = {term: max(grade(term, s.hit, s.text) for s in cited) for term in (*fact.terms, *fact.scene)}
    alone = _average(fact.terms, grades, words)
    lexical = max(alone, _average((*fact.terms, *fact.scene), grades, words)) if fact.scene else alone
    here = {s.hit.passage.id for s in cited}
    elsewhere = {
        term: float(grades[term] == 0 and bool(words.held.get(term, frozenset()) - here)) for term in fact.terms
    }
    strange = _average(fact.terms, elsewhere, words)
    kinds = sum(
        grades[first] == 0 and _another_kind(first, second, cited[0])
        for first, second in _pairs(contract.claim, fact.terms, fact.words)
    )
    whole = max(lexical, _LEXICAL * lexical + (1 - _LEXICAL) * alike)
    whole *= _OTHER_CODE if _of_something_else(contract, cited, words) else 1.0
    return whole * (1 - _STRANGE * strange) * _OTHER_THING**kinds


def _of_something_else(contract: Contract, cited: tuple[Sentence, ...], words: Words) -> bool:
    """Say whether sentences speak of the opposite of what is asked, of another relation to it or the wrong way round.

    Where they have the relation and not the thing, and other passages do name the thing, they are about another thing; where
    none does, the thing may have another name here.
    """
    text = " ".join(s.text for s in cited)
    if says_opposite(contract.claim, text):
        return True
    if contract.language != "en" or contract.form not in {"name", "date", "number"}:
        return False
    whole = " ".join((text, *(_headings(s.hit) for s in cited)))
    asks = interrogative(contract.claim)
    told_of_elsewhere = any(words.held.get(term) for term in thing_missed(asks, whole))
    return told_of_elsewhere or another_relation(asks, text) or runs_backwards(asks, text)


def stated(fact: RequiredFact, hit: Hit, text: str) -> float:
    """Return how far a sentence or its headings state the relation asked about; what stands around it states nothing."""
    said = {grade(term, hit, text) for term in (*fact.terms, *(same for term in fact.terms for same in alike(term)))}
    best = max(said)
    return best if best > _IN_PASSAGE else 0.0


def phrase(grades: list[float]) -> float:
    """Return how far a noun phrase is met: its last word is its head and counts most."""
    if len(grades) == 1:
        return grades[0]
    return _HEAD * grades[-1] + (1 - _HEAD) * sum(grades[:-1]) / (len(grades) - 1)


def likeness(cosine: float) -> float:
    """Return how alike a cosine says that question and sentence are, in [0, 1]: 0 at .2 and below, 1 at .75 and above.

    All-MiniLM gives unrelated sentences of one field .1 to .3, and a question with its answer .5 and more.
    """
    return max(0.0, min(1.0, (cosine - 0.2) / 0.55))


def grade(term: str, hit: Hit, text: str) -> float:
    """Return how well a sentence carries a term: itself, by its headings, or by the passage around it (no table row)."""
    language = hit.source.language
    if among(term, term_set(text, language)):
        return _IN_SENTENCE
    if among(term, term_set(_headings(hit), language)):
        return _IN_HEADING
    around = hit.passage.kind == "prose" and among(term, term_set(hit.passage.text, language))
    return _IN_PASSAGE if around else 0.0


def among(term: str, others: frozenset[str]) -> bool:
    """Say whether a term or another word of its family is there: "signatur" and "sign", "tighten" and "tight"."""
    if term in others or not others.isdisjoint(IRREGULAR.get(term, ())):
        return True
    if len(term) < _FAMILY or not term.isalpha():
        return False
    words = _in_order(others)
    at = bisect_left(words, term)
    if at < len(words) and words[at].startswith(term):
        return True
    return not others.isdisjoint([term[:length] for length in range(_FAMILY, min(len(term), _longest(others) + 1))])


@lru_cache(maxsize=4096)
def _longest(terms: frozenset[str]) -> int:
    return max(map(len, terms), default=0)


@lru_cache(maxsize=4096)
def _in_order(terms: frozenset[str]) -> tuple[str, ...]:
    """Return the words among terms, sorted: those that begin alike stand together."""
    return tuple(sorted(term for term in terms if term.isalpha()))


def named(fact: RequiredFact, one: Sentence) -> float:
    """Return 1 where the sentence or its headings name the code, name or qualified thing, less around it, 0 elsewhere.

    A sentence that names another of the same family ("P-102" for "P-101", "unit 4" for "unit 7") speaks of that one.
    """
    if fact.qualifier is not None:
        return _qualified(*fact.qualifier, one)
    if fact.role == "party":
        return names_party(fact, one.text, _headings(one.hit), one.hit.passage.text)
    if not any(character.isdigit() for character in fact.name):
        met = grade(fact.terms[0], one.hit, one.text)
        return 1.0 if met > _IN_PASSAGE or applies_to(one.hit, fact.terms[0]) else met
    return _OTHER_CODE if _of_another_sort(fact, one) else _coded(fact.name, one)


def _of_another_sort(fact: RequiredFact, one: Sentence) -> bool:
    """Say whether the passage has its code behind another noun, and the one that the question has nowhere."""
    language, around = one.hit.source.language, f"{_headings(one.hit)}\n{one.hit.passage.text}"
    if (
        not fact.sort
        or language != "en"
        or any(among(term, term_set(around, language)) for term in term_set(fact.sort))
    ):
        return False
    before = re.findall(rf"\b([^\W\d_]{{3,}})\s+{re.escape(fact.name)}(?![\w-])", around, re.IGNORECASE)
    return any(word.casefold() not in GENERIC | STOPWORDS["en"] for word in before)


def _coded(code: str, one: Sentence) -> float:
    inside, passage = codes(one.text), one.hit.passage
    if code in inside or code == one.hit.source.document.casefold():
        return 1.0
    others = [other for other in inside if _family(other) == _family(code)]
    if any(other.split("/", maxsplit=1)[0] != code for other in others):
        return _OTHER_CODE
    around = code in codes(passage.text)
    if code in codes(_headings(one.hit)) or (_ANAPHORA.match(one.text) and around):
        return 1.0
    return _CODE_AROUND if passage.kind == "prose" and around else 0.0


def _family(code: str) -> str:
    return code.split("-", maxsplit=1)[0].rstrip("0123456789")


def _qualified(key: str, value: str, one: Sentence) -> float:
    for name, values in applicability(one.hit, one.text, (key,)):
        if name.split("_")[-1].startswith(key[:3]):
            return 1.0 if matches(value, values) else 0.0
    said = re.compile(
        rf"\b{re.escape(key[:3])}[a-z]*\.?s?\s*(?:no\.?\s*)?(?P<value>[A-Za-z]|\d+[a-z]?)\b", re.IGNORECASE
    )
    for text, most in ((one.text, 1.0), (_headings(one.hit), 1.0), (one.hit.passage.text, _IN_PASSAGE)):
        stated = {found["value"].casefold() for found in said.finditer(text)}
        if value.casefold() in stated:
            return most
        if stated:
            return _OTHER_CODE
    return 0.0


def _headings(hit: Hit) -> str:
    return " ".join((hit.source.title, *hit.passage.section))


@lru_cache(maxsize=1024)
def _pairs(claim: str, terms: tuple[str, ...], words: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Return the topic terms that stand side by side in the question, as ("casing", "bolt")."""
    asked = claim.casefold()
    return tuple(
        (first, second)
        for (first, one), (second, two) in itertools.pairwise(zip(terms, words, strict=True))
        if re.search(rf"\b{re.escape(one)}\s+{re.escape(two)}\b", asked)
    )


def _another_kind(first: str, second: str, one: Sentence) -> bool:
    """Say whether the sentence has the second word of a pair behind another word, and the first nowhere."""
    language = one.hit.source.language
    for before, word in itertools.pairwise(_words_and_marks(one.text)):
        kind, thing = term_set(before, language), term_set(word, language)
        if among(second, thing) and before[0].isalpha() and len(before) >= _FAMILY and not among(first, kind):
            return True
    return False


@lru_cache(maxsize=4096)
def _words_and_marks(text: str) -> tuple[str, ...]:
    return tuple(re.findall(r"[^\W\d_][\w-]*|\S", text))


def _average(wanted: tuple[str, ...], grades: dict[str, float], words: Words) -> float:
    total = sum(words.rarity.get(term, 1.0) for term in wanted)
    carried = sum(grades[term] * words.rarity.get(term, 1.0) for term in wanted)
    return carried / total if total else 0.0
