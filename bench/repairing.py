"""Questions of a set asked of a store over its whole corpus: the state after the first draft, and what plans make of it."""

import hashlib
import os
import pickle
import time
from collections.abc import Iterator
from datetime import date
from functools import cache
from pathlib import Path
from typing import NamedTuple

from question_sets import DATA, ROOT, lines

from remit import Remit, parse_principal
from remit.adapters.gguf import GgufChat
from remit.contract.budget import Budget, Limits
from remit.contract.catalogue import Catalogue
from remit.contract.frame import Given, frame
from remit.llm.cache import Cached, KeptReplies
from remit.llm.cancel import Patience
from remit.measure.text import best, exact_match, token_f1
from remit.observe.estimate import estimate
from remit.repair.execute import PlanExecutor, Ran
from remit.repair.plan import Plan
from remit.repair.planner import State
from remit.rerank.choice import RerankChoice
from remit.settings import Settings

STORES = Path(os.environ.get("REMIT_STORES", "/tmp/remit-stores"))  # noqa: S108 - stores that can be made again
CACHE = Path(os.environ.get("REMIT_INSTANCES", "/tmp/remit-instances"))  # noqa: S108 - can be made again
TODAY = date(2026, 11, 30)
MAKES = ("contract", "corpus", "retrieve", "rerank", "answer", "observe")
READER = parse_principal("bench:public")
LIMITS = Limits(rounds=3, model_calls=20, seconds=600.0)


class Instance(NamedTuple):
    """A question with its golden answers and the state after the first draft."""

    id: str
    group: str
    golden: list[str]
    state: State
    gold: set[str]

    def f1(self, answer: str | None) -> float:
        return best(token_f1, answer or "", self.golden)

    def em(self, answer: str | None) -> float:
        return best(exact_match, answer or "", self.golden)


def opened(name: str) -> Remit:
    return Remit.open(STORES / name, settings=Settings(limits=LIMITS, rerank=RerankChoice(policy="cutoff")), environ={})


def instances(remit: Remit, name: str, part: str, *, most: int | None = None, skip: int = 0) -> Iterator[Instance]:
    """Yield the questions of one part of a set, from number `skip` up to `most`, as the line of a store drafts them."""
    line = remit.parts.line
    for asked in lines(DATA / name / f"{part}.jsonl")[skip:most]:
        contract = frame(asked["question"], Given(today=TODAY, limits=LIMITS), Catalogue(), lambda _: None)
        state = line.state(contract, READER, Patience())
        gold = set(asked["metadata"].get("gold", ()))
        yield Instance(asked["id"], asked["metadata"].get("title") or asked["id"], asked["golden_answers"], state, gold)


def talking(path: str) -> Cached:
    """Return a chat model whose replies are kept, so that a run that was stopped goes on; a kept reply takes no time."""
    return Cached(GgufChat(Path(path)), KeptReplies(CACHE / f"{Path(path).stem}.replies"))


def looked_at_again(one: Instance) -> Instance:
    """Return an instance with the estimate of today: what was kept may have an older head's."""
    seen = one.state.seen.model_copy(update={"estimate": estimate(one.state.contract, one.state.draft)})
    return one._replace(state=one.state._replace(seen=seen))


def run(executor: PlanExecutor, plan: Plan, state: State) -> Ran:
    budget = Budget.of(LIMITS, time.monotonic())
    return executor.carried_out(plan, state, budget, Patience())


def kept(file: Path, make: object) -> object:
    """Return what a file holds, or what `make` gives, kept there for the next time; other code reads and drafts otherwise."""
    named = file.with_stem(f"{file.stem}-{sources()}")
    if named.exists():
        return pickle.loads(named.read_bytes())  # noqa: S301 - a file that we wrote
    made = make()
    named.parent.mkdir(parents=True, exist_ok=True)
    named.write_bytes(pickle.dumps(made))
    return made


@cache
def sources() -> str:
    """Return a digest of the code that makes a state."""
    files = sorted(
        file for part in MAKES for file in (ROOT / "src" / "remit" / part).rglob("*") if file.suffix != ".pyc"
    )
    read = hashlib.sha256(b"".join(file.read_bytes() for file in files if file.is_file()))
    return read.hexdigest()[:8]
