"""Where sentences end: full stops that are not those of abbreviations, numbers or initials; CJK stops without a space."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from remit.corpus.abbreviations import ALWAYS, BEFORE_NAMES, OF_A_LANGUAGE, OF_NUMBERS, OFTEN_LAST
from remit.corpus.document import Span

# ruff: noqa: RUF001, SIM905 - full-width stops are meant as such; a list of words is kept as words

_END = re.compile(r"(?P<cjk>[。！？]+[」』）】”]*)|(?<![.!?…])(?P<stop>[.!?…]++)[\"'”’»)\]*_]*+(?=\s)")
_WORD_BEFORE = re.compile(r"[^\s(\[\"'“«]+$")
_LOOK = 40
_PARTS = re.compile(r"(?<!\w)(?:[^\W\d_]{1,3}\.[ \u00a0\u202f]?)+[^\W\d_]{1,3}$")
"""An abbreviation of letters, with or without spaces: "z. B"."""
_NEXT_LETTER = re.compile(r"[^\W\d_]\.(?!\w{2})")
_CANDIDATE_WORD = re.compile(r"\w+")

_BEFORE_NUMBER = frozenset(
    "no nos nr fig figs eq tab art sec sect ch chap vol rev p pp ed ver abs abb kap ziff ref item pos max min ext".split()
)
"""Abbreviations only where a number or a code follows: "No. 4", but "No. The pump stays on."."""

_STARTERS = frozenset(
    "the a an it this that these those in on at if when he she they we you i no for from as to "
    "der die das ein eine es er sie wir bei wenn le la les un une il elle".split()
)
"""Words that open a sentence: a single letter before one of them is no initial ("line B. The belt ...")."""

_MONTHS = frozenset(
    "januar februar märz april mai juni juli august september oktober november dezember quartal jahrhundert".split()
)


def sentences(text: str, start: int, end: int, breaks: Sequence[int] = (), language: str = "en") -> list[Span]:
    """Return the spans of the sentences of ``text[start:end]``, in order, without the white space around them.

    `breaks` are places, ascending, where one ends whatever stands there; `language` says which abbreviations to expect.
    """
    spans, begin = [], start
    own = OF_A_LANGUAGE.get(language.partition("-")[0].lower(), frozenset[str]())
    for stop in _stops(text, start, end, breaks, own):
        if (span := trimmed(text, begin, stop)) is not None:
            spans.append(span)
        begin = stop
    return spans


def trimmed(text: str, start: int, end: int) -> Span | None:
    """Return the span without white space at its ends, or None where nothing is left."""
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return Span(start, end) if start < end else None


def _stops(text: str, start: int, end: int, breaks: Sequence[int], own: frozenset[str]) -> Iterator[int]:
    ends = {match.end() for match in _END.finditer(text, start, end) if _is_end(text, match, (start, end), own)}
    yield from sorted({*ends, *breaks[bisect_right(breaks, start) : bisect_left(breaks, end)], end})


def _is_end(text: str, match: re.Match[str], within: tuple[int, int], own: frozenset[str]) -> bool:
    start, end = within
    if match["cjk"]:
        return True
    following = match.end()
    while following < end and text[following].isspace():
        following += 1
    if following == end:
        return True
    after = text[following]
    if after.islower():
        return False
    if match["stop"] != ".":
        return True
    before = text[max(start, match.start() - _LOOK) : match.start()]
    return not _is_abbreviation(before, text[following : min(end, following + _LOOK)], own)


def _is_abbreviation(before: str, after: str, own: frozenset[str]) -> bool:
    found, parts = _WORD_BEFORE.search(before), _PARTS.search(before)
    word = found.group() if found else ""
    low = word.casefold().rstrip(".")
    if parts and (joined := "".join(parts.group().casefold().split())) in ALWAYS | own:
        low = joined
    next_word = _CANDIDATE_WORD.match(after)
    opener = next_word.group().casefold() if next_word else ""
    if low in OFTEN_LAST:
        return after[0].isdigit()
    if low in ALWAYS or low in own - BEFORE_NAMES:
        return True
    if low in OF_NUMBERS or low in own:
        return opener not in _STARTERS
    if low in _BEFORE_NUMBER:
        return after[0].isdigit() or (after[0].isupper() and any(c.isdigit() for c in after.split(maxsplit=1)[0]))
    if word.isdigit():
        return opener in _MONTHS
    if len(low) == 1 and word.islower() and _NEXT_LETTER.match(after):  # "z. B." at its first letter
        return True
    # An initial: "J. Smith"; also the last letter of "U. S." and the like.
    return len(low) == 1 and low.isalpha() and word.isupper() and opener not in _STARTERS and after[0].isupper()
