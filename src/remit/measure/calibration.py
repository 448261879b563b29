"""Are probabilities what they say, and do they put what is wrong last: Brier, calibration error, risk against coverage."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

BINS: Final = 10

Values = NDArray[np.float64]


class Bin(NamedTuple):
    """One bar of a reliability diagram: what was said on average, how often it was so, and of how many."""

    said: float
    so: float
    cases: int


class Floor(NamedTuple):
    """The calibration error that perfectly calibrated probabilities would measure, by chance alone: mean and 95th percentile."""

    mean: float
    high: float


def brier(probability: ArrayLike, outcome: ArrayLike) -> float:
    """Return the mean squared difference of probabilities and outcomes (0 or 1).

    Raises:
        ValueError: there are none, or not as many of each.
    """
    said, so = _pairs(probability, outcome)
    return float(np.mean((said - so) ** 2))


def reliability(probability: ArrayLike, outcome: ArrayLike, *, bins: int = BINS) -> tuple[Bin, ...]:
    """Return the bars of a reliability diagram over equally wide bins, lowest first; empty ones are left out.

    The last bin holds 1 too, as in scikit-learn's `calibration_curve`.
    """
    said, so = _pairs(probability, outcome)
    place = np.clip(np.searchsorted(np.linspace(0.0, 1.0, bins + 1)[1:-1], said, side="left"), 0, bins - 1)
    return tuple(
        Bin(float(said[inside].mean()), float(so[inside].mean()), int(inside.sum()))
        for inside in (place == one for one in range(bins))
        if inside.any()
    )


def calibration_error(probability: ArrayLike, outcome: ArrayLike, *, bins: int = BINS) -> float:
    """Return the expected calibration error: the mean distance of said and so over the bins, by their counts."""
    bars = reliability(probability, outcome, bins=bins)
    total = sum(bar.cases for bar in bars)
    return sum(bar.cases * abs(bar.said - bar.so) for bar in bars) / total


def calibration_floor(probability: ArrayLike, *, seed: int, bins: int = BINS, times: int = 500) -> Floor:
    """Return what `calibration_error` would give where these probabilities were exactly right, by simulation."""
    said = np.asarray(probability, dtype=np.float64)
    chance = np.random.default_rng(seed)
    drawn = [calibration_error(said, chance.random(len(said)) < said, bins=bins) for _ in range(times)]
    return Floor(float(np.mean(drawn)), float(np.percentile(drawn, 95)))


class RiskCoverage(NamedTuple):
    """For the n most confident answers, n from 1 on: their share of all, and the share of wrong ones among them."""

    coverage: Values
    risk: Values

    @property
    def area(self) -> float:
        """Return the area under the curve (AURC): the mean of the risks."""
        return float(self.risk.mean())


def risk_coverage(confidence: ArrayLike, wrong: ArrayLike) -> RiskCoverage:
    """Return the curve of answers taken in order of falling confidence.

    Answers of equal confidence have no order: each counts with the share of wrong ones among them.
    """
    sure, bad = _pairs(confidence, wrong)
    levels, member = np.unique(-sure, return_inverse=True)
    counts = np.bincount(member, minlength=len(levels))
    shares = np.bincount(member, weights=bad, minlength=len(levels)) / counts
    expected = np.repeat(shares, counts)
    taken = np.arange(1, len(sure) + 1)
    return RiskCoverage(taken / len(sure), np.cumsum(expected) / taken)


def perfect_area(wrong: ArrayLike) -> float:
    """Return the smallest area that any order of these answers can have: all that is wrong comes last."""
    bad = np.asarray(wrong, dtype=np.float64)
    return risk_coverage(-bad, bad).area


def _pairs(one: ArrayLike, other: ArrayLike) -> tuple[Values, Values]:
    first, second = np.asarray(one, dtype=np.float64), np.asarray(other, dtype=np.float64)
    if first.shape != second.shape or first.ndim != 1 or not len(first):
        raise ValueError("want as many outcomes as probabilities, and at least one")
    return first, second


def gap_closed(single: float, ours: float, perfect: float) -> float | None:
    """Return how much of the way from one area to the perfect one another has gone; None where there is no way to go."""
    return None if single <= perfect else (single - ours) / (single - perfect)
