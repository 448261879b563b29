"""Answers a question that compares two things by what their passages say of each: both quoted, or no answer.

Nothing is inferred from silence: where a date or a country is not written for one of the two, there is no comparison.
"""

from __future__ import annotations

import csv
import itertools
import re
from collections.abc import Iterator
from functools import lru_cache
from importlib import resources
from typing import Final, NamedTuple

from remit.answer.comparison import By, Compared, compared
from remit.answer.lives import all_dates, written_date
from remit.answer.titles import bare, plain_title
from remit.contract.contract import Contract
from remit.contract.quantity import dates
from remit.corpus.document import Span
from remit.rerank.ranking import Ranking
from remit.retrieve.retriever import Hit

When = tuple[int, int, int]
"""Year, month and day; 0 where it is not written."""

_FIRST: Final = 3


class Quoted(NamedTuple):
    """Something a sentence says: its value, the passage and the sentence's span."""

    value: object
    hit: Hit
    span: Span


class Verdict(NamedTuple):
    """An answer by comparison, and the quotations it rests on: of each of the two things, in the question's order."""

    answer: str
    rests_on: tuple[Quoted, ...]


def compare(contract: Contract, ranking: Ranking) -> Verdict | None:
    """Return the answer to a comparing question where both values are written in passages about the two things."""
    hits = [hit for hit in ranking.hits if hit.passage.kind == "prose"]
    asked = compared(contract.question, [hit.source.title for hit in hits])
    if asked is None:
        return None
    sides = [_side(asked, title, hits) for title in asked.titles]
    if not all(sides):
        return None
    (one, *_), (two, *_) = sides
    answer = _answer(asked, one.value, two.value)
    return None if answer is None else Verdict(answer, (*sides[0], *sides[1]))


def _side(asked: Compared, title: str, hits: list[Hit]) -> tuple[Quoted, ...]:
    """Return what is written of one of the two: its value first, and how that is reached where it is through another."""
    own = [hit for hit in hits if hit.source.title == title]
    if asked.through is None:
        found = _value(asked.by, own)
        return () if found is None else (found,)
    for led, person in _people(asked.through, own, hits):
        found = _value(asked.by, [person])
        if found is not None:
            return (found, led)
    return ()


def _people(role: str, own: list[Hit], hits: list[Hit]) -> Iterator[tuple[Quoted, Hit]]:
    """Yield the passages about those who hold a role, with the sentence that names them: the title nearest behind the role."""
    said = re.compile(
        {
            "director": r"\b(?:co-)?direct(?:ed|or|ion)\b|\bfilm by\b",
            "composer": r"\bcompos(?:ed|er)\b|\bmusic\b",
            "performer": r"\b(?:perform(?:ed|er)|sung|song|recorded) by\b|\bby\b",
        }.get(role, r"\b(?:written|wrote|author|produced|producer|by)\b"),
        re.IGNORECASE,
    )
    found = []
    for hit in own:
        for span in hit.passage.sentences:
            text = hit.passage.quote(span).casefold()
            for person in hits:
                name = plain_title(person.source.title)
                place = text.find(name) if person not in own and name else -1
                heads = [match.end() for match in said.finditer(text) if match.end() <= place]
                if place >= 0 and heads:
                    found.append((place - heads[-1], Quoted(name, hit, span), person))
    for _, led, person in sorted(found, key=lambda one: one[0]):
        yield led, person


def _value(by: By, hits: list[Hit]) -> Quoted | None:
    """Return the value that passages about one thing write down; None where none does or two documents disagree."""
    found = [value for value in (_written(by, hit) for hit in hits) if value is not None]
    first = next(iter(found), None)
    agree = all(other.value == found[0].value for other in found if other.hit.source.id != found[0].hit.source.id)
    return first if agree else None


def _written(by: By, hit: Hit) -> Quoted | None:
    for number, span in enumerate(hit.passage.sentences):
        text = hit.passage.quote(span)
        value: object = None
        match by:
            case "born":
                value = _life(text, died=False)
            case "died":
                value = _life(text, died=True)
            case "country" if number < _FIRST:
                value = countries(text)
            case "began" if number < _FIRST:
                value = _first_date(text)
            case "lived" if number == 0:
                value = _lived(text)
        if value:
            return Quoted(value, hit, span)
    return None


def _answer(asked: Compared, one: object, two: object) -> str | None:
    if isinstance(one, frozenset) and isinstance(two, frozenset):
        return "Yes" if one & two else "No"
    if isinstance(one, tuple) and isinstance(two, tuple):
        earlier = _before(one, two)
        if earlier is None:
            return None
        return bare(asked.names[0 if earlier is not asked.later else 1])
    if isinstance(one, int) and isinstance(two, int) and one != two:
        return bare(asked.names[0 if one > two else 1])
    return None


def _before(one: tuple[int, ...], two: tuple[int, ...]) -> bool | None:
    """Say whether one date is before the other; None where they are the same as far as both are written."""
    for left, right in zip(one, two, strict=True):
        if not left or not right:
            return None
        if left != right:
            return left < right
    return None


def _when(words: str) -> When:
    """Return the date that some words are: a calendar date, or a year alone."""
    for at in dates(words):
        return at.day.year, at.day.month, 0 if at.whole_month else at.day.day
    return int(words), 0, 0


def _life(text: str, *, died: bool) -> When | None:
    words = written_date(text, died=died)
    return None if words is None else _when(words)


def _lived(text: str) -> int | None:
    born, died = _life(text, died=False), _life(text, died=True)
    if born is None or died is None or born == died:
        return None
    return (died[0] - born[0]) * 372 + (died[1] - born[1]) * 31 + died[2] - born[2]


def _first_date(text: str) -> When | None:
    return next(map(_when, all_dates(text)), None)


def countries(text: str) -> frozenset[str]:
    """Return the countries that the first mention in a text names; "British-American" names two."""
    found = list(_countries().finditer(text))
    if not found:
        return frozenset()
    first = found[0]
    named = {_by_word()[first.group().casefold()]}
    for before, after in itertools.pairwise(found):
        if not re.fullmatch(r"[-\u2013/]| and ", text[before.end() : after.start()]):
            break
        named.add(_by_word()[after.group().casefold()])
    return frozenset(named)


@lru_cache(maxsize=1)
def _by_word() -> dict[str, str]:
    text = resources.files(__package__).joinpath("countries.csv").read_text(encoding="utf-8")
    return {
        word.casefold(): country
        for country, words in csv.reader(text.splitlines())
        for word in (country, *words.split("|"))
    }


@lru_cache(maxsize=1)
def _countries() -> re.Pattern[str]:
    words = sorted(_by_word(), key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, words))})(?!\w)", re.IGNORECASE)
