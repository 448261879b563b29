from itertools import permutations
from math import exp, fsum

import numpy as np
import pytest
from reranking import TEXTS, random_head, seen_of

from remit.rerank.plackett_luce import greedy, log_probability, sample, whole_order


def every_ordered_subset(size):
    """Yield each ordered subset of so many rows."""
    for count in range(size + 1):
        yield from permutations(range(size), count)


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize(
    ("size", "least", "most"), [(0, 0, 15), (1, 0, 15), (4, 0, 15), (5, 0, 15), (5, 0, 2), (5, 1, 3)]
)
def test_probabilities_sum_to_one(seed, size, least, most):
    """Over all ordered subsets, whatever the limits on their number: the policy is a distribution."""
    head, seen = random_head(seed, least=least, most=most), seen_of(*TEXTS[:size])
    total = fsum(exp(log_probability(head, seen, rows)) for rows in every_ordered_subset(size))
    assert 1.0 == pytest.approx(total, abs=1e-12)


def test_a_subset_beyond_the_limits_cannot_be_drawn():
    """More than the most, or fewer than the least, has probability 0."""
    head, seen = random_head(least=1, most=2), seen_of(*TEXTS)
    assert -np.inf == log_probability(head, seen, ())
    assert -np.inf == log_probability(head, seen, (0, 1, 2))
    assert -np.inf < log_probability(head, seen, (0, 1))


@pytest.mark.parametrize("rows", [(0, 0), (9,), (-1,)])
def test_what_is_no_subset_is_refused(rows):
    """A row twice, or one that is no candidate, is a mistake of the caller."""
    with pytest.raises(ValueError, match="each row once"):
        log_probability(random_head(), seen_of(*TEXTS), rows)


def test_draws_come_as_often_as_they_should():
    """Each ordered subset is drawn with its own probability, within what chance allows (4 standard errors)."""
    head, seen, chance, draws = random_head(3), seen_of(*TEXTS[:3]), np.random.default_rng(5), 4000
    drawn = [sample(head, seen, chance) for _ in range(draws)]
    for rows in every_ordered_subset(3):
        wanted = exp(log_probability(head, seen, rows))
        share = sum(one.rows == rows for one in drawn) / draws
        assert wanted == pytest.approx(share, abs=4 * (wanted * (1 - wanted) / draws) ** 0.5 + 1e-3)


@pytest.mark.parametrize("temperature", [0.2, 1.0, 3.0])
def test_a_draw_tells_its_probability_under_the_policy(temperature):
    """At any temperature it is that of temperature 1, which is what preferences are learned from."""
    head, seen = random_head(2), seen_of(*TEXTS)
    one = sample(head, seen, np.random.default_rng(1), temperature=temperature)
    assert log_probability(head, seen, one.rows) == pytest.approx(one.log_probability, abs=1e-12)


def test_the_same_seed_draws_the_same():
    """A generator in the same state gives the same subset."""
    head, seen = random_head(2), seen_of(*TEXTS)
    first, again = (sample(head, seen, np.random.default_rng(9)) for _ in range(2))
    assert first == again


def test_colder_draws_come_nearer_to_the_likeliest_passage():
    """Near temperature 0 each step takes its likeliest action."""
    head, seen = random_head(4), seen_of(*TEXTS)
    cold = sample(head, seen, np.random.default_rng(1), temperature=1e-4)
    order = whole_order(head, seen)
    assert order[: len(cold.rows)] == cold.rows


def test_no_temperature_is_no_draw():
    """At 0 there is nothing to draw, and a mistake says so."""
    with pytest.raises(ValueError, match="greedy"):
        sample(random_head(), seen_of(*TEXTS), np.random.default_rng(1), temperature=0.0)


@pytest.mark.parametrize("most", [0, 1, 3])
def test_the_greedy_choice_is_the_head_of_the_whole_order(most):
    """Stopping cuts the order off and changes nothing in it; no more than the most are chosen."""
    head, seen = random_head(5, least=0, most=most), seen_of(*TEXTS)
    chosen = greedy(head, seen)
    assert whole_order(head, seen)[: len(chosen.rows)] == chosen.rows
    assert len(chosen.rows) <= most
    assert log_probability(head, seen, chosen.rows) == pytest.approx(chosen.log_probability, abs=1e-12)


def test_the_whole_order_holds_every_row():
    """Before any stop, each candidate has its place."""
    assert [0, 1, 2, 3, 4] == sorted(whole_order(random_head(6), seen_of(*TEXTS)))
