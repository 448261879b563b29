"""Question sets of ../shared/data for the measurements, and how what was found for them is counted."""

import json
import os
from functools import cache
from hashlib import sha256
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
DATA = Path(os.environ.get("REMIT_DATA", ROOT.parent / "shared" / "data"))
SAMPLES = 5000
DEPTH = 10


class Part(NamedTuple):
    """Questions of one part of a set with their gold passages, and the corpus they are asked of."""

    name: str
    questions: list[str]
    gold: list[set[str]]
    ids: list[str]
    texts: list[str]


class Found(NamedTuple):
    """For each question the ten passages found, best first."""

    ids: list[list[str]]

    def ndcg(self, part: Part) -> np.ndarray:
        """Return nDCG@10 by question."""
        gain = 1 / np.log2(np.arange(2, DEPTH + 2))
        pairs = zip(self.ids, part.gold, strict=True)
        return np.array(
            [gain[: len(ids)][[id in gold for id in ids]].sum() / gain[: len(gold)].sum() for ids, gold in pairs]
        )

    def recall(self, part: Part, k: int) -> np.ndarray:
        """Return by question the share of its gold passages among the first `k`."""
        pairs = zip(self.ids, part.gold, strict=True)
        return np.array([len(gold.intersection(ids[:k])) / len(gold) for ids, gold in pairs])


def lines(path: Path) -> list[dict]:
    """Return the objects of a JSONL file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@cache
def part_of(name: str, split: str) -> Part:
    """Return one part of a set."""
    corpus = lines(DATA / name / "corpus.jsonl")
    asked = lines(DATA / name / f"{split.replace('tuning', 'train')}.jsonl")
    if split == "tuning":
        asked = [line for line in asked if sha256(line["id"].encode()).digest()[0] % 5 == 0]
    return Part(
        f"{name} {split}",
        [line["question"] for line in asked],
        [set(line["metadata"]["gold"]) for line in asked],
        [line["id"] for line in corpus],
        [line["contents"] for line in corpus],
    )


def gain(one: np.ndarray, other: np.ndarray) -> tuple[float, float, float]:
    """Return the mean difference of two systems on the same questions, and its 95 % interval (paired bootstrap)."""
    difference = one - other
    drawn = np.random.default_rng(13).integers(0, len(difference), (SAMPLES, len(difference)))
    low, high = np.quantile(difference[drawn].mean(axis=1), [0.025, 0.975])
    return float(difference.mean()), float(low), float(high)


def checked(part: Part, one: Found) -> None:
    """Fail where ir-measures, if it is installed, counts otherwise than we do."""
    if find_spec("ir_measures") is None:
        return
    ir_measures = import_module("ir_measures")
    measures = [ir_measures.nDCG @ 10, ir_measures.R @ 5, ir_measures.R @ 10]
    qrels = {str(at): dict.fromkeys(gold, 1) for at, gold in enumerate(part.gold)}
    run = {str(at): {id: -place for place, id in enumerate(ids)} for at, ids in enumerate(one.ids)}
    told = ir_measures.calc_aggregate(measures, qrels, run)
    ours = [one.ndcg(part).mean(), one.recall(part, 5).mean(), one.recall(part, 10).mean()]
    if not np.allclose([told[measure] for measure in measures], ours, atol=1e-9):
        raise ValueError(f"{part.name}: we count {ours}, ir-measures {told}")
    print(f"{part.name}: ir-measures agrees on nDCG@10, R@5 and R@10")
