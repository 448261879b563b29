"""A small cross-encoder: the packaged encoder reads question and passage together, and a head trained here scores its states."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from remit.errors import InvalidInput
from remit.llm.cancel import Patience
from remit.llm.weights import given_or_shipped, packed
from remit.rerank.score import shown
from remit.retrieve.retriever import Hit

Array = NDArray[np.float64]

WEIGHTS: Final = "pair_head.safetensors"
"""The file of weights, beside this one."""
VERSION: Final = "pairs/1"
"""Changes with the meaning of any feature: weights are for one version."""
MATCHES: Final = 12
"""How many features tell of matches between tokens; the others are the encoder's dimension, three times."""
PARTS: Final = ("mean", "scale", "0.w", "0.b", "1.w", "1.b", "direct")
_SHARP: Final = 10.0
"""Of cosines: how much nearer tokens count more than others where a passage is summed up for a question."""


class PairRead(Protocol):
    """The states of two texts read together: one row a token, those of the second text from `second` on."""

    @property
    def states(self) -> NDArray[np.float32]:
        """The states, one row a token."""

    @property
    def second(self) -> int:
        """The row at which the second text begins."""


class ReadsTogether(Protocol):
    """An encoder that reads two texts as one input, such as the packaged one; `name` says which weights."""

    name: str

    def read_pair(self, first: str, second: str) -> Any:
        """Return a `PairRead`."""


def pair_features(read: PairRead) -> Array:
    """Return what the head sees of a question and a passage read together, shape (MATCHES + 3 d,)."""
    states = np.asarray(read.states, dtype=np.float64)
    asked, said = states[: read.second], states[read.second :]
    width = states.shape[1]
    if not len(asked) or not len(said):
        return np.zeros(MATCHES + 3 * width)
    cosines = _unit(asked) @ _unit(said).T
    best, back = cosines.max(axis=1), cosines.max(axis=0)
    ordered, top = np.sort(best), np.sort(back)[::-1]
    near = np.exp(_SHARP * (back - back.max()))
    question, passage, nearest = (
        _unit(row[None])[0] for row in (asked.mean(0), said.mean(0), near @ said / near.sum())
    )
    matches = [
        *(best.mean(), best.min(), best.std(), ordered[:3].mean(), ordered[-3:].mean()),
        *(back.mean(), top[:5].mean(), top[:1].mean(), float(question @ passage), float(question @ nearest)),
        *(np.log1p(len(asked)) / 4.0, np.log1p(len(said)) / 6.0),
    ]
    return np.concatenate([matches, question * passage * width, question * nearest * width, np.abs(question - nearest)])


class PairWeights(NamedTuple):
    """The head's arrays by name: inputs centred and scaled, one hidden layer of rectified units, and the inputs' own weight."""

    arrays: dict[str, Array]
    digest: str = ""

    @classmethod
    def read(cls, path: Path | None = None) -> Self:
        """Return the weights of a file, or the ones shipped.

        Raises:
            InvalidInput: the file holds no weights of this scorer, or of another version of what it sees.
        """
        kept = _read(path)
        return cls(kept.arrays, kept.digest)

    def scores(self, rows: Array) -> Array:
        """Return one score a row of features, higher for a better one."""
        x = (rows - self.arrays["mean"]) / self.arrays["scale"]
        hidden = np.maximum(x @ self.arrays["0.w"] + self.arrays["0.b"], 0.0)
        out: Array = (hidden @ self.arrays["1.w"] + self.arrays["1.b"])[:, 0] + x @ self.arrays["direct"]
        return out

    def packed(self) -> bytes:
        """Return the bytes of a file of the weights, as 32-bit numbers."""
        kept = {name: np.asarray(array, dtype=np.float32) for name, array in self.arrays.items()}
        return packed(kept, {"version": VERSION})


class PairHead:
    """Scores passages from question and passage read together; scores are log-odds of being one to answer from."""

    def __init__(self, encoder: ReadsTogether, *, weights: PairWeights | None = None) -> None:
        """Take the encoder that the weights were trained on, and weights other than the ones shipped.

        Raises:
            InvalidInput: the weights are of another version.
        """
        self._encoder, self._weights = encoder, weights or PairWeights.read()
        self.name = f"pair-head/1 {self._weights.digest[7:19]} {encoder.name}"

    def score(self, question: str, hits: Sequence[Hit], patience: Patience) -> Sequence[float]:
        """Return the scores; patience is looked at before each pair."""
        found: list[float] = []
        for hit in hits:
            patience.check()
            row = pair_features(self._encoder.read_pair(question, shown(hit)))
            found.append(float(self._weights.scores(row[None])[0]))
        return found


@lru_cache(maxsize=4)
def _read(path: Path | None) -> PairWeights:
    stored = given_or_shipped(path, "remit.rerank", WEIGHTS)
    if stored.said.get("version") != VERSION or set(stored.arrays) != set(PARTS):
        raise InvalidInput(f"{path or WEIGHTS}: no weights of the pair head for {VERSION}: train them again")
    return PairWeights({name: array.astype(np.float64) for name, array in stored.arrays.items()}, stored.digest)


def _unit(rows: Array) -> Array:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    unit: Array = rows / np.where(lengths > 0, lengths, 1.0)
    return unit
