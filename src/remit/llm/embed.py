"""The port to a sentence encoder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
"""One row per text, each of unit length (a text without tokens: zeros)."""


class Embed(Protocol):
    """A sentence encoder. `name` identifies weights and version; vectors of two names are never mixed."""

    name: str
    dimension: int

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return unit vectors, shape (len(texts), dimension). The same text gives the same vector in any batch."""
