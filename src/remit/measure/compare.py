"""Is one system better than another on the same questions: paired, by whole groups, corrected for how often one asks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from remit.measure.bootstrap import Interval, ratio

_POWER: float = 2.8
"""Standard errors that a difference needs to be found four times in five at 5 %: 1.96 + 0.84."""


class Compared(NamedTuple):
    """The mean difference with its interval, how likely one as large is by chance, and the least one that this set can find."""

    difference: Interval
    p: float
    detectable: float


def compared(one: ArrayLike, other: ArrayLike, groups: Sequence[str], *, seed: int, times: int = 2000) -> Compared:
    """Return how `one` differs from `other`, question by question; groups are drawn and flipped whole.

    The p-value is two-sided, of a permutation test: under no difference each group's could as well have the other sign.

    Raises:
        ValueError: there are no questions, or not as many of each.
    """
    difference = np.asarray(one, dtype=np.float64) - np.asarray(other, dtype=np.float64)
    if difference.shape != (len(groups),):
        raise ValueError("want a figure of each system, and a group, for each question")
    found = ratio(difference, np.ones_like(difference), groups, seed=seed, times=times)
    sums = _sums(difference, groups)
    signs = np.random.default_rng(seed).choice((-1.0, 1.0), size=(times, len(sums)))
    reached = np.abs(signs @ sums) >= abs(sums.sum()) - 1e-12
    p = (1 + int(reached.sum())) / (times + 1)
    error = float(np.sqrt(((sums - sums.mean()) ** 2).sum()) / len(difference))
    return Compared(found, p, _POWER * error)


def corrected(values: Sequence[float]) -> list[float]:
    """Return p-values corrected for how many were asked (Holm): none smaller than it was, and in the same order."""
    order = sorted(range(len(values)), key=lambda place: values[place])
    made, least = [0.0] * len(values), 0.0
    for rank, place in enumerate(order):
        least = max(least, min(1.0, values[place] * (len(values) - rank)))
        made[place] = least
    return made


def discoveries(values: Sequence[float]) -> list[float]:
    """Return p-values adjusted for the share of false discoveries (Benjamini and Hochberg, 1995), each at most 1."""
    order = sorted(range(len(values)), key=lambda place: -values[place])
    made, most = [0.0] * len(values), 1.0
    for rank, place in enumerate(order):
        most = min(most, values[place] * len(values) / (len(values) - rank))
        made[place] = most
    return made


def _sums(values: NDArray[np.float64], groups: Sequence[str]) -> NDArray[np.float64]:
    names, member = np.unique(np.array(groups), return_inverse=True)
    summed: NDArray[np.float64] = np.bincount(member, weights=values, minlength=len(names)).astype(np.float64)
    return summed
