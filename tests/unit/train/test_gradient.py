import numpy as np
import pytest
from reranking import TEXTS, random_head, seen_of

from remit.rerank.head import PARTS
from remit.rerank.plackett_luce import log_probability
from remit.rerank.step import step
from remit.train.fit import Fitting, clone, fresh_head, rounded, together
from remit.train.gradient import backward, forward
from remit.train.steps import Trajectory, set_steps, steps_of

TRAJECTORIES = [(), (0,), (2, 0), (4, 3, 1), (0, 1, 2, 3, 4)]


def taken(rows=TRAJECTORIES, limits=None):
    """Return the steps of some trajectories over one question."""
    seen = seen_of(*TEXTS)
    return steps_of([Trajectory(seen, one) for one in rows], limits or random_head())


@pytest.mark.parametrize(("least", "most"), [(0, 15), (0, 3), (0, 5)])
def test_a_batch_gives_the_policys_own_probabilities(least, most):
    """The log-probability learned from is the one the policy reports, step by step."""
    head = random_head(2, least=least, most=most)
    rows = [one for one in TRAJECTORIES if len(one) <= most]
    seen = seen_of(*TEXTS)
    wanted = [log_probability(head, seen, one) for one in rows]
    assert wanted == pytest.approx(list(forward(head, taken(rows, head)).log_probability), abs=1e-5)


@pytest.mark.parametrize("seed", [1, 2])
def test_the_gradient_is_the_slope(seed):
    """Every weight's slope equals a central difference."""
    head, steps = random_head(seed), taken(limits=random_head(seed))
    slope = np.random.default_rng(seed).standard_normal(steps.trajectories)
    found = backward(head, steps, forward(head, steps), slope)
    assert set(PARTS) == set(found)
    chance = np.random.default_rng(seed)
    for name in PARTS:
        for _ in range(4):
            at = tuple(chance.integers(length) for length in head.arrays[name].shape)
            ends = []
            for move in (1e-5, -1e-5):
                arrays = {**head.arrays, name: head.arrays[name].copy()}
                arrays[name][at] += move
                ends.append(float(slope @ forward(head._replace(arrays=arrays), steps).log_probability))
            assert (ends[0] - ends[1]) / 2e-5 == pytest.approx(found[name][at], rel=2e-3, abs=1e-5)


def test_part_of_a_batch_is_the_same_as_a_batch_of_the_part():
    """Trajectories picked out keep their steps and aims."""
    steps, head = taken(), random_head()
    picked = steps.only(np.array([3, 1]))
    assert forward(head, steps).log_probability[[3, 1]] == pytest.approx(forward(head, picked).log_probability)


def test_cloning_makes_the_experts_choice_likely():
    """After behaviour cloning the expert's order is the likeliest, and the loss has fallen."""
    seen, losses = seen_of(*TEXTS), []
    steps = steps_of([Trajectory(seen, (1, 2))] * 8, random_head())
    how = Fitting(epochs=200, dropout=0.0, decay=0.0)
    head = clone(fresh_head(steps, how), steps, how, told=lambda _, loss: losses.append(loss))
    assert log_probability(head, seen, (1, 2)) > np.log(0.9)
    assert losses[-1] < losses[0]


def test_the_same_seed_trains_the_same_weights():
    """Bit for bit on one machine; another seed gives others."""
    steps = taken()
    made = [clone(fresh_head(steps, how), steps, how) for how in (Fitting(seed=1), Fitting(seed=1), Fitting(seed=2))]
    assert made[0].digest == made[1].digest != made[2].digest
    assert rounded(made[0]).digest == made[0].digest


def test_any_order_of_a_set_is_as_good():
    """Set targets share what they aim at among the rows still to come."""
    steps = set_steps([Trajectory(seen_of(*TEXTS), (1, 2))], random_head())
    assert [0.5, 0.5, 1.0, 1.0] == sorted(
        [*steps.aim[steps.aim > 0].tolist(), *steps.aim_stop[steps.aim_stop > 0].tolist()]
    )


def test_heads_together_say_their_mean():
    """One head in the place of several: its logits are the mean of theirs."""
    heads, state = [random_head(seed) for seed in (1, 2, 3)], step(seen_of(*TEXTS), (1,))
    told = [head.logits(state) for head in heads]
    joint = together(heads).logits(state)
    left = np.flatnonzero(state.open)
    assert np.mean([one.candidates[left] for one in told], axis=0) == pytest.approx(joint.candidates[left])
    assert np.mean([one.stop for one in told]) == pytest.approx(joint.stop)
