"""How much better plans could make the answers, and where the room is: the best plan of each question's pool, and gold passages.

For each question: the first draft; the best answer among those that the plans of the pool lead to, by the golden ones (the oracle)
and by the estimate that inference has; and what the answerer makes of the gold passages alone, and of them before those in use.
Retrieval over the whole corpus. Run with REMIT_DATA and REMIT_STORES set.

    python bench/headroom.py [--sets hotpotqa,2wiki,nq] [--part train] [--most N]
"""

import argparse
import json
import sys
import time
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import numpy as np
from generated import table
from repairing import CACHE, LIMITS, STORES, TODAY, Instance, instances, kept, looked_at_again, opened, run
from tqdm import tqdm

from remit import Remit
from remit.contract.budget import Budget
from remit.llm.cancel import Patience
from remit.measure.bootstrap import interval
from remit.observe.estimate import estimate
from remit.repair.execute import PlanExecutor
from remit.repair.features import seen_of
from remit.repair.policy import Situation
from remit.repair.pool import pool
from remit.rerank.ranking import Ranking
from remit.retrieve.retriever import Hit
from remit.train.instances import Shelf

RESULTS = Path(__file__).parent / "results"
SEED = 3


class Room(NamedTuple):
    """Token F1 of the first draft, of the best plan's answer, of what the estimate chooses, and of drafts from gold passages."""

    first: float
    oracle: float
    by_estimate: float
    gold_alone: float
    gold_first: float
    found: bool
    best: str


def room(remit: Remit, held: dict[str, Hit], one: Instance) -> Room:
    """Return what could be gained on one question."""
    executor: PlanExecutor = remit.parts.line.executor
    situation = Situation(one.state, seen_of(one.state))
    tried = [(plan, run(executor, plan, one.state)) for plan in pool(one.state, situation) if plan is not None]
    drafts = [(plan, ran.draft) for plan, ran in tried if ran.draft is not None and ran.draft.answer is not None]
    first = one.f1(one.state.draft.answer)
    plan, top = max(
        ((plan, one.f1(draft.answer)) for plan, draft in drafts), key=lambda pair: pair[1], default=(None, 0.0)
    )
    likeliest = max(
        [one.state.draft, *(draft for _, draft in drafts)],
        key=lambda draft: estimate(one.state.contract, draft).probability,
    )
    gold = tuple(held[id] for id in sorted(one.gold))
    in_use = one.state.ranking.hits
    documents = {hit.passage.document for hit in in_use}
    gained = plan is not None and top > first
    return Room(
        first,
        max(first, top),
        one.f1(likeliest.answer),
        drafted(remit, one, gold),
        drafted(remit, one, (*gold, *(hit for hit in in_use if hit.passage.document not in one.gold))[:15]),
        one.gold <= documents,
        " ".join(type(step.operation).__name__ for step in plan.steps[:-1]) if gained else "",
    )


def drafted(remit: Remit, one: Instance, hits: tuple) -> float:
    """Return the token F1 of a draft from given passages."""
    ranking = Ranking(hits=hits, policy="gold", reason="gold")
    budget = Budget.of(LIMITS, time.monotonic())
    draft = remit.parts.line.answerer.draft(one.state.contract, ranking, one.state.scope, budget, Patience())
    return one.f1(draft.answer)


def row_of(label: str, rooms: list[Room], groups: list[str]) -> dict[str, object]:
    row: dict[str, object] = {"set": label, "n": len(rooms)}
    for field in ("first", "oracle", "by_estimate", "gold_alone", "gold_first"):
        values = np.array([getattr(one, field) for one in rooms])
        row[field.replace("_", " ")] = str(interval(lambda at, held=values: float(held[at].mean()), groups, seed=SEED))
    row["all gold found at first"] = float(np.mean([one.found for one in rooms]))
    return row


def main() -> int:
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("--sets", default="hotpotqa,2wiki,nq")
    given.add_argument("--part", default="train")
    given.add_argument("--most", type=int, default=100)
    said = given.parse_args()
    rows, notes = [], []
    for name in said.sets.split(","):
        with opened(name) as remit, Shelf(STORES / name, day=TODAY, groups=("public",)) as shelf:
            held = {
                row.passage.document: Hit(passage=row.passage, source=row.source, score=1.0)
                for row in shelf.rows.values()
            }
            made = lambda remit=remit, name=name: list(instances(remit, name, said.part, most=said.most))  # noqa: E731
            found = kept(CACHE / f"{name}-{said.part}-{said.most}.pkl", made)
            rooms = [room(remit, held, looked_at_again(one)) for one in tqdm(found, desc=name, file=sys.stderr)]
        rows.append(row_of(f"{name} {said.part}", rooms, [one.group for one in found]))
        best = Counter(one.best for one in rooms if one.best)
        notes.append(
            f"{name}, the operations of the best plan: {', '.join(f'{k} {v}' for k, v in best.most_common(5))}"
        )
        print(json.dumps(rows[-1]), notes[-1], flush=True)
    notes.append(
        f"the first {said.most} questions of each {said.part} part, retrieval over the whole corpus; 95 % percentile intervals over groups"
    )
    about = "token F1; oracle: the best answer by the golden ones among the first draft's and those of the pool's plans"
    lines = ["# What plans could gain", "", table(rows), "", *(f"- {note}" for note in [about, *notes]), ""]
    (RESULTS / "headroom.md").write_text("\n".join(lines), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
