"""A step as it was written, before it is known to be one; and the way from there to a checked plan."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import MISSING, fields
from typing import Final, NamedTuple

from remit.repair.check import MAX_PLAN, PlanError, Wrong, flaw_of, given, result_of
from remit.repair.ops import OPERATIONS, Operation
from remit.repair.plan import Plan, Step

KNOWN: Final = ", ".join(OPERATIONS)


class Raw(NamedTuple):
    """One step as read: its values are texts, numbers, None, `Ref`s and tuples of them."""

    name: str
    operation: str
    positional: tuple[object, ...]
    named: tuple[tuple[str, object], ...]
    last: bool
    line: int
    column: int


class Rejected(Exception):
    """Carries the fault out of the reader that found it."""

    def __init__(self, kind: Wrong, message: str, *, line: int = 0, column: int = 0) -> None:
        super().__init__(message)
        self.error = PlanError(kind, line, column, message)


def build(raws: Iterable[Raw]) -> Plan:
    """Return the checked plan that the steps make up.

    Raises:
        Rejected: the first thing that is not allowed, else the first fault, in the order of the steps.
    """
    bound, steps = given(), []
    for raw in tuple(raws):  # all are read first: what is not allowed at all comes before what is wrong
        step = Step(raw.name, _operation(raw))
        if flaw := flaw_of(step, bound, last=raw.last):
            raise Rejected(flaw.kind, flaw.message, line=raw.line, column=raw.column)
        bound[step.name] = result_of(step.operation)
        steps.append(step)
    plan = Plan(tuple(steps))
    if len(plan.text) > MAX_PLAN:
        raise Rejected(Wrong.TOO_LONG, f"a plan has at most {MAX_PLAN} characters")
    return plan


def _operation(raw: Raw) -> Operation:
    kind = OPERATIONS.get(raw.operation)
    if kind is None:
        raise Rejected(Wrong.UNKNOWN_OPERATION, f"the operations are {KNOWN}", line=raw.line, column=raw.column)
    known = fields(kind)
    names = [field.name for field in known]
    required = {field.name for field in known if field.default is MISSING}
    pairs = [*zip(names, raw.positional, strict=False), *raw.named]
    filled = dict(pairs)
    if len(raw.positional) > len(names) or len(filled) < len(pairs) or not required <= set(filled) <= set(names):
        message = f"{kind.__name__} takes {', '.join(names)}, each once; required: {', '.join(sorted(required))}"
        raise Rejected(Wrong.WRONG_ARGUMENT, message, line=raw.line, column=raw.column)
    # The types of the values are what `flaw_of` checks next.
    return kind(**filled)  # type: ignore[arg-type]
