"""Words that stand for one of two: what holds for the one is no answer about the other. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

_PAIRS: Final = (
    "east west",
    "north south",
    "eastern western",
    "northern southern",
    "left right",
    "upper lower",
    "front rear",
    "inner outer",
    "inlet outlet",
    "day night",
    "summer winter",
    "indoor outdoor",
    "internal external",
    "inbound outbound",
)
_ACTS: Final = (
    ("start starts started starting", "stop stops stopped stopping"),
    ("begin begins began begun beginning", "ends ended"),
    ("open opens opened", "closes closed"),
    ("increase increases increased", "decrease decreases decreased"),
    ("raise raises raised", "lowers lowered"),
    ("load loads loaded", "unload unloads unloaded"),
)
"""Verbs for one of two, with their forms: told apart where something is asked of the act, not whether it is so."""
_AROUND: Final = re.compile(r"\b(before|after)\s+(?:(?:the|an?|each|every|any)\s+)?([^\W\d_]{3,})")
_ASKS_OF: Final = re.compile(r"\b(?:how|what|when|which|who|where)\b")
_OF: Final = {one: other for pair in map(str.split, _PAIRS) for one, other in (tuple(pair), tuple(reversed(pair)))}
_WORD: Final = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_BEHIND: Final = re.compile(r"(?=\b([^\W\d_]+)\s+([^\W\d_]{3,}))")
_PREFIX: Final = re.compile(r"^(?:un|non-?)(?!(?:less|like)\b)(?=[^\W\d_]{4})")


def says_opposite(question: str, text: str) -> bool:
    """Say whether a text has the opposite of a word of the question, and the word itself nowhere.

    Opposites are a few pairs before one noun ("east lift", "west lift"), a word and its denial ("wrapped", "unwrapped"),
    compounds that differ in their first part ("part-time", "full-time"), before and after one event, and a few acts ("starts", "stops").

    >>> says_opposite("Is the west lift open?", "The east lift is open.")
    True
    >>> says_opposite("Is the west lift open?", "The east and the west lift are open.")
    False
    """
    asked, said = _words(question), _words(text)
    if any(_opposed(one, other) for one in asked - said for other in said - asked):
        return True
    if _ASKS_OF.search(question.casefold()) and any(_acts_opposed(asked, said)):
        return True
    around = set(_AROUND.findall(text.casefold()))
    for place, event in _AROUND.findall(question.casefold()):
        if (place, event) not in around and ("after" if place == "before" else "before", event) in around:
            return True
    before = set(_BEHIND.findall(text.casefold()))
    return any(
        one in _OF and one not in said and (_OF[one], noun) in before
        for one, noun in _BEHIND.findall(question.casefold())
    )


def _acts_opposed(asked: frozenset[str], said: frozenset[str]) -> Iterator[bool]:
    for pair in _ACTS:
        one, other = (frozenset(forms.split()) for forms in pair)
        for mine, theirs in ((one, other), (other, one)):
            yield bool(asked & mine and not asked & theirs and said & theirs and not said & mine)


def _opposed(one: str, other: str) -> bool:
    if {one, other} == {"weekday", "weekend"}:
        return True
    if one == _PREFIX.sub("", other, count=1) or other == _PREFIX.sub("", one, count=1):
        return True
    mine, theirs = one.rpartition("-"), other.rpartition("-")
    return bool(mine[0] and theirs[0]) and mine[0] != theirs[0] and mine[2] == theirs[2]


def _words(text: str) -> frozenset[str]:
    return frozenset(word.casefold() for word in _WORD.findall(text))
