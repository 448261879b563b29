"""Text to Plan: the one way in. Whatever the text, a Plan or a PlanError comes back; nothing is run, printed or quoted.

Two notations give the same plan. The paper's call syntax, one step a line::

    docs = Retrieval(question, 5)
    final_answer = GenerateAnswer(question, [docs, doc_list])

and JSON, a list of steps (or an object whose only key, `steps`, holds one), where a name is ``{"ref": "docs"}``, one
item of it ``{"ref": "docs", "item": 0}``, and every other key is an argument by its name::

    [
        {"name": "docs", "operation": "Retrieval", "query": {"ref": "question"}, "topk": 5},
        {
            "name": "final_answer",
            "operation": "GenerateAnswer",
            "query": {"ref": "question"},
            "docs": [{"ref": "docs"}, {"ref": "doc_list"}],
        },
    ]

Either may stand in a code fence or between lines of prose; a reply whose fences hold two plans holds none. Given names: `question`, `doc_list`, `previous_pred`.
"""

from __future__ import annotations

from dataclasses import replace

from remit.contract.budget import Budget
from remit.repair.calls import read_calls
from remit.repair.check import PAID, PlanError, Wrong, check, over
from remit.repair.listed import read_json
from remit.repair.ops import Operation
from remit.repair.plan import Plan
from remit.repair.prose import Excerpt, find_plan
from remit.repair.raw import Rejected, build

__all__ = ["MAX_REPLY", "PlanError", "Wrong", "check", "parse"]

MAX_REPLY = 16_000
"""Characters of a reply that are looked at, prose and all; the plan in it may have `check.MAX_PLAN`."""


def parse(text: str, budget: Budget | None = None, *, paid: frozenset[type[Operation]] = PAID) -> Plan | PlanError:
    """Return the plan that stands in `text`, or what is wrong with it. With a budget, its cost counts too."""
    if len(text) > MAX_REPLY:
        return PlanError(Wrong.TOO_LONG, 0, 0, f"a reply has at most {MAX_REPLY} characters")
    excerpt = Excerpt("", 1)
    try:
        excerpt = find_plan(text)
        plan = build(read_json(excerpt.text) if excerpt.json else read_calls(excerpt.text, excerpt.body))
    except Rejected as rejected:
        return _placed(rejected.error, excerpt)
    return (None if budget is None else over(plan, budget, paid)) or plan


def _placed(error: PlanError, excerpt: Excerpt) -> PlanError:
    """Return the error with its line in the whole text; steps of a JSON plan are counted, not lines."""
    if excerpt.json or not error.line:
        return error
    return replace(error, line=error.line + excerpt.line - 1)
