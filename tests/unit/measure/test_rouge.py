"""ROUGE-L equals that of the reference package."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remit.measure.rouge import rouge_l

scorer = pytest.importorskip("rouge_score.rouge_scorer", reason="rouge-score is a development extra")
REFERENCE = scorer.RougeScorer(["rougeL"])

WORDS = st.lists(st.sampled_from(["the", "cat", "Cat's", "sat", "on", "mat.", "1,200", "Röntgen", "-"]), max_size=9)


@given(WORDS, WORDS)
def test_rouge_l_equals_the_reference_package(given_words, reference_words):
    """Precision, recall and F1 are those of rouge-score without stemming, whatever the texts."""
    ours, theirs = " ".join(given_words), " ".join(reference_words)
    assert pytest.approx(tuple(REFERENCE.score(theirs, ours)["rougeL"])) == tuple(rouge_l(ours, theirs))


def test_rouge_l_of_lins_example():
    """Lin's example: "police kill the gunman" shares three words in order with the reference, two when turned round."""
    reference = "police killed the gunman"
    found = [rouge_l(text, reference).f1 for text in ("police kill the gunman", "the gunman kill police")]
    assert [0.75, 0.5] == found
