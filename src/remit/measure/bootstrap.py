"""Confidence intervals by resampling whole groups: what hangs together is drawn together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Rows = NDArray[np.intp]


class Interval(NamedTuple):
    """A figure and the bounds between which it lies in 95 of 100 resamples."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}]"


def interval(figure: Callable[[Rows], float], groups: Sequence[str], *, seed: int, times: int = 1000) -> Interval:
    """Return a figure of rows with its 95 % percentile interval; `figure` takes the numbers of the rows drawn.

    Groups are drawn with replacement, each with all of its rows.

    Raises:
        ValueError: there are no rows.
    """
    if not groups:
        raise ValueError("there is nothing to resample")
    names, member = np.unique(np.array(groups), return_inverse=True)
    rows = [np.flatnonzero(member == one) for one in range(len(names))]
    chance = np.random.default_rng(seed)
    drawn = [
        figure(np.concatenate([rows[one] for one in chance.integers(len(rows), size=len(rows))])) for _ in range(times)
    ]
    low, high = np.percentile(drawn, [2.5, 97.5])
    return Interval(figure(np.arange(len(groups))), float(low), float(high))


def ratio(over: ArrayLike, under: ArrayLike, groups: Sequence[str], *, seed: int, times: int = 1000) -> Interval:
    """Return the sum of `over` by the sum of `under` with its interval: a mean where `under` is 1, a share of some else.

    The same as `interval` of that figure, drawn at once. Draws in which nothing is under the line say nothing, and are left
    out.

    Raises:
        ValueError: there are no rows, or nothing is under the line.
    """
    names, member = np.unique(np.array(groups), return_inverse=True)
    tops = np.bincount(member, weights=np.asarray(over, dtype=np.float64), minlength=len(names))
    bottoms = np.bincount(member, weights=np.asarray(under, dtype=np.float64), minlength=len(names))
    if not len(names) or not bottoms.sum():
        raise ValueError("there is nothing to resample")
    drawn = np.random.default_rng(seed).integers(len(names), size=(times, len(names)))
    top, bottom = tops[drawn].sum(axis=1), bottoms[drawn].sum(axis=1)
    low, high = np.percentile(top[bottom > 0] / bottom[bottom > 0], [2.5, 97.5])
    return Interval(float(tops.sum() / bottoms.sum()), float(low), float(high))
