import itertools

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from remit.measure.judge import NoVerdict, Verdict
from remit.train.reward import TERMS, WEIGHTS, Terms, Weights, f1_reward, length, reward, terms

SHARES = st.floats(0, 1)
SHARE_OR_NONE = st.one_of(st.none(), SHARES)
TERM = st.builds(Terms, SHARES, SHARE_OR_NONE, SHARES, SHARES, SHARE_OR_NONE)
WORDS = st.lists(
    st.sampled_from(["Paris", "Rome", "is", "the", "capital", "of", "France", "Italy", "1931", "a"]), max_size=8
).map(" ".join)


class SameLetters:
    """A similarity of texts: the share of letters both have."""

    name = "letters/1"

    def similarity(self, given, reference):
        """Return the share."""
        return len(set(given) & set(reference)) / max(1, len(set(given) | set(reference)))


@given(WORDS, st.lists(WORDS.filter(str.strip), min_size=1, max_size=3))
def test_each_term_lies_between_none_and_all(answer, golden):
    """Whatever is said: five numbers in [0, 1]; what was not measured is None."""
    found = terms(answer, golden, similarity=SameLetters(), verdict=Verdict((20,) * 5, 1.0))
    assert all(0 <= value <= 1 for value in found)
    assert (None, None) == (terms(answer, golden).semantic, terms(answer, golden).judged)


@given(TERM, st.sampled_from(TERMS), SHARES)
def test_a_better_term_is_never_worse(one, name, value):
    """The reward rises with each term, by its weight."""
    before = getattr(one, name)
    assume(before is not None and value >= before)
    low, high = (reward([given]).rewards[0] for given in (one, one._replace(**{name: value})))
    assert getattr(WEIGHTS, name) * (value - before) == pytest.approx(high - low, abs=1e-12)


@given(WORDS.filter(str.strip), WORDS.filter(str.strip))
def test_the_length_term_is_each_answers_own(one, other):
    """Answers of different length differ in it, and the shorter has more: it is not that of the list of trajectories."""
    assume(length(one) != length(other))
    ours, theirs = (terms(answer, ["x"]).brevity for answer in (one + " x", other + " x"))
    assert (ours > theirs) == (length(one) < length(other))


def test_the_length_term_is_the_papers():
    """1 / (1 + len), len in words."""
    assert 0.25 == terms("in the year", ["x"]).brevity


@pytest.mark.parametrize("answer", [None, "", "  ", "the", "...", "a an the"])
def test_nothing_said_is_worth_nothing(answer):
    """An empty answer matches no golden one, not even by containment, and silence is not brief."""
    assert Terms(0.0, 0.0, 0.0, 0.0, None) == terms(answer, ["the", "Paris"], similarity=SameLetters())
    assert 0.0 == f1_reward(answer, ["the", "Paris"])


@pytest.mark.parametrize(
    ("answer", "exact"), [("Paris", 1.0), ("the Paris.", 1.0), ("Paris, France", 0.0), ("Par", 0.0)]
)
def test_exact_is_no_containment(answer, exact):
    """A longer or a shorter answer than the golden one is another answer."""
    assert exact == terms(answer, ["Paris"]).exact


def test_the_best_golden_answer_counts_for_each_term():
    """Each term is the maximum over the golden answers, not that of one of them."""
    found = terms("the year 1931", ["1931", "the year 1931 in music"])
    assert (terms("the year 1931", ["1931"]).exact, 0.0) == (found.exact, 0.0)
    assert max(terms("the year 1931", [one]).fluency for one in ("1931", "the year 1931 in music")) == found.fluency


def test_a_term_that_one_lacks_is_left_out_for_all():
    """A grade that could not be read must not decide between two answers, and it is no 0."""
    graded = terms("Paris", ["Paris"], verdict=Verdict((0,) * 5, 0.0))
    ungraded = terms("Paris", ["Paris"], verdict=NoVerdict("unreadable"))
    together = reward([graded, ungraded])
    assert ("semantic", "judged") == together.left_out
    assert together.rewards[0] == together.rewards[1]
    assert ("semantic",) == reward([graded]).left_out


@given(st.lists(TERM, min_size=1, max_size=5))
def test_the_reward_is_the_weighted_sum(trajectories):
    """Of the terms that all of them have; the weights stand in one place and sum to 1."""
    told = reward(trajectories)
    kept = [name for name in TERMS if name not in told.left_out]
    for one, value in zip(trajectories, told.rewards, strict=True):
        assert sum(0.2 * getattr(one, name) for name in kept) == pytest.approx(value)
    assert all((name in told.left_out) == any(getattr(one, name) is None for one in trajectories) for name in TERMS)


def test_weights_are_a_choice():
    """Another weighing, such as one without the length, orders answers otherwise."""
    short, long = terms("1931", ["in 1931"]), terms("in the year of 1931", ["in 1931"])
    for weights, name in itertools.product((WEIGHTS, Weights(brevity=0.0)), ("rewards",)):
        values = getattr(reward([short, long], weights), name)
        assert values[0] - values[1] == pytest.approx(
            0.2 * (short.fluency - long.fluency) + weights.brevity * (short.brevity - long.brevity)
        )


@pytest.mark.parametrize("measure", [terms, f1_reward])
def test_without_a_golden_answer_there_is_no_reward(measure):
    """It is a mistake in the data, and no reward of 0."""
    with pytest.raises(ValueError, match="golden"):
        measure("Paris", [])


@pytest.mark.parametrize(
    ("answer", "golden", "expected"),
    [("in 1931", ["1931", "in the year 1931"], 0.8), ("Rome", ["Paris"], 0.0), ("the Paris", ["Paris"], 1.0)],
)
def test_token_f1_is_a_reward_of_its_own(answer, golden, expected):
    """RePAIR's: the largest token F1 over the golden answers."""
    assert expected == pytest.approx(f1_reward(answer, golden))
