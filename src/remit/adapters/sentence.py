"""Any sentence-transformers model, by path or by name (extra `local`)."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cached_property
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import numpy as np

from remit.errors import MissingPrerequisite, ProviderFailed
from remit.llm.embed import Vectors

_SAMPLE: Final = 1 << 20
_WEIGHTS: Final = ("*.safetensors", "*.bin", "*.json", "*.txt", "*.model")
_MOST_CHARACTERS: Final = 100_000


class SentenceTransformerEncoder:
    """A sentence-transformers model; it loads at the first text, or when its dimension is asked for.

    A name is looked up among the models that are on this machine already: nothing is downloaded behind your back.
    Texts are read one at a time, without padding, so that a vector follows from its text alone. A model that wants a
    prompt before queries is used without it.
    """

    def __init__(self, model: str | Path, *, device: str = "cpu") -> None:
        """Take a folder that holds a model, or the name of one that was downloaded.

        Raises:
            MissingPrerequisite: there is no such folder, or it holds no model.
        """
        self._model, self._device = model, device
        self._lock = threading.Lock()
        if isinstance(model, Path):
            self._model = model.expanduser()
            self.name = f"sentence-transformers:{self._model.name}@{_fingerprint(self._model)}"
        else:
            self.name = f"sentence-transformers:{model}"

    def __repr__(self) -> str:
        return f"SentenceTransformerEncoder({self.name!r})"

    @cached_property
    def dimension(self) -> int:
        """Return how many numbers a vector has."""
        return int(self._vectors(["dimension"]).shape[1])

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit vector a text, whatever the other texts are; zeros for one without words.

        Raises:
            MissingPrerequisite: the model or the extra is not installed.
            ProviderFailed: the model gave no finite numbers.
        """
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        worded = [at for at, text in enumerate(texts) if text.strip()]
        if worded:
            vectors[worded] = self._vectors([texts[at] for at in worded])
        return vectors

    def _vectors(self, texts: list[str]) -> Vectors:
        readable = [text[:_MOST_CHARACTERS].encode("utf-8", "replace").decode() for text in texts]
        with self._lock:  # a model's tokenizer keeps state between texts
            found = self._loaded.encode(readable, batch_size=1, show_progress_bar=False, convert_to_numpy=True)
        wide = np.asarray(found, dtype=np.float64)
        lengths = np.array([float(np.linalg.norm(row)) for row in wide])
        if not np.isfinite(lengths).all():
            raise ProviderFailed(f"{self.name} gave no finite numbers: use another model")
        return np.asarray(wide / np.where(lengths > 0, lengths, 1.0)[:, None], dtype=np.float32)

    @cached_property
    def _loaded(self) -> Any:
        make = _engine().SentenceTransformer
        try:
            return make(str(self._model), device=self._device, local_files_only=True, trust_remote_code=False)
        except Exception as error:  # transformers and the hub raise dozens of unrelated types for a missing file
            reason = " ".join(str(error).split())[:120] or type(error).__name__
            raise MissingPrerequisite(
                f"the sentence-transformers model {self._model} cannot be loaded from this machine ({reason}). "
                "Download it first, and give its folder as path = ... or its name as model = ..."
            ) from error


def _engine() -> Any:
    try:
        return import_module("sentence_transformers")
    except ImportError as error:
        raise MissingPrerequisite("sentence-transformers models need an extra: pip install 'remit[local]'") from error


def _fingerprint(folder: Path) -> str:
    """Return a short digest of the model's files: names, sizes, heads and tails tell one build from another."""
    files = sorted({path for pattern in _WEIGHTS for path in folder.rglob(pattern) if path.is_file()})
    if not any(path.name.endswith(("safetensors", ".bin")) for path in files):
        raise MissingPrerequisite(f"{folder} holds no sentence-transformers model: give the folder with its weights")
    digest = sha256()
    for path in files:
        size = path.stat().st_size
        digest.update(f"{path.relative_to(folder).as_posix()}:{size}:".encode())
        with path.open("rb") as file:
            digest.update(file.read(_SAMPLE))
            file.seek(max(0, size - _SAMPLE))
            digest.update(file.read(_SAMPLE))
    return digest.hexdigest()[:12]
