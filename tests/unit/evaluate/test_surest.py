"""Systems at equal coverage: the surest answers, ties shared, nothing gained by declining."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.evaluate.test_tables import trial

from remit.evaluate.surest import common_coverage, surest, weights
from remit.measure.calibration import risk_coverage

SURE = st.lists(st.one_of(st.none(), st.sampled_from([0.1, 0.4, 0.4, 0.9])), min_size=1, max_size=12)


def declined(name, case):
    """Return the trial of a question that was not answered."""
    return trial(name, case, 0.0, answer=None, action="abstain", confidence=None, supported=None)


def answers(name, held):
    """Return trials of pairs of confidence and support; no confidence: declined."""
    return [
        declined(name, str(at)) if sure is None else trial(name, str(at), float(good), confidence=sure, supported=good)
        for at, (sure, good) in enumerate(held)
    ]


def test_a_system_that_answers_all_is_cut_to_the_careful_one():
    """One answers two of four, both right; the other all four, its two surest right: at equal coverage they are alike."""
    careful = answers("A", [(0.9, True), (0.8, True), (None, False), (None, False)])
    bold = answers("B", [(0.9, True), (0.8, True), (0.3, False), (0.2, False)])
    level = common_coverage([careful, bold])
    found = [surest(one, level, seed=1, times=50)[level] for one in (careful, bold)]
    assert 0.5 == level
    assert [(0.0, 1.0)] * 2 == [(one.unsupported.value, one.f1.value) for one in found]


def test_who_is_sure_of_what_is_wrong_shows():
    """The same share of wrong answers, put first by confidence: the surest half is all wrong."""
    sure = answers("A", [(0.9, False), (0.8, False), (0.3, True), (0.2, True)])
    assert 1.0 == surest(sure, 0.5, seed=1, times=50)[0.5].unsupported.value


@given(SURE, st.data())
def test_the_share_of_unsupported_answers_is_a_point_of_the_risk_curve(held, data):
    """Where the cut falls on a whole number of answers, it is the risk that the curve has there, ties included."""
    pairs = [(sure, data.draw(st.booleans())) for sure in held]
    given_ = [(sure, not good) for sure, good in pairs if sure is not None]
    if not given_:
        return
    count = data.draw(st.integers(1, len(given_)))
    level = count / len(pairs)
    curve = risk_coverage([sure for sure, _ in given_], [float(bad) for _, bad in given_])
    found = surest(answers("A", pairs), level, seed=1, times=2)[level]
    assert pytest.approx(float(curve.risk[count - 1])) == found.unsupported.value


@given(st.lists(st.sampled_from([0.2, 0.5, np.nan]), min_size=1, max_size=10), st.floats(0.05, 1.0))
def test_no_more_counts_than_the_level_and_nothing_that_was_declined(sure, level):
    """The weights add up to the level's share of all questions, or to all answers where there are fewer."""
    made = weights(np.array(sure), level)
    answered = ~np.isnan(sure)
    assert pytest.approx(min(level * len(sure), answered.sum())) == made.sum()
    assert not made[~answered].any()


def test_nobody_who_answered_nothing_has_a_figure():
    """A system that declined everything sets a coverage of none: there is nothing to compare, and no figure is made up."""
    none = [declined("A", "1"), declined("A", "2")]
    assert (0.0, {}) == (common_coverage([none, answers("B", [(0.5, True)] * 2)]), surest(none, 0.0, seed=1, times=5))
