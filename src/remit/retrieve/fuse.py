"""Fusing legs, purely: each leg is an array of scores over the same rows, NaN where it did not find a row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float64]
DEPTH = 60
"""The constant of reciprocal-rank fusion, as in its paper."""
STRIDE = 16
"""Every so many rows are looked at first, to find out what need not be sorted."""
_A_PAIR = 2


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


def rarest(rows: int) -> float:
    """Return what BM25 gives at most for a term that one of `rows` rows holds: the unit in which its scores are weighed.

    Scores grow with the number of rows; counted in rarest terms they do not, and a question's length still tells.
    """
    return log(1 + (max(rows, 1) - 0.5) / 1.5)


def best(scores: Scores, ids: Sequence[str], k: int) -> NDArray[np.int64]:
    """Return the places of the `k` best rows found, best first; equal scores are ordered by id."""
    return ranked(scores, k, lambda places: [ids[at] for at in places])


def ranked(scores: Scores, k: int, ids: Callable[[Sequence[int]], Sequence[str]]) -> NDArray[np.int64]:
    """Return the places of the `k` best rows found, best first; `ids` are asked only for those that may be among them."""
    found = leading(scores, k)
    values, places = scores[found].tolist(), found.tolist()
    order = sorted(zip([-value for value in values], ids(places), places, strict=True))
    return np.array([at for _, _, at in order[: max(0, k)]], dtype=np.int64)


def leading(scores: Scores, k: int) -> NDArray[np.int64]:
    """Return the places, in no order, of the `k` best rows found and of all that tie with the last of them."""
    missing = len(scores) > 0 and bool(np.isnan(scores.max()))  # one NaN makes it the maximum
    found = np.flatnonzero(~np.isnan(scores)) if missing else None
    values = scores if found is None else scores[found]
    if k <= 0 or not len(values):
        return np.zeros(0, dtype=np.int64)
    if k >= len(values):
        return np.arange(len(values)) if found is None else found
    # The k-th best of some rows is at most the k-th best of all: what lies below it needs no sorting.
    some = values[::STRIDE]
    least = np.partition(some, len(some) - k)[len(some) - k] if k < len(some) else -np.inf
    likely = np.flatnonzero(values >= least)
    values = values[likely]
    least = np.partition(values, len(values) - k)[len(values) - k]
    tied: NDArray[np.int64] = likely[values >= least]  # all that tie for the last place, so that the id decides
    return tied if found is None else found[tied]


def _total(parts: Sequence[Scores], size: int) -> Scores:
    """Return the sum by row, added from the smallest part up: the order of the legs moves no bit."""
    total = np.zeros(size)
    if len(parts) == _A_PAIR:
        return total + np.minimum(*parts) + np.maximum(*parts)
    for part in np.sort(np.array(parts), axis=0) if parts else ():
        total += part
    return total
