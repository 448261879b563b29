"""BERTScore (Zhang et al., 2020): tokens of two texts matched by the cosine of their states; and a local stand-in.

`BertScore` needs the extra `local` and the weights of a BERT. `TokenMatch` does the same with the states of the packaged
sentence encoder: another number, under another name.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from remit.errors import MissingPrerequisite

States = NDArray[np.float32]
"""One row a token of a text."""


class Matched(NamedTuple):
    """Means of each token's best cosine in the other text, of the given and of the reference, and their F1; in [0, 1]."""

    precision: float
    recall: float
    f1: float


class Similarity(Protocol):
    """How alike two texts are, in [0, 1]. `name` says which measure and weights; numbers of two names never mix."""

    name: str

    def similarity(self, given: str, reference: str) -> float:
        """Return how alike they are; 0 where either has no token."""


def match(given: States, reference: States) -> Matched:
    """Return the greedy matching of tokens by cosine; negative means count as 0, no tokens as no match."""
    if not len(given) or not len(reference):
        return Matched(0.0, 0.0, 0.0)
    cosines = _unit(given) @ _unit(reference).T
    precision, recall = (max(0.0, min(1.0, float(cosines.max(axis=axis).mean()))) for axis in (1, 0))
    total = precision + recall
    return Matched(precision, recall, 2 * precision * recall / total if total else 0.0)


@runtime_checkable
class ReadsTokens(Protocol):
    """An encoder that gives the states of a text read alone or with another, such as the packaged one."""

    name: str

    def read_pair(self, first: str, second: str) -> Any:
        """Return states, one row a token, of two texts; those of the first come first."""


class TokenMatch:
    """The stand-in: greedy matching over the packaged encoder's states. It is not BERTScore and is not called so."""

    def __init__(self, encoder: ReadsTokens) -> None:
        """Take the encoder whose states are compared."""
        self.name = f"token-match/1 {encoder.name}"
        self._encoder = encoder
        self._kept: dict[str, States] = {}

    def similarity(self, given: str, reference: str) -> float:
        """Return the F1 of the matching."""
        return match(self._states(given), self._states(reference)).f1

    def _states(self, text: str) -> States:
        if text not in self._kept:
            self._kept[text] = np.asarray(self._encoder.read_pair(text, "").states, dtype=np.float32)
        return self._kept[text]


class BertScore:
    """BERTScore's F1 with the weights of a folder, without rescaling and without weights by rarity.

    `layer` is the hidden layer compared; the paper chose one a model (roberta-large 17, bert-base 9).
    """

    def __init__(self, model: str | Path, *, layer: int) -> None:
        """Take the folder or cached name of the model; it loads at the first text."""
        self.name = f"BERTScore {Path(model).name} layer {layer}"
        self._model, self._layer = str(model), layer
        self._held: tuple[Any, Any, Any] | None = None

    def similarity(self, given: str, reference: str) -> float:
        """Return the F1 of the matching.

        Raises:
            MissingPrerequisite: the extra or the weights are missing.
        """
        return match(self._states(given), self._states(reference)).f1

    def _states(self, text: str) -> States:
        torch, tokenizer, model = self._loaded()
        if not text.strip():
            return np.zeros((0, 1), dtype=np.float32)
        read = tokenizer(text, truncation=True, max_length=512, return_tensors="pt")
        with torch.inference_mode():
            hidden = model(**read, output_hidden_states=True).hidden_states[self._layer][0]
        return np.asarray(hidden.float().numpy(), dtype=np.float32)

    def _loaded(self) -> tuple[Any, Any, Any]:
        if self._held is None:
            try:
                torch, transformers = import_module("torch"), import_module("transformers")
                tokenizer = transformers.AutoTokenizer.from_pretrained(self._model, local_files_only=True)
                model = transformers.AutoModel.from_pretrained(self._model, local_files_only=True).eval()
            except ImportError as error:
                raise MissingPrerequisite("BERTScore needs an extra: pip install 'remit[local]'") from error
            except (OSError, ValueError) as error:
                raise MissingPrerequisite(
                    f"{self._model}: no weights for BERTScore on this machine; give a folder, or use the stand-in"
                ) from error
            self._held = torch, tokenizer, model
        return self._held


def _unit(states: States) -> NDArray[np.float64]:
    lengths = np.linalg.norm(states.astype(np.float64), axis=1, keepdims=True)
    unit: NDArray[np.float64] = states / np.where(lengths > 0, lengths, 1.0)
    return unit
