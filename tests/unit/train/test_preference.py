import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from remit.train.preference import dpo

NUMBERS = st.floats(-200, 0)


def test_a_policy_equal_to_its_reference_has_a_loss_of_log_2():
    """The first loss of a training from the reference is log 2, with a slope of half of beta."""
    same = np.array([-3.0, -40.0])
    done = dpo(same, same - 1, same, same - 1, beta=0.1)
    np.testing.assert_allclose([np.log(2)] * 2, done.loss, rtol=1e-12)
    np.testing.assert_allclose([-0.05] * 2, done.slope, rtol=1e-12)
    assert not done.right.any()


def test_a_worked_case():
    """At beta 0.5, log-ratios 1 and -1: the loss is log(1 + 1/e)."""
    done = dpo(np.array([-1.0]), np.array([-3.0]), np.array([-2.0]), np.array([-2.0]), beta=0.5)
    np.testing.assert_allclose([np.log1p(np.exp(-1.0))], done.loss, rtol=1e-12)
    assert done.right.all()


@given(NUMBERS, NUMBERS, NUMBERS, NUMBERS, st.sampled_from([0.05, 0.1, 1.0, 5.0]))
def test_slopes_are_those_of_the_loss(chosen, rejected, reference_chosen, reference_rejected, beta):
    """A central difference of the loss gives the slope, and nothing overflows."""
    one = np.array([chosen]), np.array([rejected]), np.array([reference_chosen]), np.array([reference_rejected])
    done, h = dpo(*one, beta=beta), 1e-5
    above, below = dpo(one[0] + h, *one[1:], beta=beta), dpo(one[0] - h, *one[1:], beta=beta)
    assert np.isfinite(done.loss).all()
    np.testing.assert_allclose((above.loss - below.loss) / (2 * h), done.slope, atol=1e-4)
    above, below = dpo(one[0], one[1] + h, *one[2:], beta=beta), dpo(one[0], one[1] - h, *one[2:], beta=beta)
    np.testing.assert_allclose((above.loss - below.loss) / (2 * h), -done.slope, atol=1e-4)


def test_beta_must_be_above_0():
    """A beta of 0 would teach nothing."""
    with pytest.raises(ValueError, match="beta"):
        dpo(*[np.zeros(1)] * 4, beta=0.0)
