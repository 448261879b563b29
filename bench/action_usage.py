"""How many operations planners use, the final GenerateAnswer left out: RePAIR's table 3, for our sets and policies.

First drafts over the whole corpora; the planner is asked on every question, as in the paper, whatever the rules would say. A plan that
could not be parsed counts as none and is shown. The encoder stands there twice: before training, as the clone of `template`, and as it
ships. How long a plan takes is measured by `plan_times.py`, which drafts and plans in one go as the line does.
Run with REMIT_DATA and REMIT_STORES; REMIT_GGUF names a chat model for `prompted`.

    python bench/action_usage.py [--sets hotpotqa,2wiki,nq] [--part dev] [--most N] [--asked N] [--weights FILE ...]
"""

import argparse
import os
import sys
from collections import Counter
from collections.abc import Callable
from importlib import resources
from pathlib import Path

from generated import save
from repairing import CACHE, LIMITS, Instance, instances, kept, looked_at_again, opened, talking
from tqdm import tqdm

from remit.contract.budget import Budget
from remit.llm.cancel import Patience
from remit.repair.encoder import EncoderPlanner
from remit.repair.ops import OPERATIONS
from remit.repair.plan import FINAL
from remit.repair.planner import Planner
from remit.repair.prompted import PromptedPlanner
from remit.repair.template import TemplatePlanner

BEFORE = Path(str(resources.files("remit.repair"))) / "clone.safetensors"
SHOWN = ("Retrieval", "RewriteQuery", "DecomposeQuery", "RefineDoc", "GenerateAnswer")


def asked(name: str, part: str, most: int | None) -> list[Instance]:
    def made() -> list[Instance]:
        with opened(name) as remit:
            return list(tqdm(instances(remit, name, part, most=most), desc=f"{name} {part}", file=sys.stderr))

    return [looked_at_again(one) for one in kept(CACHE / f"{name}-{part}.pkl", made)[:most]]


def usage(planner: Planner, found: list[Instance]) -> dict[str, object]:
    """Return how often each operation is used, and on how many questions there is a plan."""
    used, plans = Counter(), 0
    for one in tqdm(found, desc=planner.name[:20], file=sys.stderr):
        patience = Patience()
        plan = planner.propose(one.state, Budget.of(LIMITS, patience.clock()), frozenset(), patience).plan
        plans += plan is not None
        used.update(type(step.operation).__name__ for step in plan.steps if step.name != FINAL) if plan else None
    counts = {name: used[name] for name in SHOWN}
    row: dict[str, object] = {"n": len(found), "plans": plans, **counts}
    row["a question"] = sum(counts.values()) / max(1, len(found))
    return row


def main() -> int:
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("--sets", default="hotpotqa,2wiki,nq")
    given.add_argument("--part", default="dev")
    given.add_argument("--most", type=int, default=150)
    given.add_argument("--asked", type=int, default=20)
    given.add_argument("--weights", type=Path, nargs="*", default=[])
    said = given.parse_args()
    if not set(SHOWN) == set(OPERATIONS):
        raise ValueError("an operation is missing from the table")
    planners: dict[str, Callable[[], Planner]] = {
        "template": TemplatePlanner,
        "encoder, before training": lambda: EncoderPlanner(BEFORE),
        "encoder, as it ships": EncoderPlanner,
    }
    planners |= {f"encoder {file.stem}": lambda file=file: EncoderPlanner(file) for file in said.weights}
    rows = []
    for name in said.sets.split(","):
        found = asked(name, said.part, said.most)
        rows += [
            {"set": f"{name} {said.part}", "policy": policy, **usage(make(), found)}
            for policy, make in planners.items()
        ]
        if path := os.environ.get("REMIT_GGUF"):
            planner = PromptedPlanner(talking(path), passages=3, max_tokens=120)
            shown = f"prompted, {Path(path).stem}"
            rows.append({"set": f"{name} {said.part}", "policy": shown, **usage(planner, found[: said.asked])})
    notes = ["operations without the final GenerateAnswer; GenerateAnswer counts answers to parts of a question"]
    save("action_usage", "Actions used by planners", rows, notes)
    return 0


if __name__ == "__main__":
    sys.exit(main())
