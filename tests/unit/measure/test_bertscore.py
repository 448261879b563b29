from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from remit.errors import MissingPrerequisite
from remit.measure.bertscore import BertScore, TokenMatch, match

STATES = st.integers(0, 5).flatmap(lambda rows: arrays(np.float32, (rows, 4), elements=st.floats(-2, 2, width=32)))


def test_the_papers_formula_by_hand():
    """Each token's best cosine: recall over the reference's tokens, precision over the given's, F1 of both."""
    given, reference = np.eye(3)[:2], np.array([[2.0, 0, 0], [0, 0, 1], [3, 4, 0]])
    found = match(given, reference)
    assert (1 + 0.8) / 2 == pytest.approx(found.precision)
    assert (1 + 0 + 0.8) / 3 == pytest.approx(found.recall)
    assert 2 * 0.9 * 0.6 / 1.5 == pytest.approx(found.f1)


@given(STATES, STATES)
def test_it_lies_between_none_and_all(given, reference):
    """Whatever the states, none at all and zeros among them; swapped, precision and recall change places."""
    found, swapped = match(given, reference), match(reference, given)
    assert all(0 <= value <= 1 for value in found)
    assert (found.precision, found.recall) == pytest.approx((swapped.recall, swapped.precision))


@given(STATES.filter(len))
def test_a_text_is_itself(states):
    """Equal tokens match whole, where they point anywhere."""
    if (np.linalg.norm(states, axis=1) > 1e-3).all():
        assert 1.0 == pytest.approx(match(states, states).f1)


class Reads:
    """An encoder whose tokens are letters."""

    name = "letters/1"

    def read_pair(self, first, second):
        """Return one row a letter."""
        return SimpleNamespace(states=np.array([[ord(c) % 7 + 1, ord(c) % 5, 1.0] for c in first]).reshape(-1, 3))


def test_the_stand_in_has_a_name_of_its_own():
    """It says which encoder's states it compares, and never that it is BERTScore."""
    stand_in = TokenMatch(Reads())
    assert "BERTScore" not in stand_in.name
    assert "letters/1" in stand_in.name
    assert 1.0 == pytest.approx(stand_in.similarity("abc", "abc"))
    assert 0.0 == stand_in.similarity("", "abc")
    assert stand_in.similarity("abc", "abx") < 1.0


def test_without_its_extra_bertscore_says_what_is_missing(tmp_path):
    """No number stands in for it."""
    with pytest.raises(MissingPrerequisite, match=r"local|weights"):
        BertScore(tmp_path, layer=9).similarity("a", "b")
