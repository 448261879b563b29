"""The port to a cross-encoder: it reads two texts at once and says how well they go together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float32]
"""One number a pair, higher where the two go together better. The scale is the model's own."""


class Pair(NamedTuple):
    """Two texts to be read together, such as a question and a passage, or a quotation and what it should carry."""

    first: str
    second: str


class Encode(Protocol):
    """A cross-encoder. `name` identifies weights and version; scores of two names are never compared."""

    name: str

    def encode(self, pairs: Sequence[Pair]) -> Scores:
        """Return one score a pair, shape (len(pairs),). The same pair gives the same score in any batch."""
