"""A model's choice of numbered passages, read: an ordered subset without duplicates, or why it is none. Total: any text."""

from __future__ import annotations

import re
from typing import Any, Final, NamedTuple

MOST: Final = 15
LONGEST_LIST: Final = 45

SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "passages": {
            "type": "array",
            "items": {"type": "integer", "minimum": 1, "maximum": LONGEST_LIST},
            "maxItems": MOST,
        }
    },
    "required": ["passages"],
    "additionalProperties": False,
}
"""What a backend may hold the model to. The prompt stays the same: such a reply too is numbers in brackets, or none."""

_THINKING: Final = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
_UNENDED: Final = re.compile(r"<think(?:ing)?>", re.IGNORECASE)
_BRACKETED: Final = re.compile(r"\[\s*([0-9]+(?:\s*,\s*[0-9]+)*)\s*\]")
_BARE: Final = re.compile(r"[0-9]+(?:\s*[,>;\s]\s*[0-9]+)*\.?", re.ASCII)
_NUMBER: Final = re.compile(r"[0-9]+")
_NONE: Final = re.compile(r"\W*none\b[^\[\]]*", re.IGNORECASE)
_EMPTY: Final = re.compile(r'(?:\{\s*"passages"\s*:\s*)?\[\s*\]\s*\}?')
_LONGEST_NUMBER: Final = 6


class Choice(NamedTuple):
    """Places of the chosen passages, from 0, best first; `remarks` say what of the reply was left out, and why."""

    places: tuple[int, ...]
    remarks: tuple[str, ...] = ()


class NoChoice(NamedTuple):
    """Why a reply is no choice."""

    reason: str


def read_choice(text: str, passages: int, *, most: int = MOST) -> Choice | NoChoice:
    """Return the choice among so many passages, numbered from 1, that a reply makes.

    Numbers in brackets are read wherever they stand, numbers alone only where the reply is nothing else. A number that no
    passage has is left out and remarked upon; a reply of nothing but such numbers is no choice. ``None``, or an empty list
    alone, is the choice of no passage.

    >>> read_choice("[3], [1]", 3).places
    (2, 0)
    """
    said = _THINKING.sub(" ", text)
    if _UNENDED.search(said):
        return NoChoice("the reply is an unfinished thought")
    numbers = _numbers(said)
    if not numbers:
        if _NONE.fullmatch(said.strip()) or _EMPTY.fullmatch(said.strip()):
            return Choice(())
        return NoChoice(
            "the reply holds neither numbers in brackets nor None" if said.strip() else "the reply is empty"
        )
    known = [number for number in dict.fromkeys(numbers) if 1 <= number <= passages]
    if not known:
        return NoChoice(f"the reply names only passages that there are not: {_shown(numbers)} of {passages}")
    remarks = []
    if unknown := [number for number in dict.fromkeys(numbers) if not 1 <= number <= passages]:
        remarks.append(f"the reply also named passages that there are not: {_shown(unknown)} of {passages}")
    if len(known) < len(numbers) - sum(number in unknown for number in numbers):
        remarks.append("the reply named a passage twice")
    if len(known) > most:
        remarks.append(f"the reply named {len(known)} passages: the first {most} are kept")
    return Choice(tuple(number - 1 for number in known[:most]), tuple(remarks))


def written(places: tuple[int, ...]) -> str:
    """Return a choice as a model is to write it, which `read_choice` reads back: the target of training.

    >>> written((2, 0))
    '[3], [1]'
    """
    return ", ".join(f"[{place + 1}]" for place in places) if places else "None"


def _numbers(said: str) -> list[int]:
    groups = _BRACKETED.findall(said)
    if not groups and _BARE.fullmatch(said.strip()):
        groups = [said]
    # A number of many digits is none of ours, and Python refuses to read one of thousands.
    return [_number(digits) for group in groups for digits in _NUMBER.findall(group)]


def _number(digits: str) -> int:
    significant = digits.lstrip("0") or "0"
    return int(significant[:_LONGEST_NUMBER]) if len(significant) <= _LONGEST_NUMBER else 10**_LONGEST_NUMBER


def _shown(numbers: list[int]) -> str:
    first = ", ".join(f"[{number}]" for number in list(dict.fromkeys(numbers))[:5])
    return first if len(set(numbers)) <= 5 else f"{first} and more"  # noqa: PLR2004 - as many as a line holds
