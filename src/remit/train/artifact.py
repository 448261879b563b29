"""What a training leaves: a folder of weights, their configuration, the learning curve and a model card."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from remit.llm.learned import QUESTIONS, keys_of
from remit.llm.weights import CARD, FILE, read_weights

CONFIG: Final = "config.json"
CURVE: Final = "curve.json"


class Card(NamedTuple):
    """What a model card says: what it is, the digests of recipe and data, the measured gain, and the reward."""

    kind: str
    recipe: str
    data: str
    gain: str
    reward: str


def write_artifact(
    folder: Path,
    weights: bytes,
    card: Card,
    curve: Sequence[Mapping[str, Any]],
    questions: Iterable[str],
) -> str:
    """Write the folder and return the digest of its weights, a safetensors file; a policy is loaded by the folder's path.

    Of the questions it learned from the folder holds keys, so that a comparison can tell that it knows them.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / FILE).write_bytes(weights)
    stored = read_weights(folder)
    digest = stored.digest
    about = {**card._asdict(), "weights": digest, **stored.said}
    (folder / CONFIG).write_text(json.dumps(about, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    (folder / QUESTIONS).write_text(keys_of(questions), encoding="utf-8")
    (folder / CURVE).write_text(json.dumps(list(curve)) + "\n", encoding="utf-8")
    size = sum(array.size for array in stored.arrays.values())
    (folder / CARD).write_text(_card(card, digest, size), encoding="utf-8")
    return digest


def _card(card: Card, digest: str, size: int) -> str:
    return "\n".join(
        (
            "---",
            "library_name: remit",
            "tags: [retrieval-augmented-generation, corrective-retrieval]",
            "---",
            "",
            f"# A {card.kind} of Remit",
            "",
            f"{size:,} numbers in safetensors; runs in numpy. Load it by the path of this folder, or by its hub id once it is in the",
            "local cache.",
            "",
            "| | |",
            "|---|---|",
            f"| measured | {card.gain} |",
            f"| reward | {card.reward} |",
            f"| weights | `{digest}` |",
            f"| recipe | `{card.recipe}` |",
            f"| data | `{card.data}` |",
            "",
            f"The learning curve is in `{CURVE}`. It holds no text of the documents it was trained on.",
            "",
        )
    )
