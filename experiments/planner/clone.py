"""Clones the `template` planner into the `encoder` policy and says how often the two agree on states held out.

States are first drafts on the train parts of the question sets (over the whole corpora), and those of the sample corpus.
Run with REMIT_DATA and REMIT_STORES set; writes src/remit/repair/clone.safetensors, from which trainings start, and report.json beside this file.
"""

import hashlib
import json
import os
import sys
import time
import tomllib
from collections import Counter
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))

from repairing import LIMITS, Instance, instances, kept, looked_at_again, opened  # noqa: E402 - after the path to it
from tqdm import tqdm  # noqa: E402

from remit.contract.budget import Budget  # noqa: E402
from remit.llm.cancel import Patience  # noqa: E402
from remit.repair.encoder import bytes_of  # noqa: E402
from remit.repair.features import seen_of  # noqa: E402
from remit.repair.fit import Example, clone, mean_log_probability  # noqa: E402
from remit.repair.plan import Plan  # noqa: E402
from remit.repair.planner import State  # noqa: E402
from remit.repair.policy import Situation, canonical, initial, likeliest  # noqa: E402
from remit.repair.template import TemplatePlanner  # noqa: E402

HERE = Path(__file__).parent
CACHE = Path(os.environ.get("REMIT_INSTANCES", "/tmp/remit-instances"))  # noqa: S108 - can be made again
SETTINGS = tomllib.loads((HERE / "clone.toml").read_text(encoding="utf-8"))


def states() -> list[State]:
    found = []
    for name, most in SETTINGS["states"].items():

        def made(name: str = name, most: int = most) -> list[Instance]:
            with opened(name) as remit:
                asked = instances(remit, name, "train", most=most)
                return list(tqdm(asked, total=most, desc=name, file=sys.stderr))

        found += [looked_at_again(one).state for one in kept(CACHE / f"{name}-train.pkl", made)[:most]]
    return found


def target(planner: TemplatePlanner, state: State) -> Plan | None:
    budget = Budget.of(LIMITS, 0.0)
    return planner.propose(state, budget, frozenset(), Patience(clock=lambda: 0.0)).plan


def kind(plan: Plan | None) -> str:
    return "leave" if plan is None else " ".join(type(step.operation).__name__ for step in plan.steps)


def main() -> None:
    chance, planner = np.random.default_rng(SETTINGS["seed"]), TemplatePlanner()
    seen = states()
    pairs = [(Situation(state, seen_of(state)), target(planner, state)) for state in seen]
    known = [(situation, plan, decisions) for situation, plan in pairs if (decisions := situation.decisions(plan))]
    order = chance.permutation(len(known))
    held = {int(n) for n in order[: int(len(known) * SETTINGS["held_out"])]}
    training = [Example(one[2]) for n, one in enumerate(known) if n not in held]
    began = time.process_time()
    weights = clone(
        training,
        initial(chance),
        epochs=SETTINGS["epochs"],
        rate=SETTINGS["rate"],
        decay=SETTINGS["decay"],
        chance=chance,
    )
    same, alike, planned = [], [], []
    for n in sorted(held):
        situation, plan, _ = known[n]
        _, best = next(likeliest(situation, weights, 60), (0.0, None))
        same.append(best == (plan and canonical(plan)))
        alike.append(kind(best) == kind(plan))
        if plan is not None and best is not None:
            planned.append(same[-1])
    raw = bytes_of(weights)
    (ROOT / "src" / "remit" / "repair" / "clone.safetensors").write_bytes(raw)
    report = {
        "states": len(seen),
        "in_grammar": len(known) / len(seen),
        "held_out": len(held),
        "same_plan": float(np.mean(same)),
        "same_operations": float(np.mean(alike)),
        "both_plan": len(planned),
        "same_plan_where_both_plan": float(np.mean(planned)),
        "log_probability_train": mean_log_probability(training, weights),
        "log_probability_held_out": mean_log_probability([Example(known[n][2]) for n in held], weights),
        "plans": dict(Counter(kind(plan) for _, plan, _ in known).most_common()),
        "cpu_seconds": round(time.process_time() - began, 1),
        "sha256": hashlib.sha256(raw).hexdigest(),
        "bytes": len(raw),
    }
    (HERE / "report.json").write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
