"""A part of the index: the terms and vectors of some runs of passages, as arrays, in memory or mapped from a segment.

A run is what one filling of a revision put into the store: its passages in order, under one title and language. A run
never changes, so neither does a part. A part knows nothing of scopes, labels, dates or deletions: who may see a run is
asked of the store for each request.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from remit.retrieve.dense import packed

Array = NDArray[Any]
STEP = 8
MOST_KNOWN = 10_000
"""Of so many terms it is remembered where they are."""
ESCAPE = 255
"""A count of at least this many stands among the large counts."""


class Term(NamedTuple):
    """Where a term occurs: rows of the part, ascending, and where in its postings they stand."""

    part: Part
    rows: NDArray[np.uint32]
    start: int

    @property
    def small(self) -> NDArray[np.uint8]:
        """How often the term occurs in its rows; ESCAPE where that does not fit."""
        counts: NDArray[np.uint8] = self.part.arrays["counts"][self.start : self.start + len(self.rows)]
        return counts

    @property
    def has_large(self) -> bool:
        """Whether some of the counts do not fit."""
        return self.part.has_large(self.start, self.start + len(self.rows))

    def counts(self) -> NDArray[np.float64]:
        """Return how often the term occurs in its rows."""
        return self.part.counts(self.start, self.start + len(self.rows))

    def between(self, start: int, end: int) -> Term:
        """Return the same for some of the rows, by their numbers here."""
        return Term(self.part, self.rows[start:end], self.start + start)


class Part:
    """The arrays of a part by name, and the languages that they number.

    By run: `runs` (its key in the store), `spoken` (number of its language), `starts` (its first row; one more at the
    end). By row: `keys` (the passage's key), `lengths`, `vectors`, `scales`. By term: `word_ends` into `words`, sorted,
    and `bounds` into the postings `rows` and `counts`; `large_at` and `large` hold the counts that do not fit.
    """

    def __init__(self, languages: Sequence[str], arrays: dict[str, Array]) -> None:
        self.languages = tuple(languages)
        self.arrays = arrays
        self.runs: NDArray[np.int64] = arrays["runs"]
        self.starts: NDArray[np.int64] = arrays["starts"]
        self.spoken: NDArray[np.uint16] = arrays["spoken"]
        self.keys: NDArray[np.int64] = arrays["keys"]
        self.lengths: NDArray[np.uint32] = arrays["lengths"]
        self.vectors: NDArray[np.int8] = arrays["vectors"]
        self.scales: NDArray[np.float32] = arrays["scales"]
        self._bounds: NDArray[np.int64] = arrays["bounds"]
        self._known: dict[tuple[str, str], tuple[int, int]] = {}

    @property
    def size(self) -> int:
        """How many rows there are."""
        return len(self.keys)

    @cached_property
    def packed(self) -> object | None:
        """The vectors once more, as the kernel reads them fastest; None without a kernel."""
        return packed(self.vectors) if self.size else None

    @cached_property
    def order(self) -> NDArray[np.int64]:
        """The places of the runs in the order of their keys."""
        return np.argsort(self.runs, kind="stable")

    def places(self, runs: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return for each run key its place in this part, -1 where it is not here."""
        if not len(self.runs):
            return np.full(len(runs), -1, dtype=np.int64)
        at = np.minimum(np.searchsorted(self.runs, runs, sorter=self.order), len(self.runs) - 1)
        found = self.order[at]
        return np.where(self.runs[found] == runs, found, -1)

    def term(self, language: str, term: str) -> Term:
        """Return where a term of a language occurs."""
        span = self._known.get((language, term))
        if span is None:
            if len(self._known) >= MOST_KNOWN:
                self._known = {}
            span = self._known[language, term] = self._find(word_of(language, term))
        start, end = span
        return Term(self, self.arrays["rows"][start:end], start)

    def _find(self, wanted: bytes) -> tuple[int, int]:
        """Return where the postings of a term begin and end."""
        low, size = STEP * (bisect_right(self._signposts, wanted) - 1), len(self._bounds) - 1
        if low < 0:
            return 0, 0
        ends, words = self._words
        stops = ends[low : min(low + STEP, size)].tolist()
        first = begins = ends[low - 1] if low else 0
        near = bytes(words[first : stops[-1]])
        for place, stop in enumerate(stops, low):
            if near[begins - first : stop - first] == wanted:
                return int(self._bounds[place]), int(self._bounds[place + 1])
            begins = stop
        return 0, 0

    @cached_property
    def _signposts(self) -> list[bytes]:
        """Every so many terms: the search for one begins near it."""
        return [self.word(at) for at in range(0, len(self._bounds) - 1, STEP)]

    def word(self, place: int) -> bytes:
        """Return the term at a place, with its language."""
        ends, words = self._words
        return bytes(words[ends[place - 1] if place else 0 : ends[place]])

    @cached_property
    def _words(self) -> tuple[memoryview, memoryview]:
        # One number of an array costs a tenth through a view of its memory, and finding a term takes a dozen.
        return self.arrays["word_ends"].data, self.arrays["words"].data

    def has_large(self, start: int, end: int) -> bool:
        """Tell whether a stretch of the postings has counts that do not fit into a byte."""
        large = self._large
        return len(large) > 0 and bisect_left(large, start) < bisect_left(large, end)

    @cached_property
    def _large(self) -> memoryview:
        return self.arrays["large_at"].data

    def counts(self, start: int, end: int) -> NDArray[np.float64]:
        """Return the counts of a stretch of the postings."""
        counts = self.arrays["counts"][start:end].astype(np.float64)
        if self.has_large(start, end):
            low, high = np.searchsorted(self.arrays["large_at"], (start, end))
            counts[self.arrays["large_at"][low:high] - start] = self.arrays["large"][low:high]
        return counts


def word_of(language: str, term: str) -> bytes:
    """Return a term with its language as it is sorted and compared."""
    return f"{language}\0{term}".encode("utf-8", "surrogatepass")


def packed_words(words: Sequence[bytes]) -> dict[str, Array]:
    """Return sorted terms as one array of bytes and the end of each."""
    ends = np.cumsum(np.fromiter(map(len, words), np.int64, len(words)), dtype=np.int64)
    return {"words": np.frombuffer(b"".join(words), np.uint8), "word_ends": ends}


def packed_counts(counts: NDArray[np.int64]) -> dict[str, Array]:
    """Return counts in a byte each, and apart from them those that do not fit."""
    at = np.flatnonzero(counts >= ESCAPE)
    return {
        "counts": np.minimum(counts, ESCAPE).astype(np.uint8),
        "large_at": at.astype(np.int64),
        "large": counts[at].astype(np.uint32),
    }
