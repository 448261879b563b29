"""What makes a plan a plan: names, arguments, order and cost. Pure; a fault is a value and quotes nothing it rejects."""

from __future__ import annotations

import keyword
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import Final, NamedTuple, assert_never

from remit.contract.budget import Budget
from remit.repair.ops import (
    OPERATIONS,
    DecomposeQuery,
    GenerateAnswer,
    Operation,
    Ref,
    RefineDoc,
    Retrieval,
    RewriteQuery,
)
from remit.repair.plan import FINAL, GIVEN, MAX_STEPS, MAX_TOPK, Plan, Step

MAX_PLAN: Final = 4_000
MAX_TEXT: Final = 500
MAX_DEPTH: Final = 3
MAX_LISTED: Final = 45

PAID: Final[frozenset[type[Operation]]] = frozenset({RewriteQuery, DecomposeQuery, RefineDoc, GenerateAnswer})
"""The operations that take a model call where each is done by a chat model, as in the paper."""

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,39}")


class Wrong(StrEnum):
    """Why a text is no plan, or a plan cannot be run."""

    TOO_LONG = "too_long"
    UNREADABLE = "unreadable"
    NO_PLAN = "no_plan"
    SEVERAL_PLANS = "several_plans"
    TOO_MANY_STEPS = "too_many_steps"
    UNKNOWN_OPERATION = "unknown_operation"
    WRONG_ARGUMENT = "wrong_argument"
    USE_BEFORE_BIND = "use_before_bind"
    REBINDS_GIVEN = "rebinds_given"
    REBINDS_RESULT = "rebinds_result"
    MISSING_FINAL_ANSWER = "missing_final_answer"
    MISPLACED_FINAL_ANSWER = "misplaced_final_answer"
    NOT_ALLOWED = "not_allowed"
    OVER_BUDGET = "over_budget"


@dataclass(frozen=True, slots=True)
class PlanError:
    """A fault of a plan and where it is. The message is ours alone: nothing of the rejected text is in it.

    `line` counts from 1 in the text handed in; for JSON, and for a plan that was not parsed, it is the number of the
    step. `column` counts from 1, and is 0 where only the line is known.
    """

    kind: Wrong
    line: int
    column: int
    message: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.message}" if self.line else self.message


class Flaw(NamedTuple):
    """What is wrong with one step, before its place is known."""

    kind: Wrong
    message: str


class Holds(Enum):
    """What a name stands for."""

    TEXT = "text"
    QUERIES = "queries"
    DOCS = "docs"


Bound = dict[str, Holds]


def given() -> Bound:
    """Return the names a plan starts with."""
    return {"question": Holds.TEXT, "doc_list": Holds.DOCS, "previous_pred": Holds.TEXT}


def check(plan: Plan, budget: Budget | None = None, *, paid: frozenset[type[Operation]] = PAID) -> PlanError | None:
    """Return what is wrong with a plan, or None. With a budget, its cost counts too: one round and its `paid` calls."""
    if not plan.steps:
        return PlanError(Wrong.NO_PLAN, 0, 0, "a plan has at least one step")
    if len(plan.steps) > MAX_STEPS:
        return PlanError(Wrong.TOO_MANY_STEPS, MAX_STEPS + 1, 0, f"a plan has at most {MAX_STEPS} steps")
    bound = given()
    for number, step in enumerate(plan.steps, start=1):
        if flaw := flaw_of(step, bound, last=number == len(plan.steps)):
            return PlanError(flaw.kind, number, 0, flaw.message)
        bound[step.name] = result_of(step.operation)
    if len(plan.text) > MAX_PLAN:
        return PlanError(Wrong.TOO_LONG, 0, 0, f"a plan has at most {MAX_PLAN} characters")
    return None if budget is None else over(plan, budget, paid)


def over(plan: Plan, budget: Budget, paid: frozenset[type[Operation]]) -> PlanError | None:
    """Return why the budget does not reach for a plan, or None where it does."""
    calls = sum(type(step.operation) in paid for step in plan.steps)
    if budget.rounds < 1:
        return PlanError(Wrong.OVER_BUDGET, 0, 0, "no round is left")
    if calls > budget.model_calls:
        message = f"the plan takes {calls} model calls; {budget.model_calls} are left"
        return PlanError(Wrong.OVER_BUDGET, 0, 0, message)
    return None


def flaw_of(step: Step, bound: Bound, *, last: bool) -> Flaw | None:
    """Return what is wrong with a step after which `bound` names stand, or None."""
    return _name_flaw(step, bound, last=last) or _operation_flaw(step.operation, bound)


def result_of(operation: Operation) -> Holds:
    """Return what the name bound to an operation stands for."""
    match operation:
        case RewriteQuery() | DecomposeQuery():
            return Holds.QUERIES
        case Retrieval() | RefineDoc():
            return Holds.DOCS
        case GenerateAnswer():
            return Holds.TEXT
        case _:
            assert_never(operation)


def _name_flaw(step: Step, bound: Bound, *, last: bool) -> Flaw | None:
    if step.name in GIVEN or step.name in OPERATIONS:
        return Flaw(Wrong.REBINDS_GIVEN, "this name is given and cannot be bound again")
    if step.name == FINAL and not last:
        return Flaw(Wrong.MISPLACED_FINAL_ANSWER, f"{FINAL} is bound by the last step and nowhere else")
    if step.name in bound:
        return Flaw(Wrong.REBINDS_RESULT, "this name is bound already; each result has its own")
    if not _NAME.fullmatch(step.name) or keyword.iskeyword(step.name):
        return Flaw(Wrong.NOT_ALLOWED, "a name is ASCII letters, digits and underscores, a letter first, 40 at most")
    if last and not (step.name == FINAL and isinstance(step.operation, GenerateAnswer)):
        return Flaw(Wrong.MISSING_FINAL_ANSWER, f"a plan ends with `{FINAL} = GenerateAnswer(...)`")
    return None


def _operation_flaw(operation: Operation, bound: Bound) -> Flaw | None:
    match operation:
        case RewriteQuery(query, instruction):
            return _query(query, bound) or _one_of(instruction, ("clarify", "expand"))
        case DecomposeQuery(query):
            return _query(query, bound)
        case Retrieval(query, topk, collection, revision, section):
            return (
                _query(query, bound, several=True)
                or _topk(topk)
                or (_text(collection, "collection") if collection is not None else None)
                or (_one_of(revision, ("current",)) if revision is not None else None)
                or (_one_of(section, ("parent",)) if section is not None else None)
            )
        case RefineDoc(query, doc, instruction):
            return _query(query, bound) or _docs(doc, bound) or _one_of(instruction, ("explain", "summarize"))
        case GenerateAnswer(query, docs, more):
            more_flaw = _text(more, "additional_instruction") if more is not None else None
            return _query(query, bound) or _docs(docs, bound) or more_flaw
        case _:
            assert_never(operation)


# The checks below take `object`: a plan may come from a planner that keeps to no types.


def _query(value: object, bound: Bound, *, several: bool = False) -> Flaw | None:
    if not isinstance(value, Ref):
        return _text(value, "query")
    if flaw := _ref(value, bound):
        return flaw
    holds, picked = bound[value.name], value.item is not None
    if holds is Holds.TEXT or (holds is Holds.QUERIES and (picked or several)):
        return None
    return Flaw(Wrong.WRONG_ARGUMENT, "query: want one text; pick one out of a list with [0]")


def _docs(value: object, bound: Bound) -> Flaw | None:
    refs = list(_flat(value, MAX_DEPTH))
    if not 1 <= len(refs) <= MAX_LISTED:
        return Flaw(Wrong.WRONG_ARGUMENT, f"docs: want 1 to {MAX_LISTED} names of passages")
    for ref in refs:
        if not isinstance(ref, Ref):
            return Flaw(Wrong.WRONG_ARGUMENT, f"docs: want names of passages, in lists at most {MAX_DEPTH} deep")
        if flaw := _ref(ref, bound):
            return flaw
        if bound[ref.name] is not Holds.DOCS:
            return Flaw(Wrong.WRONG_ARGUMENT, "docs: this name does not stand for passages")
    return None


def _flat(value: object, depth: int) -> Iterable[object]:
    """Yield what lies in nested lists; a list that lies too deep is yielded itself."""
    if not isinstance(value, tuple) or depth == 0:
        yield value
        return
    for part in value:
        yield from _flat(part, depth - 1)


def _ref(ref: Ref, bound: Bound) -> Flaw | None:
    if ref.name not in bound:
        return Flaw(Wrong.USE_BEFORE_BIND, "this name is not bound by an earlier step")
    if ref.item is None:
        return None
    if bound[ref.name] is Holds.TEXT:
        return Flaw(Wrong.WRONG_ARGUMENT, "a text has no items")
    if type(ref.item) is not int or not 0 <= ref.item < MAX_TOPK:  # True is no number here
        return Flaw(Wrong.WRONG_ARGUMENT, f"an item is a number from 0 to {MAX_TOPK - 1}")
    return None


def _text(value: object, what: str) -> Flaw | None:
    if not isinstance(value, str):
        return Flaw(Wrong.WRONG_ARGUMENT, f"{what}: want a text")
    if not value.strip() or len(value) > MAX_TEXT:
        return Flaw(Wrong.WRONG_ARGUMENT, f"{what}: want 1 to {MAX_TEXT} characters")
    if any(unicodedata.category(c) in {"Cc", "Cs"} and c not in "\n\t" for c in value):
        return Flaw(Wrong.WRONG_ARGUMENT, f"{what}: control characters and lone surrogates are no text")
    return None


def _one_of(value: object, allowed: tuple[str, ...]) -> Flaw | None:
    if isinstance(value, str) and value in allowed:
        return None
    return Flaw(Wrong.WRONG_ARGUMENT, "want one of: " + ", ".join(allowed))


def _topk(value: object) -> Flaw | None:
    if isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= MAX_TOPK:
        return None
    return Flaw(Wrong.WRONG_ARGUMENT, f"topk: want a number from 1 to {MAX_TOPK}")
