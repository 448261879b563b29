import math

import ir_measures as ir
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from remit.measure.ranking import hit_by_answer, ndcg, recall

IDS = st.lists(st.sampled_from("abcdefghijklmnopqrstuvwxyz"), unique=True, max_size=20)


@given(IDS.filter(bool), IDS.filter(bool).map(frozenset))
@settings(max_examples=100, deadline=None)
def test_ir_measures_counts_the_same(ranked, gold):
    """nDCG@10, and recall at 5 and 10, equal the reference implementation's."""
    run = {"q": {id: -float(place) for place, id in enumerate(ranked)}}
    told = ir.calc_aggregate([ir.nDCG @ 10, ir.R @ 5, ir.R @ 10], {"q": dict.fromkeys(gold, 1)}, run)
    assert told[ir.nDCG @ 10] == pytest.approx(ndcg(ranked, gold))
    assert told[ir.R @ 5] == pytest.approx(recall(ranked, gold, 5))
    assert told[ir.R @ 10] == pytest.approx(recall(ranked, gold, 10))


def test_ndcg_by_hand():
    """Gold at places 1 and 3 of 2 gold: (1 + 1/2) / (1 + 1/log2 3)."""
    assert 1.5 / (1 + 1 / math.log2(3)) == pytest.approx(ndcg(["a", "x", "b"], {"a", "b"}))


def test_a_passage_counts_once():
    """An id that comes again gains nothing and takes no place."""
    assert ndcg(["a", "b"], {"a", "b"}) == ndcg(["a", "a", "b"], {"a", "b"})
    assert 1.0 == recall(["a", "a", "b"], {"a", "b"}, 2)


def test_without_gold_there_is_no_figure():
    """None, not 0: there was nothing to find."""
    assert (None, None) == (ndcg(["a"], set()), recall(["a"], set(), 5))


def test_recall_is_not_the_hit_by_answer():
    """The answer's words in a passage that is not gold are a hit and no recall."""
    assert (0.0, 1.0) == (recall(["x"], {"a"}, 5), hit_by_answer(["He was born in Paris."], ["paris"], 5))
    assert 0.0 == hit_by_answer(["Comparison"], ["Paris"], 5)
    assert 0.0 == hit_by_answer(["anything"], ["", "the"], 5)
    assert 0.0 == hit_by_answer(["x", "Paris"], ["Paris"], 1)
