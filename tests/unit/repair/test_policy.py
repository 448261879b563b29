"""The encoder policy: probabilities that sum to one, decisions that lead back to a plan, gradients that are right."""

import numpy as np
import pytest

from remit.errors import InvalidInput, NothingThere
from remit.llm.weights import packed
from remit.repair.check import check
from remit.repair.encoder import EncoderPlanner, bytes_of, read
from remit.repair.features import MOVE_SIZE, STATE_SIZE, Seen, seen_of
from remit.repair.fit import Example, clone, mean_log_probability
from remit.repair.grammar import MOST_STEPS, Prefix
from remit.repair.ops import GenerateAnswer
from remit.repair.parse import parse
from remit.repair.policy import Situation, gradient, initial, likeliest, log_probability, sample, scores
from remit.testing.planner import FULL, PATIENCE, STATES

STATE = STATES["two questions in one"]


@pytest.fixture
def situation():
    """Return a state as the policy sees it."""
    return Situation(STATE, seen_of(STATE))


@pytest.fixture
def weights():
    """Return weights at random."""
    return initial(np.random.default_rng(5))


@pytest.mark.parametrize("name", STATES)
def test_features_have_one_size_in_every_state(name):
    """Trained weights fit whatever was found."""
    situation = Situation(STATES[name], seen_of(STATES[name]))
    assert (STATE_SIZE,) == situation.features.shape
    assert MOVE_SIZE == situation.choice(Prefix()).features.shape[1]
    assert np.isfinite(situation.features).all()


def test_the_probabilities_of_all_short_plans_and_of_what_is_longer_sum_to_one(situation, weights):
    """Each plan has one probability, and together with the prefixes not followed further they leave nothing over."""
    total, plans = 0.0, set()
    waiting = [(Prefix(), 0.0)]
    while waiting:
        so_far, log = waiting.pop()
        choice = situation.choice(so_far)
        raw = scores(situation.features, choice.features, weights).astype(np.float64)
        logs = raw - raw.max() - np.log(np.exp(raw - raw.max()).sum())
        for move, one in zip(choice.moves, logs, strict=True):
            after = Prefix((*so_far.moves, move))
            if move.ends:
                plan = after.plan()
                text = "" if plan is None else plan.text
                assert text not in plans, "two ways lead to one plan"
                plans.add(text)
                found = log_probability(situation.decisions(plan), weights)
                assert found == pytest.approx(log + one, abs=1e-3)
            if move.ends or len(after.moves) == 2:
                total += float(np.exp(log + one))
            else:
                waiting.append((after, log + one))
    assert total == pytest.approx(1.0, abs=1e-6)
    assert len(plans) > 60


def test_every_sampled_plan_is_a_plan_and_leads_back_to_its_decisions(situation, weights):
    """What is drawn passes the check, reads back from its text, and has the log-probability that it was drawn with."""
    chance = np.random.default_rng(1)
    for _ in range(60):
        drawn = sample(situation, weights, chance)
        if drawn.plan is not None:
            assert check(drawn.plan) is None
            assert drawn.plan == parse(drawn.plan.text)
            assert len(drawn.plan.steps) <= MOST_STEPS + 1
        again = situation.decisions(drawn.plan)
        assert drawn.log_probability == pytest.approx(log_probability(again, weights), abs=1e-4)


def test_the_same_seed_draws_the_same_plans(weights):
    """Sampling is by the generator that is handed in, and by nothing else."""
    first, second = (
        [sample(Situation(STATE, Seen(False)), weights, np.random.default_rng(9)).plan for _ in range(5)] for _ in "ab"
    )
    assert first == second


def test_greedy_takes_the_likeliest_move_each_time(situation, weights):
    """At temperature 0 nothing is drawn."""
    one, two = (sample(situation, weights, np.random.default_rng(seed), temperature=0.0) for seed in (1, 2))
    assert one == two
    for decision in one.decisions:
        assert decision.taken == scores(decision.state, decision.moves, weights).argmax()


def test_plans_come_likeliest_first(situation, weights):
    """The search yields plans in the order of their probability."""
    found = list(likeliest(situation, weights, 60))
    logs = [log for log, _ in found]
    assert logs == sorted(logs, reverse=True)
    assert found[0][0] == pytest.approx(log_probability(situation.decisions(found[0][1]), weights), abs=1e-4)


def test_the_gradient_is_that_of_finite_differences(situation, weights):
    """Each weight's slope is what a small step of it changes."""
    plan = parse("r1 = Retrieval(question, 5)\nfinal_answer = GenerateAnswer(question, [r1, doc_list])")
    decisions = situation.decisions(plan)
    wide = {name: values.astype(np.float64) for name, values in weights.items()}
    _, slopes = gradient(decisions, wide)
    chance, step = np.random.default_rng(0), 1e-5
    for name, values in wide.items():
        for _ in range(6):
            at = tuple(int(chance.integers(size)) for size in values.shape)
            kept = values[at]
            values[at] = kept + step
            above = log_probability(decisions, wide)
            values[at] = kept - step
            below = log_probability(decisions, wide)
            values[at] = kept
            assert slopes[name][at] == pytest.approx((above - below) / (2 * step), abs=2e-3)


def test_names_of_results_do_not_matter(situation):
    """A plan of the grammar is found under whatever names it was written."""
    text = "{0} = Retrieval(question, 5)\nfinal_answer = GenerateAnswer(question, [{0}, doc_list])"
    one, two = (situation.decisions(parse(text.format(name))) for name in ("docs", "r1"))
    assert [decision.taken for decision in one] == [decision.taken for decision in two]


def test_a_plan_outside_the_grammar_has_no_decisions(situation):
    """It is told apart from one that is merely unlikely."""
    plan = parse('r1 = Retrieval("something else", 17)\nfinal_answer = GenerateAnswer(question, r1)')
    assert situation.decisions(plan) is None


def test_cloning_makes_the_shown_plans_likelier(situation, weights):
    """Behaviour cloning climbs, and the same seed gives the same weights."""
    plan = parse("r1 = Retrieval(question, 10)\nfinal_answer = GenerateAnswer(question, r1)")
    shown = [Example(situation.decisions(plan))]
    first, second = (clone(shown, weights, epochs=30, rate=0.01, chance=np.random.default_rng(2)) for _ in range(2))
    assert mean_log_probability(shown, first) > mean_log_probability(shown, weights) + 1
    for name in first:
        np.testing.assert_array_equal(first[name], second[name])


def test_the_estimate_is_all_that_is_seen_of_the_observation():
    """At inference the state is (q, D, a0, c-hat): another reading changes nothing, another estimate does."""
    seen = STATE.seen.model_copy(update={"coverage": STATES["nothing could be measured"].seen.coverage})
    other = STATE._replace(seen=seen)
    np.testing.assert_array_equal(Situation(STATE, seen_of(STATE)).features, Situation(other, seen_of(other)).features)
    told = Situation(STATE, Seen(correct=True))
    assert (told.features != Situation(STATE, Seen(correct=False)).features).sum() == 1


def test_equal_weights_are_equal_bytes_and_read_back(tmp_path, weights):
    """A digest names weights."""
    file = tmp_path / "planner.safetensors"
    file.write_bytes(bytes_of(weights))
    assert bytes_of(weights) == bytes_of({name: values.copy() for name, values in weights.items()})
    held, digest = read(file)
    assert digest[:23] in EncoderPlanner(file).name
    for name, values in weights.items():
        np.testing.assert_array_equal(values, held[name])


def test_other_files_are_turned_away(tmp_path, weights):
    """No file, no weights, weights of another version: each says what to do."""
    with pytest.raises(NothingThere):
        EncoderPlanner(tmp_path / "none")
    (tmp_path / "text").write_text("not weights")
    with pytest.raises(InvalidInput, match="train"):
        EncoderPlanner(tmp_path / "text")
    (tmp_path / "old").write_bytes(packed(weights, {"version": "0"}))
    with pytest.raises(InvalidInput, match="train"):
        EncoderPlanner(tmp_path / "old")


def test_a_plan_over_the_budget_is_not_proposed(tmp_path, weights):
    """Where answering costs a model call and none is left, nothing is planned."""
    (tmp_path / "w").write_bytes(bytes_of(weights))
    planner = EncoderPlanner(tmp_path / "w", paid=frozenset({GenerateAnswer}))
    spent = FULL.model_copy(update={"limits": FULL.limits.model_copy(update={"model_calls": 0})})
    assert planner.propose(STATE, spent, frozenset(), PATIENCE).plan is None


def test_the_shipped_weights_are_small():
    """The package carries a few megabytes at most."""
    weights, _ = read(None)
    assert sum(values.nbytes for values in weights.values()) <= 4_000_000
