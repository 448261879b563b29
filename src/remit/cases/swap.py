"""Another answer in the place of the true one: of the same sort, so that the text reads on, and certainly another value."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

import numpy as np

from remit.measure.text import normalised

Sort = Literal["year", "date", "number", "name", "words"]

_YEAR: Final = re.compile(r"1[0-9]{3}|20[0-9]{2}")
_NUMBER: Final = re.compile(r"[0-9][0-9,.]*")
_DIGITS: Final = re.compile(r"[0-9]+")
_MONTH: Final = re.compile(
    r"\b(?:January|February|March|April|May|June|July|August|September|October|November|December)\b"
)
_NAME: Final = re.compile(r"[A-ZÀ-Þ][\w.'-]*(?:\s+(?:[A-ZÀ-Þ][\w.'-]*|of|the|de|von|van))*(?<!\sof)(?<!\sthe)")
_MOST_WORDS: Final = 6
_YEARS: Final = (3, 4, 6, 7, 9, 11)
_PLUS: Final = (2, 3, 5, 7)
_LONG_NUMBER: Final = 4


class Swap(NamedTuple):
    """The true answer as it stands in a text, and what takes its place."""

    true: str
    other: str

    def of(self, text: str) -> str:
        """Return the text with the answer changed wherever it stands."""
        return _whole(self.true).sub(lambda _: self.other, text)


def sort_of(answer: str) -> Sort:
    """Return what sort of answer a text is."""
    if _YEAR.fullmatch(answer):
        return "year"
    if _MONTH.search(answer) and _DIGITS.search(answer):
        return "date"
    if _NUMBER.fullmatch(answer):
        return "number"
    return "name" if _NAME.fullmatch(answer) else "words"


def swap_for(
    text: str, golden: Sequence[str], question: str, *, pool: Sequence[str], chance: np.random.Generator
) -> Swap | None:
    """Return a swap for a golden answer that stands in `text` and not in `question`; None where none can be made.

    `pool` are answers of other questions; one is taken that the text and the question do not hold. Words that are no year, date,
    number or name have no other of their sort: a text with any of the pool in their place would contradict nothing.
    """
    for answer in sorted(golden, key=lambda one: (-len(one), one)):
        true = answer.strip().strip(".,;")
        if not true or sort_of(true) == "words" or len(true.split()) > _MOST_WORDS or _whole(true).search(question):
            continue
        if _whole(true).search(text):
            other = _other(true, f"{text} {question}", golden, pool, chance)
            return None if other is None else Swap(true, other)
    return None


def holds(text: str, golden: Sequence[str]) -> bool:
    """Say whether a text holds one of the golden answers, as SQuAD compares them."""
    said = f" {normalised(text)} "
    return any(wanted and f" {wanted} " in said for wanted in map(normalised, golden))


def _other(
    true: str, around: str, golden: Sequence[str], pool: Sequence[str], chance: np.random.Generator
) -> str | None:
    sort, forbidden = sort_of(true), {normalised(one) for one in golden}
    if sort in {"year", "date", "number"}:
        return _moved(true, sort, chance)
    fitting = [
        one
        for one in pool
        if sort_of(one) == sort and len(one.split()) <= _MOST_WORDS and normalised(one) not in forbidden
        and not _overlaps(one, true) and not _whole(one).search(around)
    ]  # fmt: skip
    near = sorted(set(fitting), key=lambda one: (abs(len(one.split()) - len(true.split())), one))
    best = [one for one in near if len(one.split()) == len(near[0].split())] if near else []
    return str(best[int(chance.integers(len(best)))]) if best else None


def _moved(true: str, sort: Sort, chance: np.random.Generator) -> str:
    """Return another year, day or number of about the same size."""
    found = list(_DIGITS.finditer(true))
    last = found[-1]
    digits = last.group()
    if sort == "year" or (sort == "date" and len(digits) == _LONG_NUMBER):
        changed = str(int(digits) - int(chance.choice(_YEARS)))
    elif sort == "date":
        changed = str(int(digits) % 28 + 1)
    else:
        changed = str(int(digits) + int(chance.choice(_PLUS))).zfill(len(digits))
    return true[: last.start()] + changed + true[last.end() :]


def _overlaps(one: str, other: str) -> bool:
    return bool(set(normalised(one).split()) & set(normalised(other).split()))


def _whole(answer: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(answer)}(?!\w)", re.IGNORECASE)
