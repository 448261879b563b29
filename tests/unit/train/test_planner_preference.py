import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from remit.repair.policy import Decision, initial, log_probability
from remit.train.pairs import Filters, paired
from remit.train.planner_examples import Tried
from remit.train.planner_preference import Preferring, prefer
from remit.train.preference import dpo

CHANCE = np.random.default_rng(5)
REWARDS = st.lists(st.sampled_from([0.0, 0.2, 0.5, 1.0]), max_size=6).map(np.array)


def weights(seed=0, state=4, move=3):
    """Return random weights of the sizes of the made questions."""
    found = {
        "state": (6, state), "move": (6, move), "bias": (6,), "out": (6,), "direct": (move,)
    }  # fmt: skip
    chance = np.random.default_rng(seed)
    return {name: chance.standard_normal(shape).astype(np.float32) for name, shape in found.items()}


def question(rewards, seed=1):
    """Return a question with one trajectory of two decisions a reward."""
    chance = np.random.default_rng(seed)
    state, first = chance.standard_normal(4).astype(np.float32), chance.standard_normal((8, 3)).astype(np.float32)
    then = chance.standard_normal((3, 3)).astype(np.float32)
    plans = tuple((Decision(state, first, number), Decision(state, then, number % 3)) for number in range(len(rewards)))
    return Tried(f"q{seed}", "g", tuple(map(str, range(len(rewards)))), plans, np.array(rewards))


@given(REWARDS)
def test_ranked_pairs_are_all_that_differ_and_extremes_one(rewards):
    """What is compared is what the pairs of a log are: all that differ, or the best and the worst."""
    ranked, extremes = paired(rewards, "ranked", Filters()), paired(rewards, "extremes", Filters())
    want = {(a, b) for a in range(len(rewards)) for b in range(len(rewards)) if rewards[a] > rewards[b]}
    assert want == set(zip(ranked.better.tolist(), ranked.worse.tolist(), strict=True))
    assert int(bool(want)) == len(extremes.better)


def test_the_first_step_follows_the_slope_of_the_loss():
    """The mean loss falls along the first step, and its slope by each weight is that of a central difference."""
    made, start = question([0.0, 0.5, 1.0]), weights()
    pair = paired(made.rewards, "ranked", Filters())

    def loss(held):
        logs = np.array([log_probability(plan, held) for plan in made.plans])
        base = np.array([log_probability(plan, start) for plan in made.plans])
        return dpo(logs[pair.better], logs[pair.worse], base[pair.better], base[pair.worse], beta=0.5).loss.mean()

    seen = []
    done = prefer([made], start, start, Preferring(beta=0.5, epochs=1, rate=1e-3, decay=0.0), told=seen.append)
    assert np.log(2) == pytest.approx(seen[0].loss, abs=1e-6)
    assert loss(done) < np.log(2)
    for name, at in (("direct", (1,)), ("out", (2,)), ("bias", (3,)), ("state", (2, 1)), ("move", (4, 2))):
        raised, lowered = ({**start, name: start[name].copy()} for _ in range(2))
        raised[name][at] += 1e-2
        lowered[name][at] -= 1e-2
        slope = (loss(raised) - loss(lowered)) / 2e-2
        if abs(slope) > 1e-4:  # Adam's first step goes against the slope's sign, at its rate
            assert -np.sign(slope) * 1e-3 == pytest.approx(float(done[name][at] - start[name][at]), rel=1e-2)


def test_training_orders_what_can_be_ordered_the_same_each_time():
    """All pairs of two questions are ordered right in the end, bit for bit the same from the same seed."""
    questions = [question([0.0, 1.0, 0.5], 1), question([1.0, 0.0, 0.2, 0.1], 2), question([0.3, 0.3], 3)]
    curve = []
    how = Preferring(beta=1.0, epochs=200, rate=1e-2, batch=2)
    once = prefer(questions, weights(), weights(), how, told=curve.append)
    again = prefer(questions, weights(), weights(), how)
    assert all(np.array_equal(once[name], again[name]) for name in once)
    assert 1.0 == curve[-1].right
    assert curve[-1].loss < curve[0].loss


def test_questions_without_a_difference_teach_nothing():
    """Ties alone leave the weights as they are but for decay."""
    done = prefer([question([0.5, 0.5, 0.5])], weights(), weights(), Preferring(decay=0.0))
    assert all(np.array_equal(done[name], weights()[name]) for name in done)


def test_the_reference_is_not_where_training_starts():
    """Off-policy weights go on against the initial reference: the first loss is then not log 2."""
    made, first = question([0.0, 1.0]), weights()
    off = prefer([made], first, first, Preferring(epochs=5))
    seen = []
    prefer([made], off, first, Preferring(epochs=1), told=seen.append)
    assert seen[0].loss < np.log(2)


def test_random_weights_have_the_shapes_of_the_policy():
    """The sizes made here are those of the policy, name by name."""
    assert weights().keys() == initial(CHANCE).keys()


def plain(texts, rewards):
    """Return a question of one state whose plans are each one move of eight."""
    made = question(rewards)
    return made._replace(texts=texts, plans=tuple(plan[:1] for plan in made.plans))


def chances(made, held):
    """Return how likely each trajectory is among them."""
    logs = np.array([log_probability(plan, held) for plan in made.plans])
    return np.exp(logs) / np.exp(logs).sum()


def test_pairs_weighed_by_margin_learn_what_gains_and_not_what_wins_more_often():
    """A plan that loses a little twice and gains much once is preferred by what it gains, against the count of its wins."""
    made = [plain(("leave", "a"), rewards) for rewards in ([0.0, 1.0], [0.2, 0.1], [0.2, 0.1])]
    how = Preferring(beta=0.1, epochs=40, rate=1e-2, decay=0.0)
    start = weights()
    equal = prefer(made, start, start, how)
    gained = prefer(made, start, start, how.model_copy(update={"weigh": "margin"}))
    assert chances(made[0], equal)[1] < chances(made[0], start)[1] < chances(made[0], gained)[1]


def test_an_operation_that_gains_nothing_costs():
    """Among equal answers the draft is left alone once operations cost; a gain above the cost still counts."""
    tied, better = plain(("leave", "a"), [0.5, 0.5]), plain(("leave", "a"), [0.5, 0.9])
    how = Preferring(epochs=20, decay=0.0, cost=0.1)
    start = weights()
    assert chances(tied, prefer([tied], start, start, how))[0] > chances(tied, start)[0]
    assert chances(better, prefer([better], start, start, how))[1] > chances(better, start)[1]
    assert [0, 1] == tied.operations.tolist()
