"""How much better plans could make the answers: the best plan of each question among those drawn from the grammar, by token F1.

For each question of a train part: the first draft, the plan of `template`, and plans drawn from the `encoder` policy's grammar (uniform
over moves, and around the shipped weights). The oracle takes the best answer by the golden ones; `accepted` the best by the estimate
that inference has. Retrieval over the whole corpus. Run with REMIT_DATA and REMIT_STORES set.

    python bench/headroom.py [--sets hotpotqa,2wiki] [--part train] [--most N] [--plans N]
"""

import argparse
import json
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
from generated import table
from repairing import LIMITS, Instance, instances, opened, run
from tqdm import tqdm

from remit.contract.budget import Budget
from remit.llm.cancel import Patience
from remit.measure.bootstrap import interval
from remit.observe.estimate import estimate
from remit.repair.execute import PlanExecutor, Ran
from remit.repair.features import seen_of
from remit.repair.grammar import Prefix
from remit.repair.plan import Plan
from remit.repair.policy import Situation, initial, sample
from remit.repair.template import TemplatePlanner

RESULTS = Path(__file__).parent / "results"
SEED = 3


def candidates(instance: Instance, many: int, chance: np.random.Generator) -> list[Plan]:
    """Return the template's plan, the plans of one hop, and plans drawn at random, each once."""
    state = instance.state
    budget = Budget.of(LIMITS, 0.0)
    first = TemplatePlanner().propose(state, budget, frozenset(), Patience(clock=lambda: 0.0)).plan
    found = {first.text: first} if first else {}
    situation = Situation(state, seen_of(state))
    for plan in hops(situation):
        found.setdefault(plan.text, plan)
    even = {name: np.zeros_like(values) for name, values in initial(chance).items()}
    for _ in range(20 * many):
        if len(found) >= many:
            break
        plan = sample(situation, even, chance).plan
        if plan is not None and len(plan.steps) <= 5:  # noqa: PLR2004 -- short plans
            found.setdefault(plan.text, plan)
    return list(found.values())


def hops(situation: Situation) -> list[Plan]:
    """Return the plans that retrieve one thing more and answer, and those that follow a bridge: what a policy should learn."""
    plans = []
    for move in situation.choice(Prefix()).moves:
        if move.ends or move.operation is None:
            continue
        plans += [
            Prefix((move, last)).plan()
            for last in situation.choice(Prefix((move,))).moves
            if last.ends and last.about in ("question from all, first search first", "question from found")
        ]
        if move.what == "decompose":
            plans += list(_bridges(situation, Prefix((move,))))
    return [plan for plan in plans if plan is not None]


def _bridges(situation: Situation, so_far: Prefix) -> list[Plan]:
    wanted = ("ask part 0", "search part 1", "answer last part")
    plans = [so_far]
    for what in wanted:
        plans = [
            Prefix((*one.moves, move))
            for one in plans
            for move in situation.choice(one).moves
            if f"{move.what} {move.about}".startswith(what)
        ]
    return [plan for one in plans if (plan := one.plan()) is not None]


def tried(executor: PlanExecutor, instance: Instance, many: int, chance: np.random.Generator) -> list[tuple[Plan, Ran]]:
    return [(plan, run(executor, plan, instance.state)) for plan in candidates(instance, many, chance)]


def main() -> int:
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("--sets", default="hotpotqa,2wiki")
    given.add_argument("--part", default="train")
    given.add_argument("--most", type=int)
    given.add_argument("--plans", type=int, default=24)
    said = given.parse_args()
    rows, chance = [], np.random.default_rng(SEED)
    for name in said.sets.split(","):
        scores, groups, best_by, spent = defaultdict(list), [], Counter(), time.process_time()
        with opened(name) as remit:
            executor = remit.parts.line.executor
            for one in tqdm(list(instances(remit, name, said.part, most=said.most)), desc=name, file=sys.stderr):
                first = one.f1(one.state.draft.answer)
                runs = tried(executor, one, said.plans, chance)
                results = [(one.f1(ran.draft.answer), plan, ran) for plan, ran in runs if ran.draft is not None]
                top = max(results, key=lambda r: r[0], default=(0.0, None, None))
                scores["first"].append(first)
                scores["oracle"].append(max(first, top[0]))
                kept = [(executor.settled(plan, one.state, ran), plan) for _, plan, ran in results]
                accepted = [r for r, _ in kept if r.accepted]
                drafts = [one.state.draft, *(r.draft for r in accepted)]
                likeliest = max(drafts, key=lambda d: estimate(one.state.contract, d).probability)
                scores["by estimate"].append(one.f1(likeliest.answer))
                groups.append(one.group)
                if top[0] > first and top[1] is not None:
                    best_by[" ".join(type(step.operation).__name__ for step in top[1].steps[:-1])] += 1
        row: dict[str, object] = {"set": f"{name} {said.part}", "n": len(groups)}
        for label, values in scores.items():
            held = np.array(values)
            row[label] = str(interval(lambda at, held=held: float(held[at].mean()), groups, seed=SEED))
        row["headroom"] = f"{np.mean(scores['oracle']) / np.mean(scores['first']) - 1:+.0%}"
        row["cpu s a question"] = (time.process_time() - spent) / max(1, len(groups))
        rows.append(row)
        print(json.dumps(row), best_by.most_common(8), flush=True)
    text = "\n".join(
        ["# What plans could gain, by token F1", "", table(rows), "", f"- {said.plans} plans a question", ""]
    )
    (RESULTS / "headroom.md").write_text(text, encoding="utf-8")
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
