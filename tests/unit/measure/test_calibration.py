"""Calibration and risk-coverage, against scikit-learn and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from remit.measure.calibration import (
    brier,
    calibration_error,
    calibration_floor,
    gap_closed,
    perfect_area,
    reliability,
    risk_coverage,
)

pairs = st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=60)


@given(pairs)
def test_brier_and_bars_are_those_of_scikit_learn(drawn) -> None:
    """The same numbers come out of scikit-learn's `brier_score_loss` and `calibration_curve`."""
    metrics, curve = pytest.importorskip("sklearn.metrics"), pytest.importorskip("sklearn.calibration")
    said, so = np.array([p for p, _ in drawn]), np.array([float(o) for _, o in drawn])
    assert brier(said, so) == pytest.approx(metrics.brier_score_loss(so, said, pos_label=1), abs=1e-12)
    if len(set(so)) == 2:
        shares, means = curve.calibration_curve(so, said, n_bins=10)
        bars = reliability(said, so)
        assert [bar.said for bar in bars] == pytest.approx(list(means))
        assert [bar.so for bar in bars] == pytest.approx(list(shares))


def test_calibration_error_by_hand() -> None:
    """Two bins: .2 said of four of which one was so, .9 said of one that was: (4 |.2 - .25| + |.9 - 1|) / 5."""
    assert calibration_error([0.2] * 4 + [0.9], [1, 0, 0, 0, 1]) == pytest.approx(0.06)


def test_perfect_calibration_measures_an_error_above_zero() -> None:
    """At n = 126 perfectly calibrated scores measure about .09, and ten times as many measure a third of it."""
    said = np.random.default_rng(1).random(126)
    few, many = calibration_floor(said, seed=2), calibration_floor(np.tile(said, 10), seed=2)
    assert 0.07 < few.mean < 0.11 < few.high
    assert many.mean == pytest.approx(few.mean / np.sqrt(10), rel=0.2)


def test_risk_at_each_coverage_by_hand() -> None:
    """Right, wrong, right in order of confidence: risks 0, 1/2, 1/3."""
    curve = risk_coverage([0.9, 0.5, 0.1], [0, 1, 0])
    assert list(curve.risk) == pytest.approx([0.0, 1 / 2, 1 / 3])
    assert curve.area == pytest.approx((0 + 1 / 2 + 1 / 3) / 3)


@given(pairs)
def test_equal_confidences_have_no_order(drawn) -> None:
    """A system that is equally sure of everything has the base rate at every coverage."""
    wrong = [float(o) for _, o in drawn]
    curve = risk_coverage([0.5] * len(wrong), wrong)
    assert list(curve.risk) == pytest.approx([np.mean(wrong)] * len(wrong))


@given(pairs)
def test_no_order_beats_the_perfect_one(drawn) -> None:
    """The perfect area is a bound below, and reached by the order that knows what is wrong."""
    said, wrong = [p for p, _ in drawn], [float(o) for _, o in drawn]
    assert perfect_area(wrong) <= risk_coverage(said, wrong).area + 1e-12
    assert perfect_area(wrong) == pytest.approx(risk_coverage([-w for w in wrong], wrong).area)


def test_the_gap_is_a_share_of_the_way() -> None:
    """From .4 to .3 is half of the way to .2; where nothing can be gained there is no share."""
    assert (pytest.approx(0.5), None) == (gap_closed(0.4, 0.3, 0.2), gap_closed(0.2, 0.2, 0.2))


@pytest.mark.parametrize("wrong", [([], []), ([0.1], [1, 0]), ([[0.1]], [[1]])])
def test_what_does_not_fit_is_refused(wrong) -> None:
    """No figure is made of nothing."""
    with pytest.raises(ValueError, match="want as many"):
        brier(*wrong)
