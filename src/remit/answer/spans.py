"""The shortest span of a sentence that has the form the question asks for; None where the sentence holds none."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from remit.contract.contract import Contract, RequiredFact
from remit.contract.quantity import SYMBOLS, Quantity, dates, quantities
from remit.contract.terms import codes, term_set


class Found(NamedTuple):
    """An answer inside a sentence: its text, where it stands (offsets into the sentence), and its comparable value.

    A number whose unit stands in the label of its table cell is shown with it.
    """

    text: str
    start: int
    end: int
    value: tuple[str, float | str] | None


_NO: Final = re.compile(
    r"\b(?:not|no|never|none|nobody|must not|may not|cannot|can't|forbidden|prohibited|banned|neither|nor|without exception"
    r"|nicht|kein\w*|verboten|ne .{1,20}pas|interdit\w*)\b",
    re.IGNORECASE,
)
_MODAL: Final = re.compile(
    r"\b(?:may|must|can|allowed|permitted|required|need(?:s|ed)?|obliged|shall|only|darf|muss|peut|doit|autorisé\w*)\b",
    re.IGNORECASE,
)
_ROLE: Final = re.compile(
    r"\b(?:(?:the|a|an|der|die|le|la)\s+)?(?P<role>(?:[a-zäöüß-]+\s){0,2}(?:[a-z]*(?:engineer|manager|officer|operator"
    r"|planner|clerk|fitter|adviser|advisor|supervisor|inspector|technician|electrician|director|contractor|foreman"
    r"|coordinator|keeper|guard|driver|head|nurse|doctor|chief|team|department|desk|room|office|control room))"
    r"(?:\s(?:[A-Z]|of\s[a-z]+|on\s(?:duty|call)))?)\b",
)
_PROPER: Final = re.compile(r"(?<![.!?:]\s)(?<!^)\b[A-ZÄÖÜ][\w'-]+(?:\s+[A-ZÄÖÜ][\w'-]+)*")
_FIRST: Final = re.compile(
    r"(?!Nobody|Anyone|Everyone|Someone|This|That|It|They|There)(?P<name>[A-ZÄÖÜ][a-zäöüß]+)\s+(?:and\s+[A-Z][a-z]+\s+)?(?:\w+ed|\w+s|kept|took|held|made)\b"
)
"""A sentence that begins with a name and goes on with a verb; asked for only where a person is wanted."""
_TIME: Final = re.compile(
    r"\b(?:(?:noon|midnight)(?:\sof\sthe\sday\sbefore)?|\d{1,2}[:.]\d{2}(?:\s?(?:to|-|\u2013)\s?\d{1,2}[:.]\d{2})?|(?:the\s)?(?:first|second|third|fourth|last)\s\w+day"
    r"(?:\sof\s(?:each|every|the)\s\w+)?|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\w*|\w+ quarter of the year)\b"
)
_LIST_LEAD: Final = re.compile(
    r"(?:\bare|\bis|\bon|\bat|\bto|\bfor|\bfrom|\bbetween|\binclude[sd]?|\bwear[s]?|\bworn|\bwith|\bof|\bneeds?|\brequires?|\bbrings?|\bput on|:)\s+"
    r"(?P<items>[^.;]*?(?:,[^.;]*)+(?:\band\b|\bor\b|\bund\b|\bet\b|,)[^.;]*)",
    re.IGNORECASE,
)
_MAKER: Final = re.compile(r"\b(?:company|brand|supplier|manufacturer|maker|vendor|firm|colou?r)\b")
_OPEN: Final = re.compile(
    r"\b(?:not yet|not been|unknown|undecided|to be (?:confirmed|decided|named|agreed)|did not want to|open question"
    r"|will be (?:decided|named|agreed)|noch nicht|pas encore)\b",
    re.IGNORECASE,
)
_REASON: Final = re.compile(
    r"\b(?:because|since|so that|due to|owing to|in order to|reasons?|caused?|therefore|which is why|as a result|to avoid"
    r"|to prevent|weil|damit|parce que|afin)\b",
    re.IGNORECASE,
)
_OPENING_LIST: Final = re.compile(
    r"^(?P<items>[^.;:,]{3,40}(?:,[^.;:,]{2,40})+,?\s(?:and|or)\s[^.;:,]{2,60}?)\s"
    r"(?:need|needs|require|requires|is|are|must|may|have|has|do|does|can)\b"
)
_CUE_DISTANCE: Final = 400
_BEHIND: Final = 40
_LETTER: Final = 2


def find(contract: Contract, sentence: str) -> Found | None:
    """Return the span of `sentence` that answers by the contract's form. "text" gives the whole sentence."""
    if contract.form in {"number", "date", "name"} and _OPEN.search(sentence):
        return None
    match contract.form:
        case "number":
            return _number(contract, sentence)
        case "date":
            return _date(contract, sentence)
        case "boolean":
            return _boolean(contract, sentence)
        case "name":
            return _name(contract, sentence)
        case "list":
            return _list(sentence)
        case _:
            return Found(sentence, 0, len(sentence), _all_values(sentence))


def gives_reason(sentence: str) -> bool:
    """Say whether a sentence says why, by its words."""
    return _REASON.search(sentence) is not None


def same_value(first: Found, second: Found) -> bool:
    """Say whether two answers are the same, by value where both have one and by words otherwise."""
    if first.value is not None and second.value is not None:
        (kind, one), (other_kind, two) = first.value, second.value
        if isinstance(one, float) and isinstance(two, float):
            return kind == other_kind and abs(one - two) <= 1e-6 * max(1.0, abs(one), abs(two))
        return one == two
    return bool(term_set(first.text) & term_set(second.text))


def _all_values(sentence: str) -> tuple[str, float | str] | None:
    """Return all quantities of a sentence as one comparable value; None where there are none."""
    values = sorted(f"{quantity.dimension} {quantity.value:g}" for quantity in quantities(sentence))
    return ("values", "; ".join(values)) if values else None


def _value_fact(contract: Contract) -> RequiredFact | None:
    return next((fact for fact in contract.facts if fact.kind == "value"), None)


def _number(contract: Contract, sentence: str) -> Found | None:
    fact = _value_fact(contract)
    wanted = () if fact is None else fact.dimensions
    counted = "" if fact is None or not fact.words else fact.words[0]
    inside_codes = [found.span() for code in codes(sentence) for found in _places(code, sentence)]
    fitting = [
        quantity
        for quantity in quantities(sentence)
        if (not wanted or quantity.dimension in wanted)
        and (not counted or _counts(counted, sentence, quantity))
        and not any(start <= quantity.start < end for start, end in inside_codes)
    ]
    if not fitting:
        return None
    best = min(fitting, key=lambda quantity: (_distance(contract, sentence, quantity.start), quantity.start))
    written = sentence[best.start : best.end]
    shown = f"{written} {SYMBOLS.get(best.unit, best.unit)}" if best.unit and best.unit not in written else written
    return Found(shown, best.start, best.end, (best.dimension, best.value))


def _counts(counted: str, sentence: str, quantity: Quantity) -> bool:
    """Say whether a number counts what is asked for: by the words behind it, or by the label of its table cell."""
    behind = " ".join(sentence[quantity.start : quantity.end + _BEHIND].split()[1:4])
    cell = sentence[: quantity.start].rsplit(";", maxsplit=1)[-1]
    return bool(term_set(counted) & (term_set(behind) | (term_set(cell) if ":" in cell else frozenset())))


def _distance(contract: Contract, sentence: str, start: int) -> int:
    """Return how far a place stands from the words of the question that the sentence shares, in characters.

    In a table row it is the cell's label that counts, the more of the question's words it holds the nearer.
    """
    words = {word for fact in contract.facts if fact.kind in {"focus", "topic"} for word in fact.words}
    label = re.search(r"(?:^|;\s)([^:;]{1,60}):[^:;]*$", sentence[:start])
    if label is not None:
        return _CUE_DISTANCE - sum(_related(word, words) for word in re.findall(r"[^\W\d_]{3,}", label.group(1)))
    places = [found.start() for found in re.finditer(r"[^\W\d_]{3,}", sentence) if _related(found.group(), words)]
    return min((abs(place - start) for place in places), default=_CUE_DISTANCE)


def _related(word: str, words: set[str]) -> bool:
    folded = word.casefold()
    return any(folded.startswith(other) or other.startswith(folded) for other in words if len(other) > _LETTER)


def _date(contract: Contract, sentence: str) -> Found | None:
    found = dates(sentence)
    if found:
        best = min(found, key=lambda date: (_distance(contract, sentence, date.start), date.start))
        return Found(sentence[best.start : best.end], best.start, best.end, ("date", best.day.isoformat()))
    time = _TIME.search(sentence)
    if time is not None:
        return Found(time.group(), time.start(), time.end(), ("time", time.group().casefold()))
    spans = [quantity for quantity in quantities(sentence) if quantity.dimension in {"duration", "cycle"}]
    for span in spans:
        if re.search(r"\b(?:after|within|every|before|in|nach|après)\s+(?:about\s+)?$", sentence[: span.start]):
            return Found(sentence[span.start : span.end], span.start, span.end, (span.dimension, span.value))
    return None


def _boolean(contract: Contract, sentence: str) -> Found | None:
    """Return Yes or No by the sentence's polarity against the question's, where it speaks of what may or must be.

    Where question or sentence turns on an amount ("is ten minutes enough?"), or the sentence only states something, the
    sentence itself is the answer: to say yes or no would be to reason, not to quote.
    """
    states = _MODAL.search(sentence) is None and _NO.search(sentence) is None
    if states or quantities(contract.question):
        return Found(sentence, 0, len(sentence), _all_values(sentence))
    asked = re.sub(r"\b(?:if|unless|when|without|although)\b.*", "", contract.claim, flags=re.IGNORECASE)
    says_no = _NO.search(re.sub(r"\bwithout\b.*", "", sentence, flags=re.IGNORECASE)) is not None
    asks_no = _NO.search(asked) is not None
    verdict = "No" if says_no != asks_no else "Yes"
    return Found(verdict, 0, len(sentence), ("boolean", verdict))


def _name(contract: Contract, sentence: str) -> Found | None:
    asked = term_set(contract.question)
    lowered = contract.claim.casefold()
    person = re.search(r"\b(?:who|whom|whose|wer|qui|role|person)\b", lowered) is not None
    if person:
        pattern = _ROLE
    elif re.search(r"\b(?:extension|phone|number to (?:ring|call|dial)|dial)\b", lowered):
        digits = re.search(r"(?<![\w-])\d{3,}(?:[ -]\d+)*(?![\w-])", sentence)
        return None if digits is None else Found(digits.group(), *digits.span(), ("name", digits.group()))
    else:
        pattern = _PROPER
    for code in codes(sentence):
        place = next(iter(_places(code, sentence)), None)
        if pattern is _PROPER and place is not None and not term_set(code) <= asked and not _MAKER.search(lowered):
            return Found(place.group(), *place.span(), ("name", code))
    for found in pattern.finditer(sentence):
        start, end = found.span("role") if pattern is _ROLE else found.span()
        in_date = any(start < date.end and date.start < end for date in dates(sentence))
        if not in_date and not term_set(sentence[start:end]) <= asked:
            return Found(sentence[start:end], start, end, ("name", sentence[start:end].casefold()))
    first = _FIRST.match(sentence) if person else None
    if first is not None and not term_set(first.group("name")) <= asked:
        return Found(first.group("name"), *first.span("name"), ("name", first.group("name").casefold()))
    return None


def _list(sentence: str) -> Found | None:
    found = _OPENING_LIST.search(sentence) or _LIST_LEAD.search(sentence)
    if found is None:
        return None
    start, end = found.span("items")
    return Found(sentence[start:end].strip(), start, end, None)


def _places(code: str, text: str) -> list[re.Match[str]]:
    return list(re.finditer(rf"(?<!\w){re.escape(code)}(?!\w)", text, re.IGNORECASE))
