"""The port of the span scorer: an encoder that reads two texts at once and gives its states token by token."""

from __future__ import annotations

from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray


class PairStates(NamedTuple):
    """What an encoder makes of two texts read together, one row a token, marks left out.

    ``states[i]`` belongs to the characters ``places[i]`` of the first text for i < `second`, of the second text from there
    on. Tokens past the encoder's limit are missing.
    """

    states: NDArray[np.float32]
    places: tuple[tuple[int, int], ...]
    second: int


@runtime_checkable
class ReadsPairs(Protocol):
    """An encoder with states to look at; `name` says which weights made them."""

    name: str

    def read_pair(self, first: str, second: str) -> PairStates:
        """Return the states of two texts read as one input."""
