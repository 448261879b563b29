import math
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from remit.contract.budget import Budget, Limits
from remit.errors import Cancelled, ProviderFailed
from remit.llm.cancel import Patience
from remit.rerank.cutoff import Cutoff
from remit.rerank.score import CrossEncoder, MaxSim, Score
from remit.testing.build import candidates_of, contract_of, hits_of, scope_of

HITS = hits_of("one", "two", "three", "four")


class Told:
    """A scorer that was told the scores."""

    name = "told/1"

    def __init__(self, *scores):
        self.scores = scores

    def score(self, question, hits, patience):
        """Return or raise what it was told."""
        if isinstance(self.scores[0], Exception):
            raise self.scores[0]
        return self.scores[: len(hits)]


def ranked(scorer, hits=HITS, patience=None, **given):
    """Return what the policy makes of hits."""
    budget = Budget.of(Limits(), now=0.0)
    policy = Score(scorer, Cutoff(most=2), **given)
    return policy.rank(contract_of("one?"), candidates_of(hits), scope_of("staff"), budget, patience or Patience())


def test_the_ones_above_the_threshold_are_sent_best_first():
    """As many as reach it, no more than the most; nothing is a choice too."""
    scorer = Told(0.1, 0.9, 0.5, 0.7)
    assert ["two", "four", "three"] == [hit.passage.text for hit in ranked(scorer, threshold=0.5).hits]
    assert ["two"] == [hit.passage.text for hit in ranked(scorer, threshold=0.5, most=1).hits]
    assert 0 == ranked(scorer, threshold=2.0).k


@pytest.mark.parametrize("scores", [(0.5,) * 4, (0.1, math.nan, 0.2, 0.3), (ProviderFailed("down"),)])
def test_scores_that_tell_nothing_are_a_warning(scores):
    """All equal, no number, or a model that fails: the order found is cut, and the ranking says why."""
    ranking = ranked(Told(*scores))
    assert ["one", "two"] == [hit.passage.text for hit in ranking.hits]
    assert ranking.warnings


@given(st.permutations(range(4)))
def test_reordering_the_candidates_changes_nothing(order):
    """Equal scores are ordered by passage id."""
    by_text = {"one": 0.5, "two": 0.5, "three": 0.9, "four": 0.1}
    hits = tuple(HITS[at] for at in order)
    found = ranked(Told(*(by_text[hit.passage.text] for hit in hits)), hits)
    assert ["three", "one", "two", "four"] == [hit.passage.text for hit in found.hits]


class Axes:
    """An encoder that gives each word an axis of its own."""

    name = "axes/1"
    words = ("one", "two", "three")

    def read_pair(self, first, second):
        """Return a row a word."""
        rows = [[float(word == axis) for axis in self.words] for word in first.split() if word in self.words]
        return SimpleNamespace(states=rows)


def test_maxsim_by_hand():
    """Two words of which one stands in the passage: the mean of 1 and 0."""
    scores = MaxSim(Axes()).score("one two", hits_of("two three", "three", "nothing"), Patience())
    assert [0.5, 0.0, 0.0] == scores


def test_patience_is_looked_at_before_each_pair():
    """An asker who went away pays for no further pair."""
    patience = Patience()

    class Once:
        name = "once/1"

        def encode(self, pairs):
            patience.stop.set()
            return np.ones(len(pairs))

    with pytest.raises(Cancelled):
        ranked(CrossEncoder(Once()), patience=patience)
