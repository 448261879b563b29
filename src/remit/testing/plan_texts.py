"""Texts near plans, for fuzzing a reader of plans: good plans in both notations, changed in a few places by a string of bytes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import fields
from itertools import cycle
from typing import Final, NamedTuple

from remit.contract.budget import Budget, Limits
from remit.repair.ops import DecomposeQuery, GenerateAnswer, Ref, RefineDoc, Retrieval, RewriteQuery
from remit.repair.plan import FINAL, Plan, Step

_QUESTION, _IN_USE = Ref("question"), Ref("doc_list")
GOOD: Final = (
    Plan((Step(FINAL, GenerateAnswer(_QUESTION, _IN_USE)),)),
    Plan((Step("docs", Retrieval(_QUESTION, 5)), Step(FINAL, GenerateAnswer(_QUESTION, (Ref("docs"), _IN_USE))))),
    Plan(
        (
            Step("q", RewriteQuery(_QUESTION, "clarify")),
            Step("docs", Retrieval(Ref("q", 0), 20, collection="engineering", revision="current")),
            Step("short", RefineDoc(_QUESTION, (Ref("docs"), (_IN_USE,)), "summarize")),
            Step(FINAL, GenerateAnswer(_QUESTION, Ref("short"), "be brief")),
        )
    ),
    Plan(
        (
            Step("sub", DecomposeQuery("when did the director die?")),
            Step("first", GenerateAnswer(Ref("sub", 0), _IN_USE)),
            Step("docs", Retrieval(Ref("first"), 3, section="parent")),
            Step(FINAL, GenerateAnswer(Ref("sub", 1), (Ref("docs"), _IN_USE))),
        )
    ),
)
"""Plans that a parser accepts."""

_PIECES: Final = (
    *("RewriteQuery", "DecomposeQuery", "Retrieval", "RefineDoc", "GenerateAnswer", "WebSearch", "eval", "\uff32etrieval"),
    *("question", "doc_list", "previous_pred", "final_answer", "docs", "q", "sub", "unbound", "__class__", "lambda: 0", "f'{q}'"),
    *("0", "-1", "46", "True", "10**9", "None", "0x" + "f" * 50, "''", "'a'", '"clarify"', '"explain"', "[]", "[docs, [docs]]"),
    *("(", ")", "[", "]", ",", "=", "\n", " ", '"', "'", "\\", "#", ":", ".", "{", "}", "*", "**", ":=", ";", "@", "(" * 200),
    *("\ud800", "\u202e", "\x00", "```\n", "import os\n", "if question: ", "Sure, here is the plan:\n", '{"ref": "q"}', "[" * 50),
)  # fmt: skip
_TOKEN: Final = re.compile(r'"[^"\n]*"|\w+|[^\w\s]|\s+')
_LONG: Final = 5_000


class Near(NamedTuple):
    """A text near a plan, and the budget to read it under; None: without one."""

    text: str
    budget: Budget | None


def near(raw: bytes) -> Near:
    """Return the text that bytes lead to: the first ones choose plan, notation and budget, the others a change each."""
    drawn = cycle(raw or b"\x00")

    def one(count: int) -> int:
        return next(drawn) % count

    plan = GOOD[one(len(GOOD))]
    text = in_json(plan) if one(2) else plan.text
    budget = _BUDGETS[one(len(_BUDGETS))]
    for _ in range(one(4)):
        text = _CHANGES[one(len(_CHANGES))](text, one)
    return Near(text, budget)


def in_json(plan: Plan) -> str:
    """Return a plan as JSON, one step a line."""

    def value(part: object) -> object:
        if isinstance(part, Ref):
            return {"ref": part.name} if part.item is None else {"ref": part.name, "item": part.item}
        return [value(one) for one in part] if isinstance(part, tuple) else part

    steps = [
        {"name": step.name, "operation": type(step.operation).__name__}
        | {field.name: value(getattr(step.operation, field.name)) for field in fields(step.operation)}
        for step in plan.steps
    ]
    return "[" + ",\n".join(map(json.dumps, steps)) + "]"


_Draw = Callable[[int], int]


def _replaced(text: str, one: _Draw) -> str:
    tokens = _TOKEN.findall(text)
    return "".join([*tokens[: (at := one(max(1, len(tokens))))], _PIECES[one(len(_PIECES))], *tokens[at + 1 :]])


def _put_in(text: str, one: _Draw) -> str:
    at = one(len(text) + 1)
    return text[:at] + _PIECES[one(len(_PIECES))] + text[at:]


def _cut(text: str, one: _Draw) -> str:
    at = one(len(text) + 1)
    return text[:at] + text[at + 1 + one(20) :]


def _lines_swapped(text: str, one: _Draw) -> str:
    lines = text.split("\n")
    first, second = one(len(lines)), one(len(lines))
    lines[first], lines[second] = lines[second], lines[first]
    return "\n".join(lines)


def _line_again(text: str, one: _Draw) -> str:
    lines = text.split("\n")
    return "\n".join([*lines[: (at := one(len(lines)) + 1)], *lines[at - 1 :]])


def _line_left_out(text: str, one: _Draw) -> str:
    lines = text.split("\n")
    del lines[one(len(lines))]
    return "\n".join(lines)


def _renamed(text: str, one: _Draw) -> str:
    names = re.findall(r"(?m)^\w+(?= =)|(?<=\"name\": \")\w+", text) or ["docs"]
    other = ("question", "Retrieval", FINAL, *names)
    return text.replace(names[one(len(names))], other[one(len(other))])


def _many_steps(text: str, one: _Draw) -> str:
    return "\n".join([*(f"d{n} = Retrieval(question, {1 + one(9)})" for n in range(12)), text])


def _lengthened(text: str, one: _Draw) -> str:
    return text.replace("question", f'"{"y" * (_LONG * (1 + one(4)))}"')


def _fenced(text: str, one: _Draw) -> str:
    return f"It's best to look again.\n```{'python' if one(2) else 'json'}\n{text}\n```\nThat is all."


def _with_another(text: str, one: _Draw) -> str:
    return f"```\n{text}\n```\nor\n```\n{GOOD[one(len(GOOD))].text}\n```"


def _prose(_text: str, one: _Draw) -> str:
    return ("", "I do not know.", "The answer is 1947.", "[]", "# nothing")[one(5)]


_CHANGES: Final = (
    *(_replaced, _put_in, _cut, _lines_swapped, _line_again, _line_left_out, _renamed, _many_steps, _lengthened, _fenced),
    *(_with_another, _prose),
)  # fmt: skip
_BUDGETS: Final = (
    None,
    *(Budget.of(limits, 0.0) for limits in (Limits(), Limits(rounds=0), Limits(model_calls=0), Limits(model_calls=1))),
)


def drawn_from(numbers: Callable[[int], bytes], count: int) -> Iterator[Near]:
    """Yield texts near plans from strings of random bytes; `numbers` returns that many of them."""
    for _ in range(count):
        yield near(numbers(24))
