"""When somebody was born or died, as the first sentence about them writes it: in brackets behind the name, or in words."""

from __future__ import annotations

import re
from typing import Final

from remit.contract.quantity import dates

_ASKS_BIRTH: Final = re.compile(
    r"\bwhen\b.*\bborn\b|\b(?:date|day|year) of birth\b|\bbirth(?:day|date)\b", re.IGNORECASE
)
_ASKS_DEATH: Final = re.compile(r"\bwhen\b.*\b(?:die[ds]?|passed away)\b|\b(?:date|day|year) of death\b", re.IGNORECASE)
_BRACKETS: Final = re.compile(r"\((?P<inside>[^()]*(?:\([^()]*\)[^()]*)*)\)")
_RANGE: Final = re.compile(r"\s(?:[-\u2013\u2014]|to)\s|[\u2013\u2014]|(?<=\d{4})(?=\d{1,2} [A-Z])")
_BORN: Final = re.compile(r"\b(?:born|b\.)(?=\W)(?P<rest>[^;()]{0,90})", re.IGNORECASE)
_DIED: Final = re.compile(r"\b(?:died|death|d\.)(?=\W)(?P<rest>[^;()]{0,90})", re.IGNORECASE)
_YEAR: Final = re.compile(r"(?<![\w.,-])(?:1[0-9]{3}|20[0-9]{2})(?![\w,]\d|\w)")


def life_date(question: str, sentence: str) -> str | None:
    """Return the words of the sentence that say when somebody was born or died, where the question asks just that.

    >>> life_date("When did Ada Lovelace die?", "Ada Lovelace (10 December 1815 - 27 November 1852) wrote programs.")
    '27 November 1852'
    """
    birth, death = _ASKS_BIRTH.search(question), _ASKS_DEATH.search(question)
    return None if bool(birth) == bool(death) else written_date(sentence, died=bool(death))


def written_date(sentence: str, *, died: bool) -> str | None:
    """Return the words of the sentence that say when somebody was born, or died; None where it does not say."""
    bracketed = _bracketed(sentence, died=died)
    if bracketed is not None:
        return bracketed
    said = (_DIED if died else _BORN).search(sentence)
    return None if said is None else _first(said["rest"])


def _bracketed(sentence: str, *, died: bool) -> str | None:
    for match in _BRACKETS.finditer(sentence):
        inside = match["inside"]
        parts = _RANGE.split(inside)
        if len(parts) > 1 and _first(parts[0]) and _first(parts[-1]):
            return _last(parts[-1]) if died else _last(parts[0])
        said = (_DIED if died else _BORN).search(inside)
        if said is not None and _first(said["rest"]):
            return _first(said["rest"])
        whole = dates(inside)
        if not died and whole and not _DIED.search(inside):
            return _first(inside)  # a whole date behind a name is that of birth, whatever follows it
    return None


def all_dates(text: str) -> list[str]:
    """Return the dates that a text writes, years alone among them, in their order."""
    return [words for _, words in _written(text)]


def _written(text: str) -> list[tuple[int, str]]:
    full = [(at.start, text[at.start : at.end]) for at in dates(text)]
    spans = [(at.start, at.end) for at in dates(text)]
    years = [
        (match.start(), match.group())
        for match in _YEAR.finditer(text)
        if not any(start <= match.start() < end for start, end in spans)
    ]
    return sorted(full + years)


def _first(text: str) -> str | None:
    found = _written(text)
    return found[0][1] if found else None


def _last(text: str) -> str | None:
    found = _written(text)
    return found[-1][1] if found else None
