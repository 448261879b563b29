"""The rows of several parts that one request may see, searched as one: their statistics are theirs alone.

Every score comes out as it does from `lexical.Postings` and `dense.Matrix` over the same rows, to the last bit: what is
summed over rows are integers, and what is rounded is worked out for each row in the same order.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate, pairwise
from math import log
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from remit.llm.embed import Vectors
from remit.retrieve.dense import asked_of, cosines_of, dots, packed_dots
from remit.retrieve.lexical import K1, B, Matched, Scores, query_terms
from remit.retrieve.part import Part
from remit.retrieve.scoring import Places, add, postings

BLOCK = 1 << 16
"""Rows whose vectors are gathered at a time."""


MOST_PACKED = 1 << 26
"""Up to so many bytes of vectors are kept as the kernel reads them fastest, beside the file."""


class Chosen(NamedTuple):
    """Rows of a part: all where `rows` is None, or these, ascending."""

    part: Part
    rows: NDArray[np.int64] | None


class Scored(NamedTuple):
    """The scores of rows, and by language the most that a row could score."""

    scores: Scores
    bounds: list[float]


class Located(NamedTuple):
    """The keys of passages and of the runs they belong to."""

    keys: NDArray[np.int64]
    runs: NDArray[np.int64]


class Body:
    """Rows in one order of their own: a place is a row's number in it."""

    def __init__(self, chosen: Sequence[Chosen]) -> None:
        self._chosen = [one for one in chosen if one.rows is None or len(one.rows)]
        sizes = [one.part.size if one.rows is None else len(one.rows) for one in self._chosen]
        self._firsts = list(accumulate(sizes, initial=0))
        self.size = self._firsts[-1]
        self._places = [_places(one) for one in self._chosen]
        lengths = self._by_row("lengths").astype(np.float64)
        average = float(lengths.sum()) / self.size if self.size else 0.0
        self._damping = K1 * (1 - B + B * lengths / average) if average else np.full(self.size, K1)
        self._speak()

    def match(self, query: str) -> Matched:
        """Return how each row matches `query`, by the terms of its own language."""
        scores, bounds = self.scored(self._asked(query))
        return Matched(scores, self._shares(scores, bounds))

    def scores(self, query: str) -> Scores:
        """Return the score of each row alone."""
        return self.scored(self._asked(query)).scores

    def _asked(self, query: str) -> dict[str, tuple[str, ...]]:
        return {language: query_terms(query, language) for language in self.languages}

    def scored(self, asked: dict[str, tuple[str, ...]]) -> Scored:
        """Return the score of each row for the sorted terms asked for in its language, and by language the most that a row could score."""
        wanted = [(language, term) for language in self.languages for term in asked.get(language, ())]
        if not wanted:
            return Scored(np.zeros(self.size), [0.0] * len(self.languages))
        found = [
            postings(part, places, [part.term(*one) for one in wanted])
            for (part, _), places in zip(self._chosen, self._places, strict=True)
        ]
        weights = [self.weight(sum(holding)) for holding in zip(*(one.sizes for one in found), strict=True)]
        scores, by_term = np.empty(self.size), np.array(weights)
        for one, (first, end) in zip(found, pairwise(self._firsts), strict=True):
            add(scores[first:end], self._damping[first:end], one, by_term)
        bounds = dict.fromkeys(self.languages, 0.0)
        for (language, _), weight in zip(wanted, weights, strict=True):
            bounds[language] += weight
        return Scored(scores, list(bounds.values()))

    def weight(self, holding: int) -> float:
        """Return what a term weighs that so many of the rows hold."""
        return log(1 + (self.size - holding + 0.5) / (holding + 0.5))

    def cosines(self, query: Vectors) -> Scores:
        """Return the cosine of each row with the one row of `query`, both in 8 bits.

        Raises:
            ProviderFailed: the encoder gave no finite numbers, or vectors of another length than the rows have.
        """
        if not self.size:
            return np.zeros(0)
        asked = asked_of(query, self._chosen[0].part.vectors.shape[1])
        sums = np.empty(self.size)
        whole = sum(one.part.vectors.nbytes for one in self._chosen if one.rows is None)
        for one, first in zip(self._chosen, self._firsts, strict=False):
            if one.rows is None and whole <= MOST_PACKED and (packed := one.part.packed) is not None:
                sums[first : first + one.part.size] = packed_dots(packed, asked.values)
            else:
                _dots(one, asked.values[0], sums, first)
        return cosines_of(sums, self._scales, asked)

    def located(self, places: NDArray[np.int64]) -> Located:
        """Return which passages, of which runs, the rows at some places are."""
        keys, runs = np.empty(len(places), dtype=np.int64), np.empty(len(places), dtype=np.int64)
        at = np.searchsorted(self._firsts, places, side="right") - 1
        for number, (part, rows) in enumerate(self._chosen):
            mine = np.flatnonzero(at == number)
            local = places[mine] - self._firsts[number]
            local = local if rows is None else rows[local]
            keys[mine] = part.keys[local]
            runs[mine] = part.runs[np.searchsorted(part.starts, local, side="right") - 1]
        return Located(keys, runs)

    def by_run(self, values: dict[int, NDArray[Any]]) -> NDArray[Any]:
        """Return for each row what `values` says of its run: arrays over the runs of a part, by the part's identity."""
        spread = [np.zeros(0, dtype=np.int64)]
        for part, rows in self._chosen:
            whole = np.repeat(values[id(part)], np.diff(part.starts))
            spread.append(whole if rows is None else whole[rows])
        return np.concatenate(spread)

    @cached_property
    def _scales(self) -> NDArray[np.float32]:
        """The scale of each row's vector; its part's own where that is the only one, and seen whole."""
        if len(self._chosen) == 1 and self._chosen[0].rows is None:
            return self._chosen[0].part.scales
        scales: NDArray[np.float32] = self._by_row("scales")
        return scales

    def _by_row(self, name: str) -> NDArray[Any]:
        taken = [one.part.arrays[name] if one.rows is None else one.part.arrays[name][one.rows] for one in self._chosen]
        return np.concatenate(taken) if taken else np.zeros(0)

    def _speak(self) -> None:
        """Note which languages the rows speak, and where they speak several, which row speaks which."""
        spread = {}
        numbers: dict[str, int] = {}
        for part, _ in self._chosen:
            mine = [numbers.setdefault(language, len(numbers)) for language in part.languages]
            spread[id(part)] = np.array(mine, dtype=np.int64)[part.spoken]
        spoken = self.by_run(spread)
        present = np.unique(spoken)
        names = list(numbers)
        self.languages = tuple(names[number] for number in present)
        self._spoken = np.searchsorted(present, spoken).astype(np.uint16) if len(present) > 1 else None

    def _shares(self, scores: Scores, bounds: Sequence[float]) -> Scores:
        if self._spoken is None:
            bound = bounds[0] if bounds else 0.0
            return scores / bound if bound > 0 else np.zeros(self.size)
        most = np.array(bounds)[self._spoken]
        shares: Scores = np.divide(scores, most, out=np.zeros(self.size), where=most > 0)
        return shares


def _places(one: Chosen) -> Places | None:
    if one.rows is None:
        return None
    shown, numbers = np.zeros(one.part.size, dtype=np.bool_), np.zeros(one.part.size, dtype=np.int32)
    shown[one.rows] = True
    numbers[one.rows] = np.arange(len(one.rows))
    return Places(shown, numbers)


def _dots(one: Chosen, asked: NDArray[np.int8], sums: Scores, first: int) -> None:
    """Write the exact dot products of the chosen rows, from `first` on."""
    part, rows = one
    size = part.size if rows is None else len(rows)
    for start in range(0, size, BLOCK):
        end = min(start + BLOCK, size)
        block = part.vectors[start:end] if rows is None else part.vectors[rows[start:end]]
        sums[first + start : first + end] = dots(block, asked)
