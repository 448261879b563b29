import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from remit.retrieve.fuse import Leg, best, rarest, reciprocal_rank, weighted
from remit.retrieve.lexical import K1, Bag, Postings

SIZE = 6
IDS = ["c", "a", "f", "b", "e", "d"]
SCORE = st.one_of(st.just(float("nan")), st.floats(-1, 1))
LEG = st.builds(
    lambda scores, weight: Leg(np.array(scores), weight), st.lists(SCORE, min_size=SIZE, max_size=SIZE), st.floats(0, 2)
)


@given(st.lists(LEG, max_size=5), st.randoms())
def test_the_order_of_the_legs_moves_no_bit(legs, random):
    """Both fusions give the same whichever leg comes first."""
    other = random.sample(legs, len(legs))
    assert reciprocal_rank(legs, IDS).tolist() == reciprocal_rank(other, IDS).tolist()
    assert weighted(legs, SIZE).tolist() == weighted(other, SIZE).tolist()


@given(st.lists(LEG, min_size=1, max_size=4), st.randoms())
def test_the_place_of_a_row_does_not_count(legs, random):
    """Rows in another order have the same fused scores."""
    order = random.sample(range(SIZE), SIZE)
    moved = [Leg(leg.scores[order], leg.weight) for leg in legs]
    ids = [IDS[at] for at in order]
    assert reciprocal_rank(legs, IDS)[order].tolist() == reciprocal_rank(moved, ids).tolist()
    assert weighted(legs, SIZE)[order].tolist() == weighted(moved, SIZE).tolist()


@given(st.lists(LEG, min_size=1, max_size=4), LEG, st.integers(0, SIZE - 1))
def test_a_row_found_once_more_never_loses(legs, more, at):
    """Another leg that finds a row does not lower its reciprocal-rank score."""
    assert reciprocal_rank([*legs, more], IDS)[at] >= reciprocal_rank(legs, IDS)[at] - 1e-12


def test_reciprocal_ranks_are_those_of_the_paper():
    """1 / (60 + rank), weighted, summed over the legs that found the row."""
    legs = [Leg(np.array([0.9, 0.5, np.nan])), Leg(np.array([np.nan, 0.7, 0.1]), 2.0)]
    assert reciprocal_rank(legs, ["a", "b", "c"]).tolist() == pytest.approx([1 / 61, 1 / 62 + 2 / 61, 2 / 62])


def test_weights_multiply_scores():
    """A leg that did not find a row adds nothing."""
    legs = [Leg(np.array([1.0, np.nan]), 0.3), Leg(np.array([0.5, 0.5]))]
    assert weighted(legs, 2).tolist() == [0.8, 0.5]


@given(st.lists(SCORE, min_size=SIZE, max_size=SIZE), st.integers(-1, SIZE + 2))
def test_the_best_are_those_of_a_full_sort(scores, k):
    """The first k of all rows found, by score and then by id."""
    found = [at for at in range(SIZE) if not np.isnan(scores[at])]
    expected = sorted(found, key=lambda at: (-scores[at], IDS[at]))[: max(k, 0)]
    assert expected == best(np.array(scores), IDS, k).tolist()


def test_no_legs_and_no_rows_give_nothing():
    """Nothing to fuse is no error."""
    assert [] == reciprocal_rank([], []).tolist()
    assert [0.0] == weighted([], 1).tolist()


@given(st.integers(0, 10**9), st.integers(1, 10**6))
def test_the_unit_of_scores_grows_with_the_rows_and_is_never_nothing(rows, more):
    """A store of no row, or one, can be searched; in a larger one the same match weighs no more than in a small one."""
    assert 0 < rarest(rows) <= rarest(rows + more)


def test_a_match_of_the_rarest_term_is_one():
    """The unit is BM25's own weight of a term in one of the rows, so that scores count rarest terms."""
    postings = Postings([Bag("en", ("pump",), (1,), 1), *[Bag("en", ("seal",), (1,), 1)] * 9])
    score = postings.match("pump").scores[0]
    assert score == pytest.approx(rarest(10) / (1 + K1))
