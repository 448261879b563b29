"""What a question compares with, and the unit it wants its answer in. Pure."""

from __future__ import annotations

import re
from typing import Final, Literal

from remit.contract.contract import Comparison
from remit.contract.quantity import Quantity, quantities
from remit.contract.units import fits, unit, whole_of

_Sense = Literal["above", "below", "at_least", "at_most", "exactly", "between"]

_SENSES: Final[tuple[tuple[_Sense, str], ...]] = (
    (
        "at_least",
        r"at least|not? (?:less|fewer|lower|shorter|smaller|earlier|below) than|a minimum of|mindestens|wenigstens|au moins",
    ),
    (
        "at_most",
        r"at most|not? (?:more|longer|higher|later|greater|larger) than|up to|within|a maximum of|höchstens|maximal|innerhalb von|au plus|jusqu'à",
    ),
    (
        "above",
        (
            r"(?:more|higher|longer|greater|larger|older|later|hotter|faster|heavier|deeper) than|above|over|exceed(?:s|ing)?"
            r"|mehr als|über|länger als|höher als|plus de|au-delà de"
        ),
    ),
    (
        "below",
        (
            r"(?:less|fewer|lower|shorter|smaller|younger|earlier|colder|slower|lighter) than|below|under|weniger als"
            r"|unter|kürzer als|moins de"
        ),
    ),
    ("exactly", r"exactly|precisely|genau|exactement"),
)
_BEFORE: Final = {
    sense: re.compile(rf"\b(?:{words})\s+(?:(?:about|every|each)\s+)?$", re.IGNORECASE) for sense, words in _SENSES
}
_DENIED: Final = re.compile(
    r"\b(?:not|never|cannot|nicht|pas)\s+(?:be\s+|go\s+|rise\s+|fall\s+)?[^\W\d_]+\s+(?:[^\W\d_]+\s+)?$", re.IGNORECASE
)
_BETWEEN: Final = re.compile(r"\b(?:between|zwischen|entre)\s+$", re.IGNORECASE)
_NEAR: Final = 100
"""Characters before an amount in which the words that compare with it stand."""
_AND: Final = re.compile(r"\s*(?:and|und|et)\s*$", re.IGNORECASE)
_WANTED: Final = re.compile(
    r"\b(?:in|en)\s+(?P<unit>[^\s?.,;]+(?:\s+(?:per|pro|par|por)\s+[^\s?.,;]+)?)(?=\s*(?:[?.,;]|$)|\s+(?:does|do|is|are|must|should|may|can|will)\b)",
    re.IGNORECASE,
)
_HOW_MANY: Final = re.compile(
    r"\b(?:how (?:many|much)|wie ?viele?|combien (?:de |d['\u2019])|cu[aá]nt[oa]s?)\s*(?P<unit>(?:(?:square|cubic)\s+)?[^\s?.,;]+(?:\s+(?:per|pro|par|por)\s+[^\s?.,;]+)?)",
    re.IGNORECASE,
)


def comparisons(question: str) -> tuple[Comparison, ...]:
    """Return each amount of a question that it compares with, as "more than 6 bar" or "between 5 and 7 bar".

    >>> [(one.sense, one.amounts) for one in comparisons("May it run at more than 6 bar?")]
    [('above', ('6 bar',))]
    """
    found, made, inside = quantities(question), [], -1
    for place, one in enumerate(found):
        before = question[max(0, one.start - _NEAR) : one.start]
        after = found[place + 1] if place + 1 < len(found) else None
        if one.start < inside:
            continue
        if after is not None and _BETWEEN.search(before) and _AND.fullmatch(question[_number_end(one) : after.start]):
            made.append(Comparison(sense="between", amounts=(_lower(question, one, after), _text(question, after))))
            inside = after.end
            continue
        sense = next((name for name, pattern in _BEFORE.items() if pattern.search(before)), None)
        if sense is not None:
            made.append(Comparison(sense=sense, amounts=(_text(question, one),)))
    return tuple(made)


def bound_before(text: str, start: int) -> Literal["from", "to"] | None:
    """Return whether the words before an amount let it be the least or the most: "at least 3", "must not exceed 3"; None of neither.

    >>> bound_before("It is at least 3 m", 15), bound_before("It must not exceed 3 m", 19)
    ('from', 'to')
    """
    before = text[max(0, start - _NEAR) : start]
    sense = next((name for name, pattern in _BEFORE.items() if pattern.search(before)), None)
    if sense is None or sense == "exactly":
        return None
    upwards = sense in {"above", "at_least"}
    denied = sense in {"above", "below"} and _DENIED.search(before) is not None
    return "from" if upwards != denied else "to"


def unit_wanted(question: str) -> str | None:
    """Return the unit that the answer is wanted in: of "in bar?" or "how many hours"; None where none is named."""
    for pattern in (_WANTED, _HOW_MANY):
        for match in pattern.finditer(question):
            for written in (match["unit"], match["unit"].split()[0]):
                read = unit(written)
                if read is not None and whole_of(read.dimension) == read.dimension:
                    return written
    return None


def in_unit(text: str, wanted: str) -> bool:
    """Say whether a text leaves the unit wanted: False where it gives amounts, and none of them in it."""
    asked = unit(wanted)
    if asked is None:
        return True
    measured = [one for one in quantities(text) if one.dimension not in {"count", "number"}]
    same = [one.unit for one in measured if fits(one.dimension, (asked.dimension,))]
    read = [unit(_above(one) if asked.dimension.count("/") == 0 else one) for one in same]
    return not measured or asked.factor in {one.factor for one in read if one is not None}


def _above(written: str) -> str:
    """Return what stands above the line of a compound: "ml" of "ml/h" and of "ml per hour"."""
    whole = unit(written)
    return (
        written
        if whole is None or "/" not in whole.dimension
        else re.split(r"\s*/|\s+(?:per|pro|je|par|por|an?)\s", written)[0]
    )


def _number_end(one: Quantity) -> int:
    """Return where an amount ends; an "and" behind it, as in "between 5 and 7 bar", is no noun that is counted."""
    return one.end - len(one.unit) if _AND.fullmatch(one.unit) else one.end


def _lower(question: str, one: Quantity, after: Quantity) -> str:
    """Return the lower amount as text, with the upper one's unit where it has none of its own."""
    written = question[one.start : _number_end(one)].strip()
    return f"{written} {after.unit}" if _AND.fullmatch(one.unit) else written


def _text(question: str, quantity: Quantity) -> str:
    return question[quantity.start : quantity.end]
