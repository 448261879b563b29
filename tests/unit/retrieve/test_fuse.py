import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from remit.retrieve.fuse import ROUNDS, Leg, best, leading, ranked, rarest, reciprocal_rank, weighted
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


@given(st.integers(1, 12), st.integers(0, 70), st.integers(1, 9), st.sampled_from([0.0, 0.3, 0.97]), st.randoms())
def test_the_leading_of_many_are_those_of_a_full_sort(width, more, k, missing, random):
    """With rows enough to be looked at in groups, with ties and with NaN: the k best and all that tie with the last."""
    levels = random.choice([1, 3, 50, 10**9])
    drawn = [float(random.randint(-levels, levels)) for _ in range(ROUNDS * width + more)]
    scores = np.array([float("nan") if random.random() < missing else score for score in drawn])
    held = sorted(scores[~np.isnan(scores)].tolist(), reverse=True)
    least = held[min(k, len(held)) - 1] if held else 0.0
    assert leading(scores, k).tolist() == np.flatnonzero(scores >= least).tolist()


def test_ids_are_asked_only_where_scores_are_equal():
    """They may lie in the store."""
    assert ranked(np.array([1.0, 3.0, 2.0]), 2, lambda places: pytest.fail(str(places))).tolist() == [1, 2]
    assert ranked(np.array([1.0, 1.0]), 1, lambda places: ["ba"[at] for at in places]).tolist() == [1]


def test_a_sum_of_nothing_is_no_negative_zero():
    """So that equal scores look equal too."""
    assert not np.signbit(weighted([Leg(np.array([-0.0])), Leg(np.array([-0.0]))], 1)).any()


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
