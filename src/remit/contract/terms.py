"""Text to matching terms: one function for documents, queries and facts.

NFKC, case folding, stemming by language, CJK unigrams and bigrams; numbers, dates and part codes stay searchable.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple


class Term(NamedTuple):
    """A matching term and the code points it came from."""

    term: str
    start: int
    end: int


def terms(text: str, language: str = "en") -> list[Term]:
    """Return the terms of `text`, in order, with their offsets into it."""
    raise NotImplementedError  # replaced at once by the search part


@lru_cache(maxsize=4096)
def term_set(text: str, language: str = "en") -> frozenset[str]:
    """Return the distinct terms of `text`."""
    return frozenset(found.term for found in terms(text, language))
