"""Which number of a sentence a question asks for; None where none is, the whole sentence where two could be."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from remit.answer.found import Found, comparable
from remit.contract.contract import Contract, RequiredFact
from remit.contract.quantity import SYMBOLS, Quantity, quantities
from remit.contract.terms import STOPWORDS, codes, term_set
from remit.contract.translated import in_english
from remit.contract.units import fits

_CLAUSE: Final = re.compile(r";|,\s|\b(?:and|but|while|whereas|or|und|et)\b")
_BEHIND: Final = 40
_SHORTEST: Final = 3
_SELF_NAMED: Final = frozenset({"torque", "pressure", "temperature", "force", "speed", "voltage", "power"})
"""Dimensions that a column need not name in the question's words: a torque is a torque."""
_PRICE: Final = re.compile(r"\b(?:price|cost|fee|charge|fare|rate|amount)s?\b", re.IGNORECASE)
"""Labels of money that answer what something costs: a price is what it costs, a deposit is not."""
_MOST: Final = re.compile(r"\b(?:max(?:imum)?|highest|most|at most|longest|upper)\b", re.IGNORECASE)
_LEAST: Final = re.compile(r"\b(?:min(?:imum)?|lowest|least|shortest|lower)\b", re.IGNORECASE)
_UP_TO: Final = re.compile(
    r"(?:at most|no(?:t)? (?:more|longer|faster|higher|later) than|max(?:imum)?(?: of)?|up to|not exceed|below|within)\s*$",
    re.IGNORECASE,
)
_FROM: Final = re.compile(
    r"(?:at least|no(?:t)? (?:less|fewer|lower) than|min(?:imum)?(?: of)?|above|over)\s*$", re.IGNORECASE
)
_NOT: Final = re.compile(r"\bnot\s+(?:at\s+|be\s+|by\s+)?$", re.IGNORECASE)
_RANGE: Final = re.compile(
    r"(?P<low>\d[\d.,]*)\s*(?:to|-|\u2013)\s*$|between\s+(?P<from>\d[\d.,]*)\s+and\s*$", re.IGNORECASE
)
_EVERY: Final = re.compile(r"\b(?:every|each|alle|jede[nrs]?|tous les|toutes les|cada)\s+(?:the\s+)?$", re.IGNORECASE)
_LASTS: Final = re.compile(r"\bhow long\b", re.IGNORECASE)
_BETWEEN: Final = re.compile(r"\b(?:between|interval|apart|until|before|after)\b", re.IGNORECASE)
"""How long something lasts is not how often it comes; how long it is until it comes again may be."""
_WHICH: Final = re.compile(r"\b(?:which|what)\b", re.IGNORECASE)
_PAST: Final = re.compile(r"\b(?:was|were|had been|until|formerly|before)\b", re.IGNORECASE)


class _Choice(NamedTuple):
    quantity: Quantity
    score: float
    distance: int


def number(contract: Contract, sentence: str) -> Found | None:
    """Return the number of the wanted dimension that stands with the question's words."""
    fact = next((fact for fact in contract.facts if fact.kind == "value"), None)
    fitting = _fitting(contract, fact, sentence)
    if not fitting:
        return None
    choices = sorted(
        (_Choice(q, _score(contract, sentence, q), distance(contract, sentence, q.start)) for q in fitting),
        key=lambda choice: (-choice.score, choice.distance, choice.quantity.start),
    )
    best = choices[0]
    rivals = [c for c in choices[1:] if c.score == best.score and comparable(c.quantity) != comparable(best.quantity)]
    if any(_clause(sentence, rival.quantity) != _clause(sentence, best.quantity) for rival in rivals):
        return Found(sentence, 0, len(sentence), None)
    return _shown(sentence, best.quantity)


def numbered(contract: Contract, sentence: str) -> Found | None:
    """Return the number that stands right behind the thing asked for, as in "port 7443"; None where two could be meant."""
    focus = next(
        (fact for fact in contract.facts if fact.kind == "focus" and not fact.optional and fact.role != "part"), None
    )
    if focus is None or _WHICH.search(contract.claim) is None:
        return None
    behind = re.compile(rf"\b{re.escape(focus.words[-1])}\s+(?:no\.?\s*)?(?P<value>\d[\w.]*\b)", re.IGNORECASE)
    found = [Quantity(0.0, "number", "", *match.span("value")) for match in behind.finditer(sentence)]
    scored = sorted(((_score(contract, sentence, one), one) for one in found), key=lambda pair: -pair[0])
    if not scored or (len(scored) > 1 and scored[0][0] == scored[1][0]):
        return None
    best = scored[0][1]
    written = whole_amount(sentence[best.start : best.end], sentence)
    return Found(written, best.start, best.start + len(written), ("name", written))


def _fitting(contract: Contract, fact: RequiredFact | None, sentence: str) -> list[Quantity]:
    wanted = () if fact is None else fact.dimensions
    counted = "" if fact is None or not fact.words else fact.words[0]
    lasts = _LASTS.search(asks := in_english(contract.claim)) is not None and _BETWEEN.search(asks) is None
    inside_codes = [found.span() for code in codes(sentence) for found in places(code, sentence)]
    return [
        quantity
        for quantity in quantities(sentence)
        if (not wanted or fits(quantity.dimension, wanted))
        and (not counted or _counts(counted, sentence, quantity))
        and not any(start <= quantity.start < end for start, end in inside_codes)
        and not _NOT.search(sentence[: quantity.start])
        and not (lasts and _EVERY.search(sentence[: quantity.start]))
        and _labelled(contract, sentence, quantity, wanted)
    ]


def _shown(sentence: str, quantity: Quantity) -> Found:
    start = quantity.start
    written = sentence[start : quantity.end]
    if quantity.unit and quantity.dimension != "count" and quantity.unit not in written:
        written = f"{written} {SYMBOLS.get(quantity.unit, quantity.unit)}"
    lower = _RANGE.search(sentence[:start])
    if lower is None:
        return Found(written, start, quantity.end, comparable(quantity))
    low = lower["low"] or lower["from"]
    begins = lower.start("low") if lower["low"] else lower.start()
    kind, value = comparable(quantity)
    return Found(sentence[begins : quantity.end], begins, quantity.end, (f"{kind} range", f"{low} {value}"))


def _counts(counted: str, sentence: str, quantity: Quantity) -> bool:
    """Say whether a number counts what is asked for: by the words behind it, or by the label of its table cell."""
    behind = " ".join(sentence[quantity.start : quantity.end + _BEHIND].split()[1:4])
    return bool(term_set(counted) & (term_set(behind) | term_set(_label(sentence, quantity.start) or "")))


def _labelled(contract: Contract, sentence: str, quantity: Quantity, wanted: tuple[str, ...]) -> bool:
    """Say whether a table cell's label names what is asked; prose has no labels and passes."""
    label = _label(sentence, quantity.start)
    if label is None:
        return True
    words = re.findall(r"[^\W\d_]{3,}", f"{label} {in_english(label)}")
    shares = any(_related(word, _asked_words(contract)) for word in words)
    named = quantity.dimension in _SELF_NAMED or (quantity.dimension == "money" and _PRICE.search(label) is not None)
    return shares or (quantity.dimension in wanted and named and len(wanted) <= _SHORTEST)


def _label(sentence: str, start: int) -> str | None:
    found = re.search(r"(?:^|;\s)([^:;]{1,60}):[^:;]*$", sentence[:start])
    return None if found is None or ";" not in sentence else found.group(1)


def _score(contract: Contract, sentence: str, quantity: Quantity) -> float:
    """Return how well a number's own clause meets the question: its words, a most or a least, and the tense."""
    clause = _own_words(sentence, quantity)
    words = _asked_words(contract)
    shared = {word.casefold() for word in re.findall(r"[^\W\d_]{3,}", clause) if _related(word, words)}
    named = set(codes(sentence[slice(*_clause(sentence, quantity))])) & set(codes(contract.claim))
    score = float(len(shared)) + 3.0 * len(named)
    before = sentence[: quantity.start]
    if _MOST.search(contract.claim):
        score += 2.0 * bool(_UP_TO.search(before)) - 2.0 * bool(_FROM.search(before))
    if _LEAST.search(contract.claim):
        score += 2.0 * bool(_FROM.search(before)) - 2.0 * bool(_UP_TO.search(before))
    past = _PAST.search(clause) is not None and _PAST.search(contract.claim) is None
    return score - 1.5 * past


def _own_words(sentence: str, quantity: Quantity) -> str:
    """Return a number's clause without the words that the sentence begins with: its subject holds for every clause."""
    start, end = _clause(sentence, quantity)
    opening = re.match(r"(?:\S+\s+){1,3}", sentence)
    subject = opening.end() if opening is not None else 0
    return sentence[max(start, min(subject, quantity.start)) : end]


def _clause(sentence: str, quantity: Quantity) -> tuple[int, int]:
    cuts = [found.span() for found in _CLAUSE.finditer(sentence)]
    start = max((end for _, end in cuts if end <= quantity.start), default=0)
    end = min((begin for begin, _ in cuts if begin >= quantity.end), default=len(sentence))
    return start, end


def distance(contract: Contract, sentence: str, start: int) -> int:
    """Return how far a place stands from the nearest word of the question, in characters; a table cell's label is near."""
    label = _label(sentence, start)
    if label is not None:
        return len(sentence) - sum(
            _related(word, _asked_words(contract)) for word in re.findall(r"[^\W\d_]{3,}", label)
        )
    words = _asked_words(contract)
    found = [place.start() for place in re.finditer(r"[^\W\d_]{3,}", sentence) if _related(place.group(), words)]
    return min((abs(place - start) for place in found), default=len(sentence))


def _asked_words(contract: Contract) -> frozenset[str]:
    claim = contract.claim.casefold()
    words = frozenset(re.findall(r"[^\W\d_]{3,}", f"{claim} {in_english(claim)}"))
    return words - STOPWORDS.get(contract.language, STOPWORDS["en"])


def _related(word: str, words: frozenset[str]) -> bool:
    folded = word.casefold()
    long = (other for other in words if len(other) >= _SHORTEST)
    return any(folded.startswith(other) or other.startswith(folded) for other in long)


def whole_amount(words: str, sentence: str) -> str:
    """Return some words of a sentence with the whole of the amount that they cut: "42 million EUR" for "42 million"."""
    start = sentence.find(words)
    end = start + len(words)
    for one in quantities(sentence) if start >= 0 else ():
        cuts = one.start <= start < one.end < start + len(words) + 1 or (one.start <= start and end <= one.end)
        if cuts and one.dimension not in {"count", "number"}:
            return sentence[one.start : max(end, one.end)]
    return words


def places(code: str, text: str) -> list[re.Match[str]]:
    """Return where a code stands in a text, whatever its case."""
    return list(re.finditer(rf"(?<!\w){re.escape(code)}(?!\w)", text, re.IGNORECASE))
