"""Vectors as small integers and one scale each: a dot product of two is then exact, whatever computes it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from remit.llm.embed import Vectors

LEVELS = 127


class Quantised(NamedTuple):
    """Rows of integers in [-127, 127] and the scale that gives each row unit length (0 for a row of zeros)."""

    values: NDArray[np.int8]
    scales: NDArray[np.float32]


def quantise(vectors: Vectors) -> Quantised:
    """Return `vectors` as integers; each row depends on that row alone."""
    wide = vectors.astype(np.float64)
    peaks = np.abs(wide).max(axis=1, initial=0.0)
    values = np.rint(wide / np.where(peaks > 0, peaks, 1.0)[:, None] * LEVELS).astype(np.int8)
    squares = np.einsum("ij,ij->i", values.astype(np.int64), values.astype(np.int64))
    scales = np.where(squares > 0, 1.0 / np.sqrt(np.maximum(squares, 1)), 0.0).astype(np.float32)
    return Quantised(values, scales)


def restored(rows: Quantised) -> Vectors:
    """Return unit vectors again, as close as 8 bits allow."""
    vectors: Vectors = rows.values.astype(np.float32) * rows.scales[:, None]
    return vectors


def from_bytes(values: bytes, scales: bytes, dimension: int) -> Quantised:
    """Return rows as they were stored."""
    rows = np.frombuffer(values, dtype=np.int8) if values else np.zeros(0, dtype=np.int8)
    return Quantised(
        rows.reshape(-1, dimension or 1),
        np.frombuffer(scales, dtype="<f4") if scales else np.zeros(0, dtype=np.float32),
    )
