"""The lexical leg: exact BM25 over the rows it is given, and over no others.

Lucene's variant with the defaults of bm25s, k1 = 1.5 and b = 0.75. A row is matched by the terms of its own language;
its score is summed in the order of the terms, in 64 bits, so that neither its place nor other rows' order moves a bit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import chain
from math import log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from remit.contract.terms import content_terms, terms
from remit.corpus.store import Row

Scores = NDArray[np.float64]
K1 = 1.5
B = 0.75


class Bag(NamedTuple):
    """The terms of one row with their counts, and how many there are in all. It says nothing of other rows."""

    language: str
    terms: tuple[str, ...]
    counts: tuple[int, ...]
    length: int


class Matched(NamedTuple):
    """For each row its BM25 score (0: no term of the query) and its share of the most that any row could score.

    The share stays low where the rows lack the words of the query, whichever row is the best of them.
    """

    scores: Scores
    shares: Scores


def field_text(row: Row) -> str:
    """Return what of a row is searched: the title, the headings above it, and its text."""
    return joined_fields(row.source.title, row.passage.section, row.passage.text)


def joined_fields(title: str, section: Sequence[str], text: str) -> str:
    """Return the searched fields of a passage as one text."""
    return "\n".join((title, *section, text))


def tongue(language: str) -> str:
    """Return the language by which terms are made, without its region."""
    return language.partition("-")[0].casefold()


def bag_of(row: Row) -> Bag:
    """Return the terms of a row, by the language of its revision."""
    language = tongue(row.source.language)
    counts = Counter(found.term for found in terms(field_text(row), language))
    return Bag(language, tuple(counts), tuple(counts.values()), counts.total())


def query_terms(query: str, language: str) -> tuple[str, ...]:
    """Return the distinct terms that a query asks for, sorted: without function words, unless it has no others."""
    found = content_terms(query, language) or terms(query, language)
    return tuple(sorted({term.term for term in found}))


class Postings:
    """An inverted index over bags: which of them hold a term, and how often."""

    def __init__(self, bags: Sequence[Bag]) -> None:
        self._size = len(bags)
        languages = np.array([bag.language for bag in bags], dtype=np.str_)
        self._speaking = {str(language): languages == language for language in np.unique(languages)}
        self._numbers: dict[tuple[str, str], int] = {}
        number = self._numbers.setdefault
        flat = [number((bag.language, term), len(self._numbers)) for bag in bags for term in bag.terms]
        found = np.array(flat, dtype=np.int64)
        order = np.argsort(found, kind="stable")
        self._rows = np.repeat(np.arange(self._size), [len(bag.terms) for bag in bags])[order]
        self._counts = np.fromiter(chain.from_iterable(bag.counts for bag in bags), np.float64, len(flat))[order]
        self._bounds = np.concatenate(([0], np.cumsum(np.bincount(found, minlength=len(self._numbers)))))
        lengths = np.array([bag.length for bag in bags], dtype=np.float64)
        average = float(lengths.sum()) / self._size if self._size else 0.0
        self._damping = K1 * (1 - B + B * lengths / average) if average else np.full(self._size, K1)

    def match(self, query: str) -> Matched:
        """Return how each bag matches `query`."""
        scores, most = np.zeros(self._size), np.zeros(self._size)
        for language, speaking in self._speaking.items():
            bound = 0.0
            for term in query_terms(query, language):
                rows, counts = self._holding(language, term)
                weight = log(1 + (self._size - len(rows) + 0.5) / (len(rows) + 0.5))
                scores[rows] += weight * (counts / (counts + self._damping[rows]))
                bound += weight
            most[speaking] = bound
        return Matched(scores, np.divide(scores, most, out=np.zeros(self._size), where=most > 0))

    def _holding(self, language: str, term: str) -> tuple[NDArray[np.int64], Scores]:
        number = self._numbers.get((language, term))
        span = slice(0, 0) if number is None else slice(self._bounds[number], self._bounds[number + 1])
        return self._rows[span], self._counts[span]
