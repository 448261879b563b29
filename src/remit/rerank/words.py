"""Words of passages for the reranker: the terms of the index, found a word at a time, so that a word is read once."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from remit.contract.terms import content_terms, term_set

LONGEST: Final = 4000
"""So many words of a passage are looked at for names and terms; a longer one has said by then what it is about."""

_WORD: Final = re.compile(r"[^\W_]+")
_QUALIFIED: Final = re.compile(r"\s*\([^)]*\)\s*$")
_SHORTEST_NAME: Final = 4
_A_WORD: Final = 20
"""Characters that a word takes at most on average, so that a very long text need not be folded whole."""


@lru_cache(maxsize=1 << 17)
def terms_of_word(word: str, language: str) -> frozenset[str]:
    """Return the terms that one word gives: one, or the grams of a script without spaces."""
    return term_set(word, language)


def spoken(text: str) -> tuple[str, ...]:
    """Return the words of a text, case folded, in order; no more than `LONGEST`."""
    return tuple(_WORD.findall(text[: LONGEST * _A_WORD].casefold())[:LONGEST])


def terms_of(words: tuple[str, ...], language: str) -> frozenset[str]:
    """Return the distinct terms of words."""
    return frozenset[str]().union(*[terms_of_word(word, language) for word in set(words)])


def asked_terms(question: str, language: str) -> tuple[str, ...]:
    """Return the distinct terms of a question without function words, in order; with them where there are no others."""
    content = tuple(dict.fromkeys(term.term for term in content_terms(question, language)))
    return content or tuple(sorted(term_set(question, language)))


def phrase(words: tuple[str, ...]) -> str:
    """Return words as one text in which a run of words can be looked for as a whole."""
    return f" {' '.join(words)} "


def name_of(title: str) -> str:
    """Return what a title names, as a phrase to look for, without a qualifier in brackets; empty where too short to tell.

    >>> name_of("Evolution (2001 film)")
    ' evolution '
    """
    words = spoken(_QUALIFIED.sub("", title)) or spoken(title)
    return phrase(words) if sum(map(len, words)) >= _SHORTEST_NAME else ""
