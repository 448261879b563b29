"""The trained planner with a chat model as generator: first drafts and what plans make of them, on questions no policy was trained on.

musique is in no training; for the dev parts of hotpotqa and 2wiki --weights names a planner that saw the train parts alone
(experiments/repair/apart.toml). A question that the weights learned from is refused. The controller is off: a plan runs for every
question that gets one. Replies are kept in the store, so a run that was stopped goes on; what was asked by then is reported.
Run with REMIT_DATA and REMIT_GGUF, or --url where a llama.cpp server has those weights; the store is a copy of one made by remit ingest, since replies are kept in it.

    python bench/repair_chat.py STORE... [--set musique] [--part train] [--weights FILE] [--most 30] [--seconds 1200] [--extractive | --url URL]

Several stores take as many names after --set; so many seconds are for each, and a last row is of all together.
"""

import argparse
import json
import os
import sys
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
from generated import RESULTS
from repairing import LIMITS, Instance, instances, run
from tqdm import tqdm

from remit import Remit
from remit.contract.budget import Budget
from remit.llm.cancel import Patience
from remit.llm.learned import question_key
from remit.measure.compare import compared
from remit.settings import ChatSettings, PlannerSettings, Settings

SEED = 7
KEPT_MB = 256


class Asked(NamedTuple):
    """Token F1 of the first draft, of the plan's answer as it is, and of what the fallback keeps; operations before the last."""

    first: float
    plan: float
    kept: float
    operations: int


def asked(remit: Remit, one: Instance) -> Asked:
    """Return what a plan makes of one question; without a plan, the first draft stands."""
    first = one.f1(one.state.draft.answer)
    budget = Budget.of(LIMITS, time.monotonic())
    plan = remit.parts.line.planner.propose(one.state, budget, frozenset(), Patience()).plan
    if plan is None:
        return Asked(first, first, first, 0)
    executor = remit.parts.line.executor
    ran = run(executor, plan, one.state)
    done = executor.settled(plan, one.state, ran)
    last = one.f1(ran.draft.answer) if ran.draft is not None else 0.0
    return Asked(first, last, one.f1(done.draft.answer), len(plan.steps) - 1)


def figures(found: list[Asked], groups: list[str]) -> dict[str, object]:
    first = np.array([one.first for one in found])
    row: dict[str, object] = {"n": len(found), "first draft": round(float(first.mean()), 3)}
    for name in ("plan", "kept"):
        values = np.array([getattr(one, name) for one in found])
        done = compared(values, first, groups, seed=SEED)
        row |= {name: round(float(values.mean()), 3), f"{name} over first": str(done.difference)}
        row[f"{name} found from"] = round(done.detectable, 3)
    changed = [one for one in found if one.plan != one.first]
    row |= {
        "better": sum(one.plan > one.first for one in changed),
        "worse": sum(one.plan < one.first for one in changed),
    }
    return row | {"operations a question": round(float(np.mean([one.operations for one in found])), 2)}


class Told(NamedTuple):
    """What the command line says."""

    stores: list[Path]
    set: list[str]
    part: str
    weights: Path | None
    skip: int
    most: int
    seconds: float
    extractive: bool
    url: str | None


def told() -> Told:
    given = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    given.add_argument("stores", type=Path, nargs="+")
    given.add_argument("--set", nargs="+", default=["musique"])
    given.add_argument("--part", default="train")
    given.add_argument("--weights", type=Path)
    given.add_argument("--skip", type=int, default=0)
    given.add_argument("--most", type=int, default=30)
    given.add_argument("--seconds", type=float, default=1200)
    given.add_argument("--extractive", action="store_true")
    given.add_argument("--url")
    said = Told(**vars(given.parse_args()))
    if len(said.stores) != len(said.set):
        given.error("as many names after --set as stores")
    return said


def settings_of(said: Told, path: Path) -> Settings:
    chat = ChatSettings(kind="gguf", path=path, cache_megabytes=KEPT_MB, max_tokens=96)
    if said.url is not None:
        chat = ChatSettings(kind="openai", url=said.url, model=path.stem, cache_megabytes=KEPT_MB, max_tokens=96)
    planner = PlannerSettings(policy="encoder", weights=said.weights)
    return Settings(limits=LIMITS, chat=None if said.extractive else chat, planner=planner)


def of_set(name: str, store: Path, said: Told, settings: Settings) -> tuple[list[Asked], list[str]]:
    """Return what plans make of a set's questions, as far as its seconds reach, and their groups."""
    found, groups, began = [], [], time.monotonic()
    with Remit.open(store, settings=settings, environ={}) as remit:
        learned = getattr(remit.parts.line.planner, "learned", frozenset())
        some = instances(remit, name, said.part, skip=said.skip, most=said.skip + said.most)
        for one in tqdm(some, total=said.most, file=sys.stderr):
            if question_key(one.state.contract.question) in learned:
                raise SystemExit(f"{one.id}: the planner learned from this question; name other weights with --weights")
            found.append(asked(remit, one))
            groups.append(f"{name}/{one.group}")
            if time.monotonic() - began > said.seconds:
                break
    return found, groups


def main() -> int:
    said, path = told(), Path(os.environ["REMIT_GGUF"])
    settings = settings_of(said, path)
    who = "extractive" if said.extractive else path.stem
    trained = "shipped" if said.weights is None else "train parts alone"
    made = {name: of_set(name, store, said, settings) for name, store in zip(said.set, said.stores, strict=True)}
    if len(made) > 1:
        made[", ".join(made)] = (
            [x for found, _ in made.values() for x in found],
            [x for _, groups in made.values() for x in groups],
        )
    file, same = RESULTS / "repair_chat.json", ("set", "part", "generator", "planner")
    held = json.loads(file.read_text(encoding="utf-8")) if file.exists() else []
    for name, (found, groups) in made.items():
        row = {"set": name, "part": said.part, "generator": who, "planner": trained, **figures(found, groups)}
        held = [one for one in held if [one.get(key) for key in same] != [row[key] for key in same]]
        held.append(row)
        print(json.dumps(row, indent=1))
    file.write_text(json.dumps(held, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
