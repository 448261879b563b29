import numpy as np
from reranking import TEXTS, random_head, seen_of

from remit.rerank.plackett_luce import log_probability
from remit.train.preference import dpo
from remit.train.reranker_preference import Preferring, Ranked, prefer

RANKINGS = ((0,), (1, 0), (2,), ())
REWARDS = np.array([0.2, 0.9, 0.4, 0.0])


def question(seed=1, rankings=RANKINGS, rewards=REWARDS):
    """Return a question of six candidates with the rankings tried."""
    return Ranked(f"q{seed}", seen_of(*TEXTS[seed - 1 :], *TEXTS[: seed - 1]), rankings, rewards)


def logs(policy, one):
    """Return the exact log-probabilities of the rankings of a question."""
    return np.array([log_probability(policy, one.seen, rows) for rows in one.rankings])


def test_the_loss_is_that_of_the_policys_own_probabilities():
    """The loss that is told before the second step is DPO's over exact log-probabilities, from log 2 down."""
    one, first, told = question(), random_head(2), []
    how = Preferring(epochs=2, rate=1e-2, decay=0.0, strategy="ranked", beta=0.7)
    once = prefer([one], first, first, how.model_copy(update={"epochs": 1}), told=told.append)
    assert abs(told[0].loss - np.log(2)) < 1e-9
    prefer([one], first, first, how, told=told.append)
    pairs = [(a, b) for a in range(4) for b in range(4) if REWARDS[a] > REWARDS[b]]
    better, worse = np.array(pairs).T
    new, old = logs(once, one), logs(first, one)
    assert abs(told[2].loss - dpo(new[better], new[worse], old[better], old[worse], beta=0.7).loss.mean()) < 1e-6
    assert told[2].loss < told[0].loss


def test_the_better_ranking_becomes_likelier_than_the_worse():
    """After training, the best ranking has gained on the worst in every question; ties teach nothing."""
    questions = [question(1), question(2), question(3, RANKINGS, np.full(4, 0.5))]
    first = random_head(2)
    done = prefer(questions, first, first, Preferring(epochs=30, rate=1e-2))
    for one in questions[:2]:
        gained = logs(done, one) - logs(first, one)
        assert gained[1] > gained[3]
    tied = prefer(questions[2:], first, first, Preferring())
    assert tied is first


def test_the_same_seed_gives_the_same_weights():
    """Training again gives the same numbers to 1e-6 and better, and never touches the reference."""
    questions, first = [question(1), question(2)], random_head(2)
    before = {name: array.copy() for name, array in first.arrays.items()}
    once, again = (prefer(questions, first, first, Preferring(epochs=5, strategy="ranked", batch=3)) for _ in range(2))
    assert all(np.array_equal(once.arrays[name], again.arrays[name]) for name in once.arrays)
    assert all(np.array_equal(before[name], first.arrays[name]) for name in before)
