"""The dense leg: exact cosines with every row it is given, from integers.

A matrix library adds in an order that depends on a row's place. Sums of products of small integers have no rounding, in
any order, as long as they stay below the mantissa: so the score of a row depends on that row and the query alone.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from remit.corpus.quantise import LEVELS, Quantised, quantise
from remit.errors import ProviderFailed
from remit.llm.embed import Vectors

Scores = NDArray[np.float64]
_EXACT_IN_FLOAT32 = 1 << 24
BLOCK = 512
"""Rows that are widened at a time: they stay in the processor's cache until they are multiplied."""


class Matrix:
    """The vectors of some rows, ready to be compared."""

    def __init__(self, rows: Quantised) -> None:
        self._exact: Any = exact_type(rows.values.shape[1])
        self._values = rows.values.astype(self._exact)
        self._scales = rows.scales.astype(np.float64)

    def cosines(self, query: Vectors) -> Scores:
        """Return the cosine of each row with the one row of `query`, both in 8 bits.

        Raises:
            ProviderFailed: the encoder gave no finite numbers, or vectors of another length than the rows have.
        """
        if not len(self._values):
            return np.zeros(0)
        asked = asked_of(query, self._values.shape[1])
        sums = (self._values @ asked.values[0].astype(self._exact)).astype(np.float64)
        return cosines_of(sums, self._scales, asked)


def asked_of(query: Vectors, dimension: int) -> Quantised:
    """Return the one row of `query` in 8 bits, as the rows it is compared with are.

    Raises:
        ProviderFailed: the encoder gave no finite numbers, or vectors of another length than the rows have.
    """
    if query.shape != (1, dimension) or not np.isfinite(query).all():
        raise ProviderFailed("the encoder gave no usable vector: ingest again with the encoder that is configured")
    return quantise(query)


def exact_type(dimension: int) -> Any:
    """Return the narrowest float in which dot products of that length have no rounding."""
    return np.float32 if dimension * LEVELS**2 < _EXACT_IN_FLOAT32 else np.float64


def dots(rows: NDArray[np.int8], asked: NDArray[np.int8]) -> NDArray[Any]:
    """Return the exact dot product of each row with `asked`: by `numkong` where it is installed, or by numpy."""
    if len(rows) and (kernel := _kernel()) is not None:
        return np.asarray(kernel.dots_packed(rows, kernel.dots_pack(asked[None, :]))).ravel()
    return widened_dots(rows, asked)


def packed(rows: NDArray[np.int8]) -> object | None:
    """Return a copy of the rows as `numkong` reads them fastest; None where that is not installed."""
    return None if (kernel := _kernel()) is None else kernel.dots_pack(np.ascontiguousarray(rows))


def packed_dots(rows: object, asked: NDArray[np.int8]) -> NDArray[Any]:
    """Return the exact dot product of each packed row with the one row of `asked`."""
    return np.asarray(_kernel().dots_packed(asked, rows)).ravel()


def widened_dots(rows: NDArray[np.int8], asked: NDArray[np.int8]) -> Scores:
    """Return the exact dot product of each row with `asked`, by floats that hold whole numbers."""
    exact = exact_type(rows.shape[1])
    query, sums = asked.astype(exact), np.empty(len(rows))
    wide = np.empty((min(BLOCK, len(rows)), rows.shape[1]), dtype=exact)
    for start in range(0, len(rows), BLOCK):
        block = rows[start : start + BLOCK]
        np.copyto(wide[: len(block)], block)
        sums[start : start + BLOCK] = wide[: len(block)] @ query
    return sums


@cache
def _kernel() -> Any:
    """Return the package that multiplies small integers as they are; None where it is not installed."""
    return import_module("numkong") if find_spec("numkong") else None


def cosines_of(sums: Scores, scales: NDArray[np.floating[Any]], asked: Quantised) -> Scores:
    """Turn exact dot products into cosines, in place; each depends on its own row alone."""
    sums *= scales
    sums *= float(asked.scales[0])
    return np.clip(sums, -1.0, 1.0, out=sums)
