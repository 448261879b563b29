"""Systems at equal coverage: each gives only its surest answers, as many as the most cautious of them gave.

A system that declines is otherwise compared unfairly both ways: what it did not answer counts 0 for F1, and is never unsupported.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from remit.evaluate.trial import Trial
from remit.measure.bootstrap import Interval, Rows, interval

_QUARTER: Final = 0.25
Values = NDArray[np.float64]


class Surest(NamedTuple):
    """The surest answers of a system, at a share of all questions: how many of them are unsupported, and their F1."""

    coverage: float
    unsupported: Interval
    f1: Interval | None


def common_coverage(held: Iterable[Sequence[Trial]]) -> float:
    """Return the share of questions that the system that answered least still answered."""
    return min((sum(map(_counts, found)) / len(found) for found in held if found), default=0.0)


def surest(found: Sequence[Trial], level: float, *, seed: int, times: int) -> dict[float, Surest]:
    """Return a system's surest answers at a coverage, and at a quarter of the questions where that is less."""
    levels = [level] if level <= _QUARTER else [_QUARTER, level]
    return {one: made for one in levels if (made := _at(found, one, seed, times)) is not None}


def _at(found: Sequence[Trial], level: float, seed: int, times: int) -> Surest | None:
    sure = np.array([float(trial.confidence or 0.0) if _counts(trial) else np.nan for trial in found])
    bad = np.array([float(not trial.supported) for trial in found])
    near = np.array([np.nan if trial.f1 is None else trial.f1 for trial in found])
    groups = [f"{trial.set} {trial.group}" for trial in found]
    if not level or not _mean(bad, weights(sure, level))[1]:
        return None

    def taken(values: Values) -> Interval:
        return interval(lambda rows: _drawn(values, sure, level, rows), groups, seed=seed, times=times)

    known = not np.isnan(near[weights(sure, level) > 0]).all()
    return Surest(level, taken(bad), taken(near) if known else None)


def weights(sure: Values, level: float) -> Values:
    """Return how much each answer counts among the surest: 1 above the cut, a share where it falls among equals, else 0.

    What is not answered, of which `sure` is no number, never counts. Where there are fewer answers than that, all of them count.
    """
    made, given = np.zeros(len(sure)), ~np.isnan(sure)
    _, place, counts = np.unique(-sure[given], return_inverse=True, return_counts=True)
    before = np.cumsum(counts) - counts
    made[given] = np.clip((level * len(sure) - before) / counts, 0.0, 1.0)[place]
    return made


def _drawn(values: Values, sure: Values, level: float, rows: Rows) -> float:
    value, weight = _mean(values[rows], weights(sure[rows], level))
    return value if weight else 0.0


def _mean(values: Values, weight: Values) -> tuple[float, float]:
    known = np.where(np.isnan(values), 0.0, weight)
    total = float(known.sum())
    return (float(np.nansum(values * known)) / total if total else 0.0), total


def _counts(trial: Trial) -> bool:
    return trial.answered and trial.confidence is not None
