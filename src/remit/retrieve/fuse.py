"""Fusing legs, purely: each leg is an array of scores over the same rows, NaN where it did not find a row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float64]
DEPTH = 60
"""The constant of reciprocal-rank fusion, as in its paper."""


class Leg(NamedTuple):
    """The scores of one way to search, and what they weigh."""

    scores: Scores
    weight: float = 1.0


def reciprocal_rank(legs: Sequence[Leg], ids: Sequence[str], *, depth: int = DEPTH) -> Scores:
    """Return for each row the weighted sum of 1 / (depth + rank) over the legs that found it."""
    parts = []
    for leg in legs:
        part = np.zeros(len(ids))
        order = best(leg.scores, ids, len(ids))
        part[order] = leg.weight / (depth + np.arange(1, len(order) + 1))
        parts.append(part)
    return _total(parts, len(ids))


def weighted(legs: Sequence[Leg], size: int) -> Scores:
    """Return for each of `size` rows the weighted sum of its scores; a leg that did not find it adds nothing."""
    return _total([leg.weight * np.nan_to_num(leg.scores, nan=0.0) for leg in legs], size)


def best(scores: Scores, ids: Sequence[str], k: int) -> NDArray[np.int64]:
    """Return the places of the `k` best rows found, best first; equal scores are ordered by id."""
    found = np.flatnonzero(~np.isnan(scores))
    if k <= 0 or not len(found):
        return found[:0]
    if k < len(found):
        least = np.partition(scores[found], len(found) - k)[len(found) - k]
        found = found[scores[found] >= least]  # all that tie for the last place, so that the id decides
    order = sorted(found.tolist(), key=lambda at: (-scores[at], ids[at]))
    return np.array(order[:k], dtype=np.int64)


def _total(parts: Sequence[Scores], size: int) -> Scores:
    """Return the sum by row, added from the smallest part up: the order of the legs moves no bit."""
    total = np.zeros(size)
    for part in np.sort(np.array(parts), axis=0) if parts else ():
        total += part
    return total
