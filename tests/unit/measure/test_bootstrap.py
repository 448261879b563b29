"""Intervals by resampling groups."""

import numpy as np
import pytest

from remit.measure.bootstrap import interval


def test_interval_holds_the_figure_and_repeats():
    """The figure of all rows lies between its bounds, and the same seed gives the same bounds."""
    values = np.random.default_rng(0).random(80)
    groups = [str(n) for n in range(80)]
    found = interval(lambda rows: float(values[rows].mean()), groups, seed=1)
    assert found.low < found.value < found.high
    assert found == interval(lambda rows: float(values[rows].mean()), groups, seed=1)


def test_interval_has_the_width_that_theory_gives():
    """The mean of n independent rows varies by about two standard errors to each side."""
    values = np.random.default_rng(0).normal(size=400)
    found = interval(lambda rows: float(values[rows].mean()), [str(n) for n in range(400)], seed=1)
    assert pytest.approx(4 * values.std() / 20, rel=0.15) == found.high - found.low


def test_rows_of_a_group_are_drawn_together():
    """Rows that are copies of each other in one group say no more than one row."""
    values = np.repeat(np.random.default_rng(0).random(20), 10)
    apart = interval(lambda rows: float(values[rows].mean()), [str(n) for n in range(200)], seed=1)
    tied = interval(lambda rows: float(values[rows].mean()), [str(n // 10) for n in range(200)], seed=1)
    assert tied.high - tied.low > 2 * (apart.high - apart.low)


def test_nothing_cannot_be_resampled():
    """No rows give no interval."""
    with pytest.raises(ValueError, match="nothing"):
        interval(lambda _: 0.0, [], seed=1)
