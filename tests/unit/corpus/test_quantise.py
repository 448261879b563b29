"""Vectors as small integers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from remit.corpus.quantise import from_bytes, quantise, restored

rows_of_vectors = arrays(np.float32, st.tuples(st.integers(0, 6), st.just(8)), elements=st.floats(-1, 1, width=32))


@given(rows_of_vectors)
def test_each_row_stands_alone_and_has_unit_length(vectors):
    """A row quantises to the same integers alone as among others, keeps its direction, and comes back with length 1."""
    rows = quantise(vectors)
    assert rows.values.dtype == np.int8
    assert rows.values.min(initial=0) >= -127
    for place, vector in enumerate(vectors):
        alone = quantise(vector[None])
        assert alone.values[0].tolist() == rows.values[place].tolist()
        assert alone.scales[0] == rows.scales[place]
    for back, vector in zip(restored(rows), vectors, strict=True):
        length = np.linalg.norm(vector)
        assert np.linalg.norm(back) == pytest.approx(1 if vector.any() else 0, abs=1e-5)
        if length > 1e-3:
            assert float(back @ vector) / length > 0.999


def test_zeros_stay_zeros():
    """A text without tokens has a vector of zeros and the scale 0."""
    rows = quantise(np.zeros((1, 4), dtype=np.float32))
    assert ([[0, 0, 0, 0]], [0.0]) == (rows.values.tolist(), rows.scales.tolist())


def test_stored_bytes_come_back():
    """What is written to bytes is read back bit for bit; no rows are no rows."""
    rows = quantise(np.array([[0.6, 0.8], [1, 0]], dtype=np.float32))
    back = from_bytes(rows.values.tobytes(), rows.scales.tobytes(), 2)
    assert (rows.values.tolist(), rows.scales.tolist()) == (back.values.tolist(), back.scales.tolist())
    assert (0, 2) == from_bytes(b"", b"", 2).values.shape
