"""BM25 over postings: what each of some terms gives to each row that is searched.

A row's score is the sum over the terms in their order, in 64 bits, worked out the same way whichever rows are searched
with it. The terms of a request are handled together: a search of few rows costs a few calls, not a few for each term.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from remit.retrieve.lexical import Scores
from remit.retrieve.part import Part, Term

STRETCH = 1 << 17
"""Rows that are scored at a time: what is known of them stays in the processor's cache from term to term."""


class Places(NamedTuple):
    """For each row of a part whether it is searched, and if so its place among those that are."""

    shown: NDArray[np.bool_]
    numbers: NDArray[np.int32]


class Piece(NamedTuple):
    """Where several terms occur, one term's places after the other's, how often, and how many places each has."""

    places: NDArray[np.intp]
    counts: Scores
    sizes: Sequence[int]
    stretch: slice
    """The rows it is about; the places are counted from the first of them."""


class Postings(NamedTuple):
    """Where the terms of a request occur among the rows of a part that are searched; `shown` is None where all are."""

    part: Part
    terms: Sequence[Term]
    shown: Piece | None

    @property
    def sizes(self) -> Sequence[int]:
        """In how many of the rows each term occurs."""
        return [len(term.rows) for term in self.terms] if self.shown is None else self.shown.sizes

    def pieces(self) -> Iterator[Piece]:
        """Yield where the terms occur, stretch by stretch of the rows."""
        if self.shown is not None:
            yield self.shown
        elif self.part.size <= STRETCH:
            yield _piece(self.terms, slice(0, self.part.size))
        else:
            edges = [*range(0, self.part.size, STRETCH), self.part.size]
            cuts = [np.searchsorted(term.rows, edges).tolist() for term in self.terms]
            for at, stretch in enumerate(pairwise(edges)):
                terms = [term.between(cut[at], cut[at + 1]) for term, cut in zip(self.terms, cuts, strict=True)]
                yield _piece(terms, slice(*stretch))


def postings(part: Part, places: Places | None, terms: Sequence[Term]) -> Postings:
    """Return where the terms occur among the rows of a part that have a place."""
    if places is None:
        return Postings(part, terms, None)
    rows = np.concatenate([term.rows for term in terms], dtype=np.intp)
    kept = places.shown[rows].nonzero()[0]  # a byte a row: the cache holds more of them
    ends = kept.searchsorted(list(accumulate(len(term.rows) for term in terms))).tolist()
    piece = Piece(
        places=places.numbers.take(rows[kept], mode="clip").astype(np.intp),
        counts=_counts(terms, kept),
        sizes=[end - start for start, end in pairwise((0, *ends))],
        stretch=slice(None),
    )
    return Postings(part, terms, piece)


def add(scores: Scores, damping: Scores, found: Postings, weights: Scores) -> None:
    """Write the sum of what the terms give to each row, added in their order."""
    for places, counts, sizes, stretch in found.pieces():
        sums = scores[stretch]
        sums.fill(0.0)
        if not len(places):
            continue
        given = damping[stretch].take(places, mode="clip")
        given += counts
        np.divide(counts, given, out=given)
        given *= weights.repeat(sizes)
        np.add.at(sums, places, given)


def _piece(terms: Sequence[Term], stretch: slice) -> Piece:
    places = np.concatenate([term.rows for term in terms], dtype=np.intp)
    places -= stretch.start
    return Piece(places, _counts(terms), [len(term.rows) for term in terms], stretch)


def _counts(terms: Sequence[Term], kept: NDArray[np.intp] | None = None) -> Scores:
    """Return how often the terms occur in their rows, one term after the other, or in those at some numbers."""
    if len(terms[0].part.arrays["large_at"]) and any(term.has_large for term in terms):
        whole = np.concatenate([term.counts() for term in terms])
        return whole if kept is None else whole[kept]
    small = np.concatenate([term.small for term in terms])
    counts: Scores = (small if kept is None else small[kept]).astype(np.float64)
    return counts
