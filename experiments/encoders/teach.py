"""Writes the teacher's vectors, of each word piece alone and of the texts, into a cache folder; a second run reads them."""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from texts import chosen

from remit.adapters.minilm import MiniLm

HERE = Path(__file__).parent
TOKENIZER = Path(sys.modules[MiniLm.__module__].__file__).with_name("minilm_files") / "tokenizer.json"


def pieces() -> list[str]:
    """Return the word pieces of the teacher's vocabulary, by number; what starts with ## loses it."""
    vocabulary = json.loads(TOKENIZER.read_text("utf-8"))["model"]["vocab"]
    return [piece.removeprefix("##") for piece in sorted(vocabulary, key=vocabulary.get)]


def taught(texts: Sequence[str], cache: Path, *, teacher: MiniLm, kind: str) -> np.ndarray:
    """Return the teacher's vector of each text, from the cache where it has them."""
    digest = hashlib.sha256("\x00".join((teacher.name, *texts)).encode("utf-8", "replace")).hexdigest()[:16]
    path = cache / f"{kind}-{digest}.npy"
    if path.exists():
        return np.load(path)
    rows = []
    for at, text in enumerate(texts):
        rows.append(teacher.embed([text, ""])[0])  # two texts: the teacher keeps only single ones in memory
        if at % 2000 == 0:
            print(f"{kind} {at}/{len(texts)}", file=sys.stderr, flush=True)
    cache.mkdir(parents=True, exist_ok=True)
    np.save(path, np.stack(rows))
    return np.stack(rows)


def main() -> None:
    """Fill the cache with the kinds named on the command line, or all."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("kinds", nargs="*", default=["pieces", "questions", "sentences", "titles", "passages"])
    options.add_argument("--cache", type=Path, required=True)
    options.add_argument("--data", type=Path, default=HERE.parents[1] / "../shared/data")
    said = options.parse_args()
    plan = tomllib.loads((HERE / "distil.toml").read_text("utf-8"))["texts"]
    texts, _ = chosen(said.data, sentences=plan["sentences"], seed=plan["seed"])
    teacher = MiniLm()
    for kind in said.kinds:
        found = pieces() if kind == "pieces" else texts[kind].texts
        print(kind, taught(found, said.cache, teacher=teacher, kind=kind).shape, flush=True)


if __name__ == "__main__":
    main()
