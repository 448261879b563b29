"""DynamicRAG's preferences learned from rankings of several policies: `python experiments/dynamicrag/off_policy.py [--most N] [--held N]`.

Stores and data as in experiments/rerank/material.py. For each question trained on: the first passages found, and draws of a clone of the
search. A clone of the search that sends many learns from the best against the worst of them, by the five-term reward of the extractive
answerer; on the questions held out its greedy choice stands beside its start and fixed numbers. Answers are kept.
"""

from __future__ import annotations

import argparse
import json
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import numpy as np

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
from remit.train.reward import f1_reward, reward, terms
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

    def __call__(self, case: Case, rows: tuple[int, ...]) -> Figures:
        said = self.benches[case.set].extractive.answers([case.asked(rows)])[0]
        golden = case.instance.question.golden
        found = terms(said.answer, golden, similarity=self.similarity)
        whole = reward([found]).rewards[0]
        return {"reward": whole, "exact": found.exact, "f1": f1_reward(said.answer, golden), "k": float(len(rows))}


def searching(cases: list[Case], share: float, most: int, epochs: int) -> Head:
    """Return a clone of the search: of what it scores at least a share of the best."""
    shown = []
    for case in cases:
        hits = from_search(case.instance, share=share, most=most).hits
        shown.append(Trajectory(case.seen, tuple(case.seen.row(hit.passage.id) for hit in hits)))
    steps, how = steps_of(shown, Head({}, least=1)), Fitting(epochs=epochs, decay=1e-2)
    return rounded(clone(fresh_head(steps, how, least=1), steps, how))


def tried(case: Case, drawer: Head, judged: Judged) -> Ranked:
    """Return the rankings tried for a question, with their rewards."""
    chance = np.random.default_rng([3, *case.instance.question.id.encode()])
    rankings = [case.found[:k] for k in (1, 2, 3, 5)] + [greedy(drawer, case.seen).rows]
    rankings += [sample(drawer, case.seen, chance, temperature=t).rows for t in (1.0, 1.0, 2.0, 2.0)]
    distinct = tuple(dict.fromkeys(rows for rows in rankings if rows))
    rewards = np.array([judged(case, rows)["reward"] for rows in distinct])
    return Ranked(case.instance.question.id, case.seen, distinct, rewards)


def table(held: list[Case], judged: Judged, heads: dict[str, Head]) -> list[dict[str, object]]:
    """Return a row for each set and system, with its difference from the start."""
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
                own, other = (np.array([some[place][figure] for place in at]) for some in (found, figures["start"]))
                row[figure] = str(interval(lambda some, v=own: float(v[some].mean()), groups, seed=SEED))
                row[f"{figure} over the start"] = str(compared(own, other, groups, seed=SEED).difference)
            made.append(row)
    return made


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--most", type=int, default=130, help="questions of a set to learn from")
    options.add_argument("--held", type=int, default=200, help="questions of a set to measure on")
    options.add_argument("--out", type=Path, help="a file for the weights")
    given = options.parse_args()
    with ExitStack() as opened:
        seen = {name: opened.enter_context(Bench(name, "train", DAY, first=given.most)) for name in SETS}
        held = {name: opened.enter_context(Bench(name, "dev", DAY, first=given.held)) for name in SETS}
        cases, similarity = [case for bench in seen.values() for case in bench.cases], TokenMatch(MiniLm())
        drawer, start = searching(cases, *FEW), searching(cases, *MANY)
        ranked = [tried(case, drawer, Judged(seen, similarity)) for case in cases]
        head = rounded(prefer(ranked, start, start, HOW))
        if given.out:
            head.save(given.out)
        rows = table(
            [case for bench in held.values() for case in bench.cases],
            Judged(held, similarity),
            {"start": start, "DPO": head},
        )
    for row in rows:
        print(json.dumps(row, ensure_ascii=False))


if __name__ == "__main__":
    main()
