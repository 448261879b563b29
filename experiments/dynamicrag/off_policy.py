"""DynamicRAG's preferences learned from rankings of several policies: `python experiments/dynamicrag/off_policy.py [--most N] [--held N] [--ablate]`.

Stores and data as in experiments/rerank/material.py. For each question trained on: the first passages found, and draws of a clone of the
search. A clone of the search that sends many learns from the best against the worst of them, by the five-term reward of the extractive
answerer; on the questions held out its greedy choice stands beside its start and fixed numbers. Answers are kept. With --ablate it learns
once more without each term that was measured, from the same answers; the table's reward is that of all terms.
"""

from __future__ import annotations

import argparse
import json
import sys
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from tqdm import tqdm

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "rerank"))

from material import Bench, Case

from remit.adapters.minilm import MiniLm
from remit.measure.bertscore import TokenMatch
from remit.measure.bootstrap import interval
from remit.measure.compare import compared
from remit.rerank.head import Head
from remit.rerank.plackett_luce import greedy, sample
from remit.train.expert import from_search
from remit.train.fit import Fitting, clone, fresh_head, rounded
from remit.train.reranker_preference import Preferring, Ranked, prefer
from remit.train.reward import TERMS, WEIGHTS, Terms, Weights, f1_reward, reward, terms
from remit.train.steps import Trajectory, steps_of

SETS = ("nq", "hotpotqa", "2wiki")
DAY, SEED, FIXED = "2026-11-30", 7, (1, 3, 5, 10)
MANY, FEW = (0.6, 10, 2), (0.85, 10, 3)
"""Share of the best score, number at most, and epochs, of the clone that is trained and of the one that draws."""
HOW = Preferring(beta=0.03, rate=5e-3, epochs=12)
FIGURES = ("reward", "exact", "f1", "k")
Figures = dict[str, float]


class Judged(NamedTuple):
    """Answers rankings of questions by their set's answerer and scores them."""

    benches: dict[str, Bench]
    similarity: TokenMatch

    def terms(self, case: Case, rows: tuple[int, ...]) -> tuple[Terms, float]:
        """Return the terms of the answer from some rows, and its token F1."""
        said = self.benches[case.set].extractive.answers([case.asked(rows)])[0]
        golden = case.instance.question.golden
        return terms(said.answer, golden, similarity=self.similarity), f1_reward(said.answer, golden)

    def __call__(self, case: Case, rows: tuple[int, ...]) -> Figures:
        found, f1 = self.terms(case, rows)
        return {"reward": reward([found]).rewards[0], "exact": found.exact, "f1": f1, "k": float(len(rows))}


class Tried(NamedTuple):
    """The rankings tried for a question, and the terms of the answer from each."""

    case: Case
    rankings: tuple[tuple[int, ...], ...]
    terms: tuple[Terms, ...]

    def ranked(self, weights: Weights) -> Ranked:
        """Return them with their rewards under some weights."""
        rewards = np.array(reward(self.terms, weights).rewards)
        return Ranked(self.case.instance.question.id, self.case.seen, self.rankings, rewards)


def searching(cases: list[Case], share: float, most: int, epochs: int) -> Head:
    """Return a clone of the search: of what it scores at least a share of the best."""
    shown = []
    for case in cases:
        hits = from_search(case.instance, share=share, most=most).hits
        shown.append(Trajectory(case.seen, tuple(case.seen.row(hit.passage.id) for hit in hits)))
    steps, how = steps_of(shown, Head({}, least=1)), Fitting(epochs=epochs, decay=1e-2)
    return rounded(clone(fresh_head(steps, how, least=1), steps, how))


def tried(case: Case, drawer: Head, judged: Judged) -> Tried:
    """Return the rankings tried for a question, with the terms of their answers."""
    chance = np.random.default_rng([3, *case.instance.question.id.encode()])
    rankings = [case.found[:k] for k in (1, 2, 3, 5)] + [greedy(drawer, case.seen).rows]
    rankings += [sample(drawer, case.seen, chance, temperature=t).rows for t in (1.0, 1.0, 2.0, 2.0)]
    distinct = tuple(dict.fromkeys(rows for rows in rankings if rows))
    return Tried(case, distinct, tuple(judged.terms(case, rows)[0] for rows in distinct))


def without_each(ranked: list[Tried]) -> dict[str, Weights]:
    """Return weights that leave out one term each, of those that were measured."""
    measured = [name for name in TERMS if all(getattr(one, name) is not None for some in ranked for one in some.terms)]
    return {f"without {name}": replace(WEIGHTS, **{name: 0.0}) for name in measured}


def table(held: list[Case], judged: Judged, heads: dict[str, Head]) -> list[dict[str, object]]:
    """Return a row for each set and system, with its differences from the start and from the one of all terms."""
    ways = {name: [greedy(head, case.seen).rows for case in held] for name, head in heads.items()}
    ways |= {f"first {k}": [case.found[:k] for case in held] for k in FIXED}
    figures = {way: [judged(case, rows) for case, rows in zip(held, sent, strict=True)] for way, sent in ways.items()}
    made: list[dict[str, object]] = []
    for name in (*SETS, "all"):
        at = [place for place, case in enumerate(held) if name in ("all", case.set)]
        groups = [f"{held[place].set}/{held[place].instance.question.group}" for place in at]
        for way, found in figures.items():
            row: dict[str, object] = {"set": name, "n": len(at), "system": way}
            for figure in FIGURES:
                own, *others = (
                    np.array([some[place][figure] for place in at])
                    for some in (found, figures["start"], figures["DPO"])
                )
                row[figure] = str(interval(lambda some, v=own: float(v[some].mean()), groups, seed=SEED))
                for other, named in zip(others, ("the start", "DPO"), strict=True):
                    row[f"{figure} over {named}"] = str(compared(own, other, groups, seed=SEED).difference)
            made.append(row)
    return made


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--most", type=int, default=130, help="questions of a set to learn from")
    options.add_argument("--held", type=int, default=200, help="questions of a set to measure on")
    options.add_argument("--ablate", action="store_true", help="learn once more without each term of the reward")
    options.add_argument("--out", type=Path, help="a file for the weights")
    given = options.parse_args()
    with ExitStack() as opened:
        seen = {name: opened.enter_context(Bench(name, "train", DAY, first=given.most)) for name in SETS}
        held = {name: opened.enter_context(Bench(name, "dev", DAY, first=given.held)) for name in SETS}
        cases, similarity = [case for bench in seen.values() for case in bench.cases], TokenMatch(MiniLm())
        drawer, start = searching(cases, *FEW), searching(cases, *MANY)
        ranked = [tried(case, drawer, Judged(seen, similarity)) for case in tqdm(cases, desc="rankings tried")]
        rewards = {"DPO": WEIGHTS, **(without_each(ranked) if given.ablate else {})}
        heads = {
            name: rounded(prefer([one.ranked(weights) for one in ranked], start, start, HOW))
            for name, weights in tqdm(rewards.items(), desc="learned", unit="head")
        }
        if given.out:
            heads["DPO"].save(given.out)
        rows = table(
            [case for bench in held.values() for case in bench.cases],
            Judged(held, similarity),
            {"start": start, **heads},
        )
    for row in rows:
        print(json.dumps(row, ensure_ascii=False))


if __name__ == "__main__":
    main()
