"""The rows of several parts that one request may see, searched as one: their statistics are theirs alone.

Every score comes out as it does from `lexical.Postings` and `dense.Matrix` over the same rows, to the last bit: what is
summed over rows are integers, and what is rounded is worked out for each row in the same order.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import log
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from remit.llm.embed import Vectors
from remit.retrieve.dense import asked_of, cosines_of, dots
from remit.retrieve.lexical import K1, B, Matched, Scores, query_terms
from remit.retrieve.part import Part

BLOCK = 1 << 16
"""Rows whose vectors are gathered at a time."""

STRETCH = 1 << 16
"""Rows that are scored at a time: what is known of them stays in the processor's cache from term to term."""


class Chosen(NamedTuple):
    """Rows of a part: all where `rows` is None, or these, ascending."""

    part: Part
    rows: NDArray[np.int64] | None


class Found(NamedTuple):
    """Where a term occurs among the rows that are searched: their places, and how often."""

    places: NDArray[np.intp]
    counts: Scores


class Scored(NamedTuple):
    """The scores of rows, and by language the most that a row could score."""

    scores: Scores
    bounds: list[float]


class Located(NamedTuple):
    """The keys of passages and of the runs they belong to."""

    keys: NDArray[np.int64]
    runs: NDArray[np.int64]


class _Places(NamedTuple):
    """For each row of a part whether it is searched, and if so its place."""

    shown: NDArray[np.bool_]
    numbers: NDArray[np.int32]


class Body:
    """Rows in one order of their own: a place is a row's number in it."""

    def __init__(self, chosen: Sequence[Chosen]) -> None:
        self._chosen = [one for one in chosen if one.rows is None or len(one.rows)]
        sizes = [one.part.size if one.rows is None else len(one.rows) for one in self._chosen]
        self._firsts = np.cumsum([0, *sizes])
        self.size = int(self._firsts[-1])
        self._places = [_places(one, int(first)) for one, first in zip(self._chosen, self._firsts, strict=False)]
        lengths = self._by_row("lengths").astype(np.float64)
        average = float(lengths.sum()) / self.size if self.size else 0.0
        self._damping = K1 * (1 - B + B * lengths / average) if average else np.full(self.size, K1)
        self._speak()

    def match(self, query: str) -> Matched:
        """Return how each row matches `query`, by the terms of its own language."""
        return self.matched({language: query_terms(query, language) for language in self.languages})

    def matched(self, asked: dict[str, tuple[str, ...]]) -> Matched:
        """Return how each row matches the sorted terms asked for in its language."""
        scores, bounds = self.scored(asked)
        return Matched(scores, self._shares(scores, bounds))

    def scored(self, asked: dict[str, tuple[str, ...]]) -> Scored:
        """Return the score of each row, and by language the most that a row could score."""
        scores = np.zeros(self.size)
        bounds = []
        for language in self.languages:
            bound = 0.0
            weighed: list[tuple[float, Found]] = []
            for term in asked.get(language, ()):
                found = self.holding(language, term)
                weight = self.weight(sum(len(one.places) for one in found))
                weighed += [(weight, one) for one in found]
                bound += weight
            self._add(scores, weighed)
            bounds.append(bound)
        return Scored(scores, bounds)

    def _add(self, scores: Scores, weighed: Sequence[tuple[float, Found]]) -> None:
        """Add to the scores what each term gives, term by term for each row, one stretch of rows after the other."""
        edges = [*range(0, self.size, STRETCH), self.size]
        short = self.size <= STRETCH
        cuts = [[0, len(one.places)] if short else np.searchsorted(one.places, edges).tolist() for _, one in weighed]
        for at in range(len(edges) - 1):
            for (weight, (places, counts)), cut in zip(weighed, cuts, strict=True):
                if cut[at] == cut[at + 1]:
                    continue
                here, often = places[cut[at] : cut[at + 1]], counts[cut[at] : cut[at + 1]]
                damping = self._damping[here]
                damping += often
                np.divide(often, damping, out=damping)
                damping *= weight
                np.add.at(scores, here, damping)  # no place comes twice; this way each is touched once

    def weight(self, holding: int) -> float:
        """Return what a term weighs that so many of the rows hold."""
        return log(1 + (self.size - holding + 0.5) / (holding + 0.5))

    def holding(self, language: str, term: str) -> list[Found]:
        """Return where a term occurs, part by part."""
        found = []
        for (part, _), places, first in zip(self._chosen, self._places, self._firsts, strict=False):
            if (postings := part.term(language, term)) is None:
                continue
            if places is None:
                shifted = postings.rows.astype(np.intp)
                found.append(Found(shifted + first if first else shifted, postings.counts()))
                continue
            rows = postings.rows.astype(np.intp)
            kept = places.shown.take(rows, mode="clip").nonzero()[0]  # a byte a row: the cache holds more of them
            if len(kept):
                found.append(Found(places.numbers[rows[kept]].astype(np.intp), postings.counts(kept)))
        return found

    def cosines(self, query: Vectors) -> Scores:
        """Return the cosine of each row with the one row of `query`, both in 8 bits.

        Raises:
            ProviderFailed: the encoder gave no finite numbers, or vectors of another length than the rows have.
        """
        if not self.size:
            return np.zeros(0)
        asked = asked_of(query, self._chosen[0].part.vectors.shape[1])
        sums = np.empty(self.size)
        for one, first in zip(self._chosen, self._firsts, strict=False):
            _dots(one, asked.values[0], sums, int(first))
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


def _places(one: Chosen, first: int) -> _Places | None:
    if one.rows is None:
        return None
    shown, numbers = np.zeros(one.part.size, dtype=np.bool_), np.zeros(one.part.size, dtype=np.int32)
    shown[one.rows] = True
    numbers[one.rows] = np.arange(first, first + len(one.rows))
    return _Places(shown, numbers)


def _dots(one: Chosen, asked: NDArray[np.int8], sums: Scores, first: int) -> None:
    """Write the exact dot products of the chosen rows, from `first` on."""
    part, rows = one
    size = part.size if rows is None else len(rows)
    for start in range(0, size, BLOCK):
        end = min(start + BLOCK, size)
        block = part.vectors[start:end] if rows is None else part.vectors[rows[start:end]]
        sums[first + start : first + end] = dots(block, asked)
