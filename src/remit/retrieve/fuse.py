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
ROUNDS = 64
"""So many rows make a group, of which the best is looked at first, to find out what need not be sorted."""
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
    if len(legs) == _A_PAIR:
        # Two numbers have one sum, whichever comes first; it is finite only where both are.
        one, other = legs
        pair: Scores = one.scores * one.weight
        pair += other.scores if other.weight == 1.0 else other.scores * other.weight
        pair += 0.0  # as below: the sum of nothing is no negative zero
        if np.isfinite(pair.sum()):
            return pair
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
    values, places = (-scores[found]).tolist(), found.tolist()
    # Ids decide between equal scores only, and asking for them may be a query to the store.
    names = ids(places) if len(set(values)) < len(values) else values
    order = sorted(zip(values, names, places, strict=True))
    return np.array([at for _, _, at in order[: max(0, k)]], dtype=np.int64)


def leading(scores: Scores, k: int) -> NDArray[np.int64]:
    """Return the places, in no order, of the `k` best rows found and of all that tie with the last of them."""
    if k <= 0 or not len(scores):
        return np.zeros(0, dtype=np.int64)
    values, found = scores, None
    groups = _groups(scores, k)
    if np.isnan(np.maximum.reduce(groups)):  # one NaN makes it the maximum
        found = np.flatnonzero(~np.isnan(scores))
        values = scores[found]
        groups = _groups(values, k)
    if k >= len(values):
        return np.arange(len(values)) if found is None else found
    if len(groups) == len(values):
        tied = np.flatnonzero(values >= _best_but(values, k - 1))
    else:
        likely = _likely(values, groups, k)
        values = values[likely]
        tied = likely[values >= _best_but(values, k - 1)]  # all that tie for the last place, so that the id decides
    return tied if found is None else found[tied]


def _best_but(values: Scores, better: int) -> float:
    """Return the score that so many are before, best first."""
    # From the best down: from the other end, where many scores are 0, partitioning takes many times as long.
    turned = -values
    turned.partition(better)
    return -float(turned[better])


def _groups(values: Scores, k: int) -> Scores:
    """Return the best of each group of rows: rows so many groups apart are one; with few rows each is its own.

    The rows behind the last full round are in no group, but for the case that they hold a NaN the last group tells.
    """
    width = len(values) // ROUNDS
    if width <= k:
        return values
    full = width * ROUNDS
    groups: Scores = values[:full].reshape(ROUNDS, width).max(axis=0)
    if full < len(values):
        groups[-1] = np.maximum(groups[-1], values[full:].max())
    return groups


def _likely(values: Scores, groups: Scores, k: int) -> NDArray[np.int64]:
    """Return the places, ascending, of the rows among which the `k` best must be."""
    width = len(groups)
    # So many groups have a row at least as good: what lies in the others needs no look.
    least = _best_but(groups, k - 1)
    at = np.flatnonzero(groups >= least)
    if len(at) > width // 4:  # many tie, most often at nothing: one look at all is faster
        return np.flatnonzero(values >= least)
    full = width * ROUNDS
    places = (np.arange(0, full, width)[:, None] + at).ravel()
    places = np.concatenate((places, np.arange(full, len(values))))
    likely: NDArray[np.int64] = places[values[places] >= least]
    return likely


def _total(parts: Sequence[Scores], size: int) -> Scores:
    """Return the sum by row, added from the smallest part up: the order of the legs moves no bit."""
    total = np.zeros(size)
    for part in np.sort(np.array(parts), axis=0) if parts else ():
        total += part
    return total
