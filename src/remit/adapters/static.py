"""The fast sentence encoder: one vector a word piece, distilled from all-MiniLM-L6-v2, added up.

A row is 256 integers of 8 bits and an integer weight, so a sum has no rounding in any order: the same text has the same
vector to the bit, in any batch, by any library. `experiments/encoders` shows how the weights were made.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from hashlib import sha256
from importlib import import_module
from math import fsum, sqrt
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from remit.errors import MissingPrerequisite
from remit.llm.embed import Vectors

LONGEST: Final = 512
"""Word pieces of a text that are read: twice what the model it learned from reads."""

DIGEST: Final = "7b0eb4abb813ede29b74afd451686c310cdf38fe1dd0d10ad04d977155389c4e"
"""The SHA-256 of the weights that ship: what the encoder is named by, and what they are checked against."""

_WEIGHTS: Final = Path(__file__).with_name("static_files") / "weights.npz"
_TOKENIZER: Final = Path(__file__).with_name("minilm_files") / "tokenizer.json"
_FIX: Final = "install Remit again: pip install --force-reinstall --no-deps remit"


class _Loaded(NamedTuple):
    values: NDArray[np.int8]
    weights: NDArray[np.float64]
    tokenizer: Any


class StaticEncoder:
    """A sentence encoder hundreds of times as fast as a transformer; it loads its weights at the first text.

    It knows words and not their order, and so loses some of what `MiniLm` finds: `bench/results/encoders.md`.
    """

    dimension = 256

    def __init__(self) -> None:
        self.name = f"static-minilm/1 (sha256:{DIGEST[:12]})"
        self._lock = threading.Lock()
        self._loaded: _Loaded | None = None

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit vector a text, whatever the other texts are; zeros for one without a known word piece.

        Raises:
            MissingPrerequisite: the weights are missing or damaged.
        """
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        if not texts:
            return vectors
        loaded = self._load()
        found = loaded.tokenizer.encode_batch_fast([_readable(text) for text in texts], add_special_tokens=False)
        for row, text in zip(vectors, found, strict=True):
            row[:] = _unit(loaded, text.ids)
        return vectors

    def _load(self) -> _Loaded:
        with self._lock:
            if self._loaded is None:
                values, weights = _weights(_WEIGHTS)
                self._loaded = _Loaded(values, weights.astype(np.float64), _tokenizer())
            return self._loaded


def _unit(loaded: _Loaded, ids: Sequence[int]) -> NDArray[np.float64]:
    """Return the sum of the rows of some word pieces, of length 1. Every number on the way is a whole one."""
    total: NDArray[np.float64] = loaded.weights[ids] @ loaded.values[ids].astype(np.float64)
    length = sqrt(fsum((total * total).tolist()))  # a matrix library's sum would depend on where the row lies
    return total / length if length else total


def _readable(text: str) -> str:
    """Return `text` without what UTF-8 cannot carry; of an endless one as much as `LONGEST` pieces can need."""
    return text[: LONGEST * 100].encode("utf-8", "replace").decode("utf-8")


def _weights(path: Path) -> tuple[NDArray[np.int8], NDArray[np.uint16]]:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise MissingPrerequisite(f"{path} cannot be read; {_FIX}") from error
    if sha256(content).hexdigest() != DIGEST:
        raise MissingPrerequisite(f"{path} is not the file that Remit ships; {_FIX}")
    with np.load(path, allow_pickle=False) as held:
        return held["values"], held["weights"]


def _tokenizer() -> Any:
    tokenizer = import_module("tokenizers").Tokenizer.from_file(str(_TOKENIZER))
    tokenizer.no_padding()
    tokenizer.enable_truncation(LONGEST)
    return tokenizer
