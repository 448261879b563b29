"""Where in a reply the plan stands: in a code fence, between lines of prose, or all of it."""

from __future__ import annotations

import ast
import re
import textwrap
from typing import Final, NamedTuple

from remit.repair.calls import statements
from remit.repair.check import Wrong
from remit.repair.plan import FINAL
from remit.repair.raw import Rejected

_ASSIGNS: Final = re.compile(r"\s*[^\W\d]\w*\s*=(?!=)")
_ENDS: Final = re.compile(rf"\s*{FINAL}\s*=(?!=)")
_JSON: Final = re.compile(r"\[\s*\{|\{\s*\"steps\"|^\s*\[\s*\]\s*$", re.MULTILINE)
_MAX_TAIL: Final = 30


class Excerpt(NamedTuple):
    """The part of a reply that should be a plan, and the line on which it starts; `body` where it was read already."""

    text: str
    line: int
    json: bool = False
    body: list[ast.stmt] | None = None


def find_plan(text: str) -> Excerpt:
    """Return the part of `text` to read as a plan.

    Raises:
        Rejected: there is none, or what stands around it is code, not prose.
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    first = 0
    if fence := _fenced(lines):
        _no_code(fence.around, 1)
        first, lines = fence.first, fence.lines
    assigned = [number for number, line in enumerate(lines) if _ASSIGNS.match(line)]
    if not assigned:
        return _without_assignment("\n".join(lines), first)
    whole = textwrap.dedent("\n".join(lines))
    body = statements(whole)
    if body is not None:
        return Excerpt(whole, first + 1, body=body)
    start = assigned[0]
    end = _end(lines, start)
    _no_code(lines[:start] + lines[end:], first + 1)
    return Excerpt(textwrap.dedent("\n".join(lines[start:end])), first + start + 1)


class Fence(NamedTuple):
    """The lines of the fenced block that is the plan, the number of the first of them, and the lines outside of all blocks."""

    first: int
    lines: list[str]
    around: list[str]


def _fenced(lines: list[str]) -> Fence | None:
    """Return the one fenced block that holds steps, else the first one; an open fence reaches to the end.

    Raises:
        Rejected: two blocks hold different steps. One of them would be dropped in silence, and nothing says which is meant.
    """
    marks = [number for number, line in enumerate(lines) if line.lstrip().startswith("```")]
    if not marks:
        return None
    pairs = list(zip(marks[::2], [*marks[1::2], len(lines)], strict=False))
    blocks = [(start + 1, lines[start + 1 : end]) for start, end in pairs]
    inside = {number for start, end in pairs for number in range(start, end + 1)}
    around = [line for number, line in enumerate(lines) if number not in inside]
    planned = [block for block in blocks if _holds_steps(block[1])]
    if len({"\n".join(block).strip() for _, block in planned}) > 1:
        message = "two code fences hold steps; a reply holds one plan, in one fence"
        raise Rejected(Wrong.SEVERAL_PLANS, message, line=planned[1][0])
    first, block = (planned or blocks)[0]
    return Fence(first, block, around)


def _holds_steps(lines: list[str]) -> bool:
    return any(_ASSIGNS.match(line) for line in lines) or _JSON.search("\n".join(lines)) is not None


def _without_assignment(text: str, first: int) -> Excerpt:
    if found := _JSON.search(text):
        return Excerpt(text[found.start() :].lstrip(), first + 1, json=True)
    _no_code(text.split("\n"), first + 1)
    raise Rejected(Wrong.NO_PLAN, "there is no plan in this text")


def _end(lines: list[str], start: int) -> int:
    """Return the line after the last step: where the call that binds the final answer closes."""
    ends = [number for number in range(start, len(lines)) if _ENDS.match(lines[number])]
    if not ends:
        return len(lines)
    for end in range(ends[-1] + 1, min(ends[-1] + _MAX_TAIL, len(lines)) + 1):
        chunk = textwrap.dedent("\n".join(lines[ends[-1] : end]))
        if statements(chunk) is not None:
            return end
    return len(lines)


def _no_code(lines: list[str], line: int) -> None:
    """Let prose pass. Code beside a plan would be dropped in silence, and somebody meant it to run."""
    for text in lines:
        for node in statements(text.strip()) or ():
            if not isinstance(node, ast.Expr) or isinstance(node.value, ast.Call):
                message = "code stands beside the plan; a plan is lines of `name = Operation(arguments)` only"
                raise Rejected(Wrong.NOT_ALLOWED, message, line=line)
