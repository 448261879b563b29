"""The paper's call syntax to steps. `ast.parse` reads it, an allow-list of nodes admits it; nothing is evaluated."""

from __future__ import annotations

import ast
import threading
import warnings
from collections.abc import Iterator
from typing import Final

from remit.repair.check import MAX_DEPTH, MAX_PLAN, Wrong
from remit.repair.ops import Ref
from remit.repair.plan import GIVEN, MAX_STEPS
from remit.repair.raw import Raw, Rejected

# `catch_warnings` swaps state of the whole process; two threads doing so at once could leave the wrong one behind.
_QUIET: Final = threading.Lock()


def statements(text: str) -> list[ast.stmt] | None:
    """Return the statements of `text`, or None where it is no Python or too much of it. Nothing is warned of or raised."""
    if len(text) > MAX_PLAN:
        return None
    try:
        with _QUIET, warnings.catch_warnings():
            # An odd escape or number only warns, and the warning would quote the text.
            warnings.simplefilter("ignore")
            return ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # ValueError: NUL, lone surrogate, endless digits
        return None


def read_calls(text: str, body: list[ast.stmt] | None = None) -> Iterator[Raw]:
    """Yield the steps of a plan in call syntax; `body` are its statements where they were read before.

    Raises:
        Rejected: the text is too long or unreadable, or holds anything but `name = Operation(arguments)`.
    """
    if len(text) > MAX_PLAN:
        raise Rejected(Wrong.TOO_LONG, f"a plan has at most {MAX_PLAN} characters")
    body = statements(text) if body is None else body
    if body is None:
        raise Rejected(Wrong.UNREADABLE, "not readable as lines of `name = Operation(arguments)`")
    if not body:
        raise Rejected(Wrong.NO_PLAN, "there is no step in this text")
    if len(body) > MAX_STEPS:
        raise Rejected(Wrong.TOO_MANY_STEPS, f"a plan has at most {MAX_STEPS} steps", line=body[MAX_STEPS].lineno)
    lines = [line.encode() for line in text.split("\n")]
    for node in body:
        yield _step(node, lines, last=node is body[-1])


def _step(node: ast.stmt, lines: list[bytes], *, last: bool) -> Raw:
    match node:
        case ast.Assign(
            targets=[ast.Name() as target], value=ast.Call(func=ast.Name() as called, args=args, keywords=keywords)
        ):
            named = []
            for keyword in keywords:
                if keyword.arg is None:
                    raise _rejected(Wrong.NOT_ALLOWED, keyword.value, "** is not allowed")
                _plain(keyword, keyword.arg, lines)
                named.append((keyword.arg, _value(keyword.value, lines, MAX_DEPTH)))
            return Raw(
                name=_plain(target, target.id, lines),
                operation=_plain(called, called.id, lines),
                positional=tuple(_value(arg, lines, MAX_DEPTH) for arg in args),
                named=tuple(named),
                last=last,
                line=node.lineno,
                column=node.col_offset + 1,
            )
        case ast.Assign(targets=[ast.Name(id=name)]) if name in GIVEN:
            raise _rejected(Wrong.REBINDS_GIVEN, node, "this name is given and cannot be bound again")
        case _:
            raise _rejected(Wrong.NOT_ALLOWED, node, "want `name = Operation(arguments)`")


def _value(node: ast.expr, lines: list[bytes], depth: int) -> object:
    match node:
        case ast.Constant(value=None | str() | int() as value):
            return value
        case ast.Name(id=name):
            return Ref(_plain(node, name, lines))
        case ast.Subscript(value=ast.Name(id=name) as of, slice=ast.Constant(value=int() as item)):
            return Ref(_plain(of, name, lines), item)
        case ast.List(elts=parts) | ast.Tuple(elts=parts) if depth > 0:
            return tuple(_value(part, lines, depth - 1) for part in parts)
        case ast.List() | ast.Tuple():
            raise _rejected(Wrong.WRONG_ARGUMENT, node, f"lists may be {MAX_DEPTH} deep")
        case ast.Constant() | ast.UnaryOp(op=ast.USub(), operand=ast.Constant()):
            raise _rejected(
                Wrong.WRONG_ARGUMENT, node, "want a text, a whole number from 0 on, a name or a list of names"
            )
        case ast.Subscript(value=ast.Name()):
            raise _rejected(Wrong.WRONG_ARGUMENT, node, "an item is picked by a number from 0 on")
        case _:
            raise _rejected(Wrong.NOT_ALLOWED, node, "want a text, a number, a name or a list of names")


def _plain(node: ast.Name | ast.keyword, name: str, lines: list[bytes]) -> str:
    """Return the name if it stands in the source as it is: Python reads look-alike letters as the plain ones."""
    written = lines[node.lineno - 1][node.col_offset :]
    if not name.isascii() or not written.startswith(name.encode()):
        raise _rejected(Wrong.NOT_ALLOWED, node, "names are plain ASCII; look-alike letters are not read as such")
    return name


def _rejected(kind: Wrong, node: ast.stmt | ast.expr | ast.keyword, message: str) -> Rejected:
    return Rejected(kind, message, line=node.lineno, column=node.col_offset + 1)
