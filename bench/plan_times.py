"""Milliseconds that parsing a plan and planning take, against their bounds: 1 ms for 2 kB of text, 20 ms for a plan.

Processor time of one thread, the median; Python's own `ast.parse` of the same text stands beside the parser.
"""

import ast
import statistics
import sys
import time
from collections.abc import Callable

import numpy as np
from generated import save

from remit.contract.budget import Budget, Limits
from remit.llm.cancel import Patience
from remit.repair.encoder import EncoderPlanner
from remit.repair.parse import parse
from remit.repair.plan import Plan
from remit.testing.planner import state_of

PARSE_MS, PLAN_MS = 1.0, 20.0
SIZE = 2_000
STEP = (
    'q{n} = RewriteQuery("who is the mother of the director of the film, and when was the film made? {n}", "clarify")\n'
)


def median(run: Callable[[], object], times: int) -> float:
    taken = []
    for _ in range(times):
        began = time.thread_time()
        run()
        taken.append(1000 * (time.thread_time() - began))
    return statistics.median(taken)


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


def busy() -> object:
    texts = [
        f"Film number {n} is a 19{30 + n} film directed by Howard Bretherton and starring Paul Kelly. It was shot in Berlin by Ann Lee."
        for n in range(12)
    ]
    return state_of("When did the director of film It Happened Out West die?", *texts, answer="1930")


def main() -> int:
    rows, state, planner = [], busy(), EncoderPlanner()
    for what, text in two_kilobytes().items():
        ours = median(lambda text=text: parse(text), 200)
        rows.append(
            {
                "what": f"parse {what}",
                "characters": len(text),
                "ms": ours,
                "ast.parse ms": _theirs(text),
                "bound": PARSE_MS,
            }
        )
    budget, patience = Budget.of(Limits(), 0.0), Patience(clock=lambda: 0.0)
    planned = median(lambda: planner.propose(state, budget, frozenset(), patience), 50)
    rows.append({"what": "plan by encoder", "characters": 0, "ms": planned, "ast.parse ms": "", "bound": PLAN_MS})
    save("plan_times", "Parsing and planning", rows, [f"medians of processor time; seed-free; numpy {np.__version__}"])
    return int(any(row["ms"] > row["bound"] for row in rows))


def _theirs(text: str) -> object:
    try:
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return "no Python"
    return median(lambda: ast.parse(text), 200)


if __name__ == "__main__":
    sys.exit(main())
