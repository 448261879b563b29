"""Paired comparison."""

from __future__ import annotations

import numpy as np
import pytest

from remit.measure.compare import compared, corrected


def test_a_clear_difference_is_found_and_none_is_not() -> None:
    """What is better on every question has a small p; what is the same has p 1 and an interval of nothing."""
    groups = [str(n) for n in range(40)]
    better, same = compared([1.0] * 40, [0.0] * 40, groups, seed=1), compared([0.5] * 40, [0.5] * 40, groups, seed=1)
    assert (1.0, 0.0) == (better.difference.value, same.difference.value)
    assert better.p < 0.001
    assert (1.0, 0.0, 0.0) == (same.p, same.difference.low, same.difference.high)


def test_groups_count_once() -> None:
    """Ten copies of each question are no ten questions: the p-value stays about that of the groups."""
    chance = np.random.default_rng(3)
    one, other = chance.random(12), chance.random(12)
    alone = compared(one, other, [str(n) for n in range(12)], seed=1)
    copied = compared(np.repeat(one, 10), np.repeat(other, 10), [str(n) for n in range(12) for _ in range(10)], seed=1)
    assert (alone.p, alone.difference) == (copied.p, pytest.approx(copied.difference))


def test_no_difference_is_called_one_about_as_often_as_said() -> None:
    """Of 200 pairs of the same distribution about one in twenty has p below .05."""
    chance = np.random.default_rng(5)
    groups = [str(n) for n in range(30)]
    below = [compared(chance.random(30), chance.random(30), groups, seed=n, times=200).p < 0.05 for n in range(200)]
    assert 2 <= sum(below) <= 22


def test_holm_by_hand() -> None:
    """.01, .04 and .03 of three become .03, .06 and .06."""
    assert corrected([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
