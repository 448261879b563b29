import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from remit.corpus.quantise import quantise
from remit.errors import ProviderFailed
from remit.retrieve.dense import Matrix


def units(seed, rows, dimension=384):
    """Return random unit vectors."""
    vectors = np.random.default_rng(seed).standard_normal((rows, dimension)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@given(st.integers(0, 1000), st.integers(1, 40), st.sampled_from([8, 384, 1536]))
def test_cosines_are_those_of_integers_added_one_by_one(seed, rows, dimension):
    """Each score equals a sum of Python's exact integers, scaled, to the last bit."""
    stored, query = quantise(units(seed, rows, dimension)), units(seed + 1, 1, dimension)
    asked = quantise(query)
    expected = [
        min(
            1.0,
            max(
                -1.0,
                float(sum(int(a) * int(b) for a, b in zip(row, asked.values[0], strict=True))) * scale * query_scale,
            ),
        )
        for row, scale, query_scale in zip(
            stored.values, stored.scales.astype(float).tolist(), [float(asked.scales[0])] * rows, strict=True
        )
    ]
    assert expected == Matrix(stored).cosines(query).tolist()


@given(st.integers(0, 1000), st.integers(1, 200), st.randoms())
def test_neither_place_nor_company_moves_a_bit(seed, rows, random):
    """A row scores the same anywhere, and among any others."""
    vectors, query = units(seed, rows), units(seed + 1, 1)
    alone = np.concatenate([Matrix(quantise(vectors[at : at + 1])).cosines(query) for at in range(rows)])
    some = random.sample(range(rows), random.randint(1, rows))
    assert alone[some].tolist() == Matrix(quantise(vectors[some])).cosines(query).tolist()


def test_cosines_stay_close_to_those_of_the_encoder():
    """Eight bits cost less than a hundredth, and the nearest row stays the nearest."""
    vectors = units(3, 200)
    query = vectors[7:8] + 0.2 * units(4, 1)
    query /= np.linalg.norm(query)
    found = Matrix(quantise(vectors)).cosines(query)
    assert np.abs(found - vectors @ query[0]).max() < 0.01
    assert 7 == found.argmax()


def test_zeros_and_no_rows_have_an_answer():
    """A text without tokens is no nearer to one row than to another; no rows have no scores."""
    assert [0.0, 0.0] == Matrix(quantise(units(1, 2))).cosines(np.zeros((1, 384), np.float32)).tolist()
    assert [] == Matrix(quantise(units(1, 0))).cosines(units(2, 1)).tolist()


@pytest.mark.parametrize("query", [np.zeros((1, 8), np.float32), np.full((1, 384), np.nan, np.float32)])
def test_vectors_that_cannot_be_compared_are_refused(query):
    """Another length or no number is an error of the encoder, never a score."""
    with pytest.raises(ProviderFailed, match="encoder"):
        Matrix(quantise(units(1, 2))).cosines(query)
