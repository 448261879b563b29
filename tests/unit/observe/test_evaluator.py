"""The learned evaluator, as it is computed in a decision."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remit.observe.evaluator import Evaluator, Tree, calibrated

STUMP = Tree(signal=(1, -1, -1), at=(0.5, 0.0, 0.0), left=(1, -1, -1), right=(2, -1, -1), value=(0.0, -2.0, 3.0))
EVALUATOR = Evaluator(
    name="t",
    signals=("a", "b"),
    center=(1.0, 0.0),
    scale=(2.0, 1.0),
    weights=(4.0, 0.0),
    bias=0.25,
    trees=(STUMP,),
    knots=((-2.0, 0.0), (0.0, 0.5), (4.0, 0.9)),
)


def test_the_score_is_the_sum_of_bias_signals_and_trees() -> None:
    """By hand: 0.25 + 4 (2 - 1) / 2 + 3, and -2 instead of 3 where the tree goes left."""
    assert (5.25, 0.25) == (EVALUATOR.score({"a": 2.0, "b": 0.6}), EVALUATOR.score({"a": 2.0, "b": 0.5}))


def test_a_signal_that_was_not_taken_says_nothing() -> None:
    """None, and a name that is not there, count as the signal's centre."""
    assert EVALUATOR.score({"a": 1.0, "b": 0.0}) == EVALUATOR.score({"a": None}) == EVALUATOR.score({})


def test_probabilities_are_interpolated_and_end_at_the_outer_knots() -> None:
    """Between two knots the probability lies on the line, beyond them it stays."""
    got = [calibrated(score, EVALUATOR.knots) for score in (-9.0, -2.0, -1.0, 0.0, 2.0, 4.0, 9.0)]
    assert [0.0, 0.0, 0.25, 0.5, pytest.approx(0.7), 0.9, 0.9] == got


@given(st.lists(st.floats(-50, 50, allow_nan=False), min_size=2))
def test_a_higher_score_never_has_a_lower_probability(scores: list[float]) -> None:
    """Calibration keeps the order of drafts."""
    made = [calibrated(score, EVALUATOR.knots) for score in sorted(scores)]
    assert all(0.0 <= one <= two <= 1.0 for one, two in itertools.pairwise(made))
