"""Sentences that say what a word means, found by their form."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from remit.retrieve.retriever import Hit


class Definition(NamedTuple):
    """A term and what it means."""

    term: str
    meaning: str


_ARTICLE = r"(?:(?:the|a|an)\s+)?"
_TERM = r"(?P<term>[^\s,;:.()][^,;:()]{0,58}?)"
_MEANING = r"(?P<meaning>[^\s,;:.()][^,;:()]{0,78}?)"
_END = r"(?=\s*[.;,]|\s+(?:that|which|who|and)\b|$)"
_KIND = r"(?:[\w-]+\s+){0,3}?(?:name|word|term|nickname|abbreviation)"
_SAID: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"^{_ARTICLE}{_TERM}\s+(?:is|are)\s+(?:the|a|an)\s+{_KIND}\s+(?:used\s+)?(?:for|of)\s+{_ARTICLE}{_MEANING}{_END}",
        rf"^{_ARTICLE}{_TERM}\s+(?:means|stands\s+for|refers\s+to|denotes)\s+{_ARTICLE}{_MEANING}{_END}",
    )
)
_ALIASED: Final = re.compile(
    rf"^{_ARTICLE}{_MEANING}\s*,?\s+(?:also|often|sometimes|locally)\s+(?:called|known\s+as|named)\s+{_ARTICLE}{_TERM}{_END}",
    re.IGNORECASE,
)
_BRACKETED: Final = re.compile(r"(?P<meaning>[\w-]+(?:\s+[\w-]+){0,3})\s+\((?P<term>[^\s()][^(),;]{0,38})\)")
_LISTED: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"^{_ARTICLE}{_TERM}\s+(?:is|are)\s+{_ARTICLE}{_MEANING}{_END}",
        rf"^[-*•\s]*{_ARTICLE}{_TERM}\s*(?::|\s[-\u2013\u2014])\s+{_ARTICLE}{_MEANING}{_END}",
    )
)
_GLOSSARY: Final = re.compile(
    r"\b(?:glossary|definitions?|abbreviations?|acronyms?|vocabulary|terminology|nomenclature|(?:words|terms)\s+used)\b",
    re.IGNORECASE,
)
_LONGEST: Final = 400
_SMALL: Final = frozenset("a an and as at by for from in is of on or that the this to with".split())  # noqa: SIM905 -- a list of words reads better as words


def definitions(hit: Hit) -> Iterator[Definition]:
    """Yield what the sentences of a passage define. "X is Y" and "X: Y" define only where a heading says glossary."""
    passage = hit.passage
    glossary = _GLOSSARY.search(" / ".join((hit.source.title, *passage.section))) is not None
    for span in passage.sentences:
        if span.end - span.start > _LONGEST:
            continue
        yield from _defined(" ".join(passage.quote(span).split()), glossary=glossary)


@lru_cache(maxsize=8192)
def _defined(sentence: str, *, glossary: bool) -> tuple[Definition, ...]:
    return tuple(_found(sentence, glossary=glossary))


def _found(sentence: str, *, glossary: bool) -> Iterator[Definition]:
    """Yield the definitions in one sentence; an alias reads both ways."""
    for pattern in (*_SAID, *(_LISTED if glossary else ())):
        if found := pattern.match(sentence):
            yield Definition(found["term"].strip(), found["meaning"].strip())
            return
    if found := _ALIASED.match(sentence):
        term, meaning = found["term"].strip(), found["meaning"].strip()
        yield Definition(term, meaning)
        yield Definition(meaning, term)
    for bracket in _BRACKETED.finditer(sentence):
        words = bracket["meaning"].split()
        small = [place for place, word in enumerate(words) if word.casefold() in _SMALL]
        if meaning := " ".join(words[small[-1] + 1 if small else 0 :]):
            yield Definition(bracket["term"].strip(), meaning)
