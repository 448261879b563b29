"""The small network of the `encoder` policy: a number for each candidate and one for stopping, in numpy."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from remit.errors import InvalidInput
from remit.llm.weights import given_or_shipped, packed
from remit.rerank.seen import VERSION
from remit.rerank.step import STOP_WIDTH, WIDTH, Step

Array = NDArray[np.float64]

WEIGHTS: Final = "encoder.safetensors"
"""The file of weights, beside this one."""
TOWERS: Final = ("candidate", "stop")
"""The two networks: rows of candidates, and the one row for stopping."""
LAYERS: Final = 3
PARTS: Final = (
    *(f"{tower}.{layer}.{part}" for tower in TOWERS for layer in range(LAYERS) for part in "wb"),
    *(f"{tower}.direct" for tower in TOWERS),
)
"""The names of all trained arrays."""
SCALES: Final = tuple(f"{tower}.{part}" for tower in TOWERS for part in ("mean", "scale"))
"""The names of the arrays by which inputs are centred and scaled; they are measured, not trained."""


class Logits(NamedTuple):
    """What speaks for each candidate, -inf where it is taken already, and for stopping."""

    candidates: Array
    stop: float


class Head(NamedTuple):
    """Weights by name, and how many passages are chosen at least and at most.

    `stop_at` is the chance of stopping from which a greedy choice stops.
    """

    arrays: dict[str, Array]
    least: int = 0
    most: int = 15
    stop_at: float = 0.5

    @classmethod
    def read(cls, path: Path | None = None) -> Self:
        """Return the weights of a file, or the ones shipped.

        Raises:
            InvalidInput: the file holds no weights of this policy, or of another version of what it sees.
        """
        kept = _read(path)
        return cls(kept.arrays, kept.least, kept.most, kept.stop_at)

    @property
    def digest(self) -> str:
        """Return the digest of all that makes the policy choose as it does."""
        digest = hashlib.sha256(f"{VERSION} {self.least} {self.most} {self.stop_at!r}".encode())
        for name in sorted(self.arrays):
            digest.update(name.encode() + np.ascontiguousarray(self.arrays[name], dtype="<f4").tobytes())
        return "sha256:" + digest.hexdigest()

    def logits(self, seen: Step) -> Logits:
        """Return what speaks for each of the next actions."""
        rows = self.tower("candidate", seen.candidates)
        return Logits(np.where(seen.open, rows, -np.inf), float(self.tower("stop", seen.stop[None])[0]))

    def tower(self, name: str, rows: Array) -> Array:
        """Return one number a row: two hidden layers of rectified units over the centred input, and the input's own weight."""
        x = (rows - self.arrays[f"{name}.mean"]) / self.arrays[f"{name}.scale"]
        direct = x @ self.arrays[f"{name}.direct"]
        for layer in range(LAYERS):
            x = x @ self.arrays[f"{name}.{layer}.w"] + self.arrays[f"{name}.{layer}.b"]
            if layer + 1 < LAYERS:
                x = np.maximum(x, 0.0)
        out: Array = x[:, 0] + direct
        return out

    def packed(self) -> bytes:
        """Return the bytes of a file of the weights as 32-bit numbers, which `read` gives back as they are."""
        kept = {name: array.astype(np.float32) for name, array in self.arrays.items()}
        said = {"version": VERSION, "least": str(self.least), "most": str(self.most), "stop_at": repr(self.stop_at)}
        return packed(kept, said)

    def save(self, path: Path) -> None:
        """Write the weights to a file."""
        path.write_bytes(self.packed())


@lru_cache(maxsize=4)
def _read(path: Path | None) -> Head:
    stored = given_or_shipped(path, "remit.rerank", WEIGHTS)
    shown = path or WEIGHTS
    if (version := stored.said.get("version")) != VERSION:
        raise InvalidInput(f"{shown}: weights for {version}, this Remit sees {VERSION}: train them again")
    arrays = {name: array.astype(np.float64) for name, array in stored.arrays.items()}
    if set(arrays) != {*PARTS, *SCALES} or (len(arrays["candidate.0.w"]), len(arrays["stop.0.w"])) != (
        WIDTH,
        STOP_WIDTH,
    ):
        raise InvalidInput(f"{shown}: no weights of the encoder reranker: train them again")
    try:
        limits = int(stored.said["least"]), int(stored.said["most"]), float(stored.said["stop_at"])
    except (KeyError, ValueError) as error:
        raise InvalidInput(
            f"{shown}: no limits beside the weights of the encoder reranker: train them again"
        ) from error
    return Head(arrays, *limits)
