"""Milliseconds that parsing a plan and planning take, against their bounds: 1 ms for 2 kB of text, 20 ms for a plan.

Processor time of one thread; Python's own `ast.parse` of the same text stands beside the parser. The encoder plans for real states:
the questions of the sample corpus, and those of hotpotqa and 2wiki dev where REMIT_DATA and REMIT_STORES are set, each planned for right
after it was drafted, as in the line, which has read the passages by then. A state that comes from a file has its words still to be
stemmed; what that adds is a row of its own, measured in a new process.

    python bench/plan_times.py [--states FILE]
"""

import ast
import json
import pickle
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from generated import save
from question_sets import DATA
from repairing import LIMITS, STORES, TODAY, instances, opened

from remit import Remit, parse_principal
from remit.contract.budget import Budget
from remit.contract.catalogue import Catalogue
from remit.contract.frame import Given, frame
from remit.llm.cancel import Patience
from remit.repair.encoder import EncoderPlanner
from remit.repair.parse import parse
from remit.repair.plan import Plan
from remit.repair.planner import State

PARSE_MS, PLAN_MS = 1.0, 20.0
SIZE, TIMES, QUESTIONS = 2_000, 200, 60
PLANT = Path(__file__).resolve().parents[1] / "examples" / "plant"
STEP = (
    'q{n} = RewriteQuery("who is the mother of the director of the film, and when was the film made? {n}", "clarify")\n'
)


def took(run: Callable[[], object]) -> float:
    """Return milliseconds of this thread's processor time."""
    began = time.thread_time()
    run()
    return 1000 * (time.thread_time() - began)


def two_kilobytes() -> dict[str, str]:
    """Return texts of 2 kB: a plan, a plan in a fence between prose, and texts that are none."""
    end = "final_answer = GenerateAnswer(question, doc_list)\n"
    plan = "".join(STEP.format(n=n) for n in range(11)) + end
    fill = "x" * ((SIZE - len(plan)) // 11)
    plan = plan.replace("and when", f"and when {fill}")
    prose = "I would look again; it's what is missing here. " * 12
    fenced = f"{prose}\n```python\n{''.join(STEP.format(n=n) for n in range(6))}{end}```\n{prose}"[: SIZE - 4]
    return {
        "a plan": plan[:SIZE] if isinstance(parse(plan[:SIZE]), Plan) else plan,
        "a plan in prose": fenced,
        "prose": (prose * 4)[:SIZE],
        "brackets": "(" * SIZE,
        "dots": "a." * (SIZE // 2),
    }


def sampled() -> Iterator[State]:
    """Yield the states of the demo's questions over the sample corpus, each as it is drafted."""
    asked = [json.loads(line) for line in (PLANT / "demo.jsonl").read_text(encoding="utf-8").splitlines()]
    with tempfile.TemporaryDirectory() as folder, Remit.open(Path(folder) / "store", make=True, environ={}) as remit:
        remit.ingest([PLANT])
        for one in asked:
            contract = frame(one["question"], Given(today=TODAY, limits=LIMITS), Catalogue(), lambda _: None)
            yield remit.parts.line.state(contract, parse_principal("mara:maintenance"), Patience())


def drafted(name: str, into: list[State]) -> Iterator[State]:
    """Yield the states of a set's questions, each as it is drafted over the whole corpus; they are kept in `into`."""
    with opened(name) as remit:
        for one in instances(remit, name, "dev", most=QUESTIONS):
            into.append(one.state)
            yield one.state


def planned(states: Iterator[State]) -> list[float]:
    """Return the milliseconds of a plan for each state, taken before the next state is made."""
    planner, budget, patience = EncoderPlanner(), Budget.of(LIMITS, 0.0), Patience(clock=lambda: 0.0)
    return [took(lambda state=state: planner.propose(state, budget, frozenset(), patience)) for state in states]


def from_file(states: list[State]) -> list[float]:
    """Return the milliseconds of a plan for each state in a process that has read nothing before."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "states.pkl"
        file.write_bytes(pickle.dumps(states))
        asked = [sys.executable, __file__, "--states", str(file)]
        return json.loads(subprocess.run(asked, check=True, capture_output=True, text=True).stdout)


def row(what: str, times: list[float], bound: float | None, *, characters: int = 0, theirs: object = "") -> dict:
    high = statistics.quantiles(times, n=20)[-1]
    return {
        "what": what,
        "n": len(times),
        "characters": characters or "",
        "median ms": statistics.median(times),
        "p95 ms": high,
        "ast.parse ms": theirs,
        "bound": bound or "",
    }


def main() -> int:
    rows = []
    for what, text in two_kilobytes().items():
        ours = [took(lambda text=text: parse(text)) for _ in range(TIMES)]
        rows.append(row(f"parse {what}", ours, PARSE_MS, characters=len(text), theirs=_theirs(text)))
    rows.append(row("plan, sample corpus", planned(sampled()), PLAN_MS))
    for name in ("hotpotqa", "2wiki"):
        if not DATA.exists() or not (STORES / name / "store.db").exists():
            print(f"no shared/data, or no store of {name}: left out", file=sys.stderr)
            continue
        states: list[State] = []
        rows.append(row(f"plan, {name} dev", planned(drafted(name, states)), PLAN_MS))
        rows.append(row(f"plan, {name} dev, states from a file", from_file(states), None))
    notes = ["processor time of one thread; the bound is of the median", "plan: the encoder policy as it ships"]
    save("plan_times", "Parsing and planning", rows, notes)
    return int(any(one["bound"] and one["median ms"] > one["bound"] for one in rows))


def _theirs(text: str) -> object:
    try:
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return "no Python"
    return statistics.median(took(lambda: ast.parse(text)) for _ in range(TIMES))


def read_states(file: str) -> int:
    """Print the milliseconds of a plan for each state of a file that this script wrote."""
    states = pickle.loads(Path(file).read_bytes())  # noqa: S301 - a file that we wrote
    print(json.dumps(planned(iter(states))))
    return 0


if __name__ == "__main__":
    sys.exit(read_states(sys.argv[2]) if sys.argv[1:2] == ["--states"] else main())
