"""What planners add to the line as it serves, the controller on: answers released, their token F1, and the plans that ran.

musique is in no training. The shipped policy was trained on questions of the other sets, so what it gains there by itself stands in
experiments/repair/report.md, cross-fitted; with `--set` they can be asked all the same. Run with REMIT_DATA and REMIT_STORES set.

    python bench/planners.py [--set musique] [--part train] [--most 100]
"""

import argparse
import sys
from collections import Counter
from typing import NamedTuple

import numpy as np
from generated import save
from question_sets import DATA, lines
from repairing import LIMITS, READER, STORES
from tqdm import tqdm

from remit import Remit
from remit.decide.decision import Action
from remit.measure.bootstrap import interval
from remit.measure.compare import compared
from remit.measure.text import best, token_f1
from remit.settings import PlannerSettings, Settings

PLANNERS, SEED = ("none", "template", "encoder", "cascade"), 9


class Told(NamedTuple):
    """Token F1 of what was released, 0 where nothing was; whether something was; and how many plans ran."""

    f1: float
    released: bool
    plans: int


def asked(remit: Remit, line: dict) -> Told:
    ran: Counter[str] = Counter()
    found = remit.ask(line["question"], principal=READER, watch=lambda entry: ran.update([entry.kind]))
    answer = found.outcome.answer if found.outcome.decision.action is Action.ANSWER else None
    return Told(best(token_f1, answer or "", line["golden_answers"]), answer is not None, ran["Repaired"])


def main() -> int:
    """Print the table and write it down."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", default="musique", dest="name")
    parser.add_argument("--part", default="train")
    parser.add_argument("--most", type=int, default=100)
    given = parser.parse_args()
    if not DATA.exists() or not (STORES / given.name / "store.db").exists():
        print("no shared/data, or no store of its corpus: nothing to measure")
        return 0
    questions = lines(DATA / given.name / f"{given.part}.jsonl")[: given.most]
    groups = [line["metadata"].get("title") or line["id"] for line in questions]
    told: dict[str, list[Told]] = {}
    for policy in PLANNERS:
        settings = Settings(limits=LIMITS, planner=PlannerSettings(policy=policy))
        with Remit.open(STORES / given.name, settings=settings) as remit:
            told[policy] = [asked(remit, line) for line in tqdm(questions, desc=policy, file=sys.stderr)]
    rows = []
    for policy, all_ in told.items():
        f1, released = np.array([one.f1 for one in all_]), np.array([float(one.released) for one in all_])
        over = compared(f1, [one.f1 for one in told["template"]], groups, seed=SEED)
        rows.append({
            "set": given.name, "n": len(all_), "planner": policy, "answered": str(interval(lambda at, r=released: float(r[at].mean()), groups, seed=SEED)),
            "F1, nothing is 0": str(interval(lambda at, f=f1: float(f[at].mean()), groups, seed=SEED)),
            "F1 of answers": f"{f1.sum() / max(released.sum(), 1):.3f}", "plans run": sum(one.plans for one in all_),
            "F1 over template": "" if policy == "template" else f"{over.difference} (p {over.p:.3f})",
        })  # fmt: skip
    notes = ["the settings that ship, extractive answers; 95 % percentile intervals over groups"]
    save(f"planners-{given.name}", "Planners in the line, the controller on", rows, notes)
    return 0


if __name__ == "__main__":
    sys.exit(main())
