"""Fit and check the probability that a passage is one that a question was answered from: bench/relevance.py nq=STORE ...

Reads questions with gold passages (`shared/data`) over stores that hold their corpora, fits a logistic regression on their train
parts, and reports calibration on the dev parts, which nothing was fitted on. Needs the stores; writes bench/results/relevance.md.
"""

from __future__ import annotations

import json
import random
import sys
from datetime import date
from pathlib import Path

import numpy as np
from tqdm import tqdm

from remit import Principal, Remit
from remit.answer.extract import Extractive
from remit.contract.budget import Budget, Limits
from remit.contract.catalogue import Catalogue
from remit.contract.frame import Given, frame
from remit.llm.cancel import Patience
from remit.observe.relevance import FITTED, signals
from remit.rerank.cutoff import Cutoff
from remit.retrieve.retriever import Search

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT / "shared" / "data" if (ROOT / "shared").exists() else ROOT.parent / "shared" / "data"
TODAY = date(2026, 11, 30)
READER = Principal(id="reader")
MOST = {"train": 130, "dev": 70}
BINS, DRAWS = 10, 1000


def rows(name: str, store: Path, part: str) -> list[tuple[str, str, list[float], float]]:
    """Return set, question, signals and whether it is gold, for each passage that is sent for a question."""
    lines = [json.loads(line) for line in (DATA / name / f"{part}.jsonl").read_text("utf-8").splitlines()]
    random.Random(1).shuffle(lines)  # noqa: S311 - a sample, no secret
    found = []
    with Remit.open(store) as remit:
        scope, snapshot = remit.scope(READER), remit.corpus.snapshot()
        extractive = Extractive(remit.parts.encoder, remit.parts.retriever)
        for line in tqdm(lines[: MOST[part]], desc=f"{name} {part}", file=sys.stderr):
            contract = frame(line["question"], Given(TODAY), Catalogue(), lambda _: None)
            hits = remit.parts.retriever.search(Search(contract.claim, 45, contract.wanted), scope, snapshot)
            ranking = Cutoff().rank(contract, hits, scope, Budget.of(Limits(), 0.0), Patience())
            gold = set(map(str, line["metadata"]["gold"]))
            closest = signals(ranking, extractive.weigh(contract, ranking, scope))
            found += [
                (name, line["id"], list(one), float(hit.source.document in gold))
                for hit, one in zip(ranking.hits, closest, strict=True)
            ]
    return found


def fitted(features: np.ndarray, gold: np.ndarray) -> np.ndarray:
    """Return the weights of a logistic regression, intercept first (Newton's method, a ridge of 0.001)."""
    weights = np.zeros(features.shape[1])
    for _ in range(60):
        chance = 1 / (1 + np.exp(-features @ weights))
        slope = features.T @ (chance - gold) + 1e-3 * weights
        curve = (features * (chance * (1 - chance))[:, None]).T @ features + 1e-3 * np.eye(len(weights))
        weights -= np.linalg.solve(curve, slope)
    return weights


def calibration_error(chance: np.ndarray, gold: np.ndarray) -> float:
    """Return the expected calibration error over ten bins of equal width."""
    bins = np.minimum((chance * BINS).astype(int), BINS - 1)
    return float(
        sum(abs(chance[bins == n].mean() - gold[bins == n].mean()) * (bins == n).mean() for n in np.unique(bins))
    )


def main() -> int:
    """Print and write the fit, and its calibration with bootstrap intervals over questions."""
    stores = dict(argument.split("=", 1) for argument in sys.argv[1:])
    train = [row for name, store in stores.items() for row in rows(name, Path(store), "train")]
    dev = [row for name, store in stores.items() for row in rows(name, Path(store), "dev")]
    design = [np.array([[1.0, *row[2]] for row in part]) for part in (train, dev)]
    gold = [np.array([row[3] for row in part]) for part in (train, dev)]
    weights = fitted(design[0], gold[0])
    chance = 1 / (1 + np.exp(-design[1] @ np.array(FITTED)))
    questions = sorted({row[:2] for row in dev})
    places = {question: [n for n, row in enumerate(dev) if row[:2] == question] for question in questions}
    chooser = np.random.default_rng(0)
    measured, perfect = [], []
    for _ in range(DRAWS):
        drawn = np.concatenate([places[questions[n]] for n in chooser.integers(0, len(questions), len(questions))])
        measured.append(calibration_error(chance[drawn], gold[1][drawn]))
        perfect.append(calibration_error(chance[drawn], (chooser.random(len(drawn)) < chance[drawn]).astype(float)))
    low, high = np.percentile(measured, [2.5, 97.5])
    error, brier = calibration_error(chance, gold[1]), np.mean((chance - gold[1]) ** 2)
    lines = [
        "# Relevance of single passages",
        "",
        f"Fitted on the train parts of {', '.join(stores)} ({len({row[:2] for row in train})} questions, {len(train)} passages):",
        f"{', '.join(f'{weight:.3f}' for weight in weights)}; shipped: {', '.join(f'{weight:.3f}' for weight in FITTED)}.",
        f"On their dev parts ({len(questions)} questions, {len(dev)} passages, {gold[1].mean():.1%} gold), the shipped one:",
        "",
        "| expected calibration error | interval | perfect calibration at this n | Brier score |",
        "|---|---|---|---|",
        f"| {error:.4f} | {low:.4f} to {high:.4f} | up to {np.percentile(perfect, 97.5):.4f} | {brier:.4f} |",
    ]
    text = "\n".join(lines) + "\n"
    sys.stdout.write(text)
    (ROOT / "bench" / "results" / "relevance.md").write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
