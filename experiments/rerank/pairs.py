"""Trains the `score` policy's own cross-encoder head: `python experiments/rerank/pairs.py [--save FILE]`.

Settings come from pairs.toml beside this file. Only train parts are read. Each question teaches by the softmax over its gold passages
and the best other candidates; an intercept is fitted last, so that scores are log-odds. What the encoder reads is kept.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import time
import tomllib
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import numpy as np
from material import WORK, Bench, Case
from numpy.typing import NDArray
from tqdm import tqdm

import remit.rerank.pair_head
from remit.adapters.minilm import MiniLm
from remit.measure.ranking import ndcg, recall
from remit.rerank.pair_head import PairWeights, pair_features
from remit.rerank.score import shown
from remit.train.fit import Adam
from remit.train.questions import part_of

HERE = Path(__file__).parent
Array = NDArray[np.float64]
_NO_SPREAD = 1e-6


class Read(NamedTuple):
    """A question's candidates as features (n, width), which of them are gold (n,), and their documents in that order."""

    case: Case
    rows: Array
    gold: NDArray[np.bool_]
    documents: list[str]


def read(bench: Bench, encoder: MiniLm, material: dict) -> list[Read]:
    """Return the candidates of questions as the head sees them."""
    code = hashlib.sha256(Path(remit.rerank.pair_head.__file__).read_bytes().split(b"class PairWeights")[0]).hexdigest()
    folder = WORK / "pairs" / code[:12]
    folder.mkdir(parents=True, exist_ok=True)
    found = []
    for case in tqdm(bench.cases, desc=f"reading {bench.name}", unit="question"):
        hits = [
            h
            for at, h in enumerate(case.instance.candidates.hits)
            if at < material["beside"] or h.passage.id in case.instance.gold
        ]
        gold = np.array([hit.passage.id in case.instance.gold for hit in hits])
        if not gold.any() or gold.all():
            continue
        file = folder / f"{case.instance.question.id.replace('/', '_')}-{len(hits)}.npy"
        if not file.exists():
            rows = np.stack(
                [pair_features(encoder.read_pair(case.instance.contract.claim, shown(hit))) for hit in hits]
            )
            np.save(file, rows.astype(np.float32))
        found.append(Read(case, np.load(file).astype(np.float64), gold, [hit.passage.document for hit in hits]))
    return found


def fitted(questions: list[Read], fit: dict) -> PairWeights:
    """Return heads fitted from several seeds, as one whose scores are their mean."""
    heads = [_one(questions, fit, fit["seed"] + member) for member in range(fit["members"])]
    first = heads[0]
    arrays = {
        "mean": first["mean"], "scale": first["scale"],
        "0.w": np.concatenate([head["0.w"] for head in heads], axis=1), "0.b": np.concatenate([head["0.b"] for head in heads]),
        "1.w": np.concatenate([head["1.w"] for head in heads]) / len(heads),
        "1.b": np.mean([head["1.b"] for head in heads], axis=0), "direct": np.mean([head["direct"] for head in heads], axis=0),
    }  # fmt: skip
    return PairWeights(_levelled(arrays, questions))


def _one(questions: list[Read], fit: dict, seed: int) -> dict[str, Array]:
    chance, adam = np.random.default_rng([seed, 3]), Adam(fit["rate"], fit["decay"])
    every = np.concatenate([one.rows for one in questions])
    spread = every.std(axis=0)
    width, hidden = every.shape[1], fit["hidden"]
    arrays: dict[str, Array] = {
        "mean": every.mean(axis=0), "scale": np.where(spread > _NO_SPREAD, spread, 1.0),
        "0.w": chance.standard_normal((width, hidden)) * np.sqrt(2.0 / width), "0.b": np.zeros(hidden),
        "1.w": chance.standard_normal((hidden, 1)) * 0.05, "1.b": np.zeros(1), "direct": np.zeros(width),
    }  # fmt: skip
    turns, turn = fit["epochs"] * -(-len(questions) // fit["batch"]), 0
    for _ in range(fit["epochs"]):
        order = chance.permutation(len(questions))
        for start in range(0, len(order), fit["batch"]):
            part = [questions[at] for at in order[start : start + fit["batch"]]]
            gradient = _gradient(arrays, part, fit, chance)
            share = min(1.0, (turn + 1) / (0.1 * turns + 1)) * (1.0 - turn / turns)
            arrays = adam.move(arrays, gradient, share)
            arrays["direct"] = arrays["direct"] * (1.0 - fit["rate"] * share * fit["decay"])
            turn += 1
    return arrays


def _gradient(arrays: dict[str, Array], part: list[Read], fit: dict, chance: np.random.Generator) -> dict[str, Array]:
    x = (np.concatenate([one.rows for one in part]) - arrays["mean"]) / arrays["scale"]
    x = x + fit["noise"] * chance.standard_normal(x.shape)
    before = x @ arrays["0.w"] + arrays["0.b"]
    kept = (chance.random(before.shape) >= fit["dropout"]) / (1.0 - fit["dropout"])
    hidden = np.maximum(before, 0.0) * kept
    scores = (hidden @ arrays["1.w"])[:, 0] + x @ arrays["direct"]
    slope, at = np.zeros(len(x)), 0
    for one in part:
        rows = slice(at, at := at + len(one.rows))
        chances = np.exp(scores[rows] - scores[rows].max())
        slope[rows] = chances / chances.sum() - one.gold / one.gold.sum()
    slope /= len(part)
    back = (slope[:, None] * arrays["1.w"][:, 0]) * kept * (before > 0)
    return {"0.w": x.T @ back, "0.b": back.sum(axis=0), "1.w": hidden.T @ slope[:, None], "direct": x.T @ slope}


def _levelled(arrays: dict[str, Array], questions: list[Read]) -> dict[str, Array]:
    """Return the weights with slope and intercept of a logistic regression of gold on the score."""
    scores = np.concatenate([PairWeights(arrays).scores(one.rows) for one in questions])
    gold = np.concatenate([one.gold for one in questions]).astype(np.float64)
    middle, spread = float(scores.mean()), float(scores.std())
    scores = (scores - middle) / spread
    slope, level = 0.0, float(np.log(gold.mean() / (1.0 - gold.mean())))
    for _ in range(25):
        chances = 1.0 / (1.0 + np.exp(-(slope * scores + level)))
        weight, off = chances * (1 - chances), chances - gold
        hessian = np.array(
            [[(weight * scores**2).sum(), (weight * scores).sum()], [(weight * scores).sum(), weight.sum()]]
        )
        step = np.linalg.solve(hessian + 1e-6 * np.eye(2), [(off * scores).sum(), off.sum()])
        slope, level = slope - step[0], level - step[1]
    slope, level = slope / spread, level - slope * middle / spread
    moved = {name: arrays[name] * slope for name in ("1.w", "direct")}
    return {**arrays, **moved, "1.b": arrays["1.b"] * slope + level}


def measured(questions: list[Read], weights: PairWeights) -> list[tuple[str, float, float, float, float]]:
    """Return for each question its set, and nDCG@10 and R@5 of the order found and of the scores."""
    rows = []
    for one in questions:
        wanted = one.case.instance.question.gold
        order = np.argsort(-weights.scores(one.rows), kind="stable")
        orders = [list(dict.fromkeys(one.documents[at] for at in places)) for places in (range(len(order)), order)]
        rows.append(
            (
                one.case.set,
                *(value for said in orders for value in (ndcg(said, wanted) or 0.0, recall(said, wanted, 5) or 0.0)),
            )
        )
    return rows


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--save", type=Path)
    options.add_argument("changes", nargs="*", help="such as fit.epochs=6")
    given = options.parse_args()
    settings = tomllib.loads((HERE / "pairs.toml").read_text(encoding="utf-8"))
    for change in given.changes:
        (section, _, _rest), (key, _, value) = change.partition("."), change.partition(".")[2].partition("=")
        settings[section][key] = json.loads(value)
    material, fit, encoder, began = settings["material"], settings["fit"], MiniLm(cached=0), time.process_time()
    with ExitStack() as opened:
        benches = [
            opened.enter_context(Bench(name, "train", material["day"], first=material["most"]))
            for name in material["sets"]
        ]
        questions = [one for bench in benches for one in read(bench, encoder, material)]
    took, began = time.process_time() - began, time.process_time()
    rows = []
    for part in range(fit["folds"]):
        held = [part_of(one.case.instance.question.group, fit["folds"]) == part for one in questions]
        weights = fitted([one for one, out in zip(questions, held, strict=True) if not out], fit)
        rows += measured([one for one, out in zip(questions, held, strict=True) if out], weights)
    names = ("ndcg found", "r5 found", "ndcg", "r5")
    figures = {
        name: dict(
            zip(names, np.mean([row[1:] for row in rows if row[0] == name], axis=0).round(4).tolist(), strict=True)
        )
        for name in material["sets"]
    }
    weights = fitted(questions, fit)
    report = {
        "settings": settings, "questions": len(questions), "cross-fitted on train": figures,
        "processor seconds": {"reading": round(took, 1), "fitting": round(time.process_time() - began, 1)},
    }  # fmt: skip
    print(json.dumps(report, indent=1, default=str))
    if given.save:
        given.save.write_bytes(weights.packed())
        HERE.joinpath("pairs.json").write_text(json.dumps(report, indent=1, default=str) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
