"""A plan written as JSON to steps. The format is described in `parse`."""

from __future__ import annotations

import json
from collections.abc import Iterator

from remit.repair.check import MAX_DEPTH, MAX_PLAN, Wrong
from remit.repair.ops import Ref
from remit.repair.plan import MAX_STEPS
from remit.repair.raw import Raw, Rejected


def read_json(text: str) -> Iterator[Raw]:
    """Yield the steps of the JSON plan at the head of `text`; what follows it is prose.

    Raises:
        Rejected: it is too long, unreadable, or not a list of steps.
    """
    try:
        loaded, end = json.JSONDecoder(object_pairs_hook=_once).raw_decode(text)
    except (ValueError, RecursionError, MemoryError) as error:
        raise Rejected(Wrong.UNREADABLE, "not readable as JSON") from error
    if end > MAX_PLAN:
        raise Rejected(Wrong.TOO_LONG, f"a plan has at most {MAX_PLAN} characters")
    if isinstance(loaded, dict) and set(loaded) == {"steps"}:
        loaded = loaded["steps"]
    if not isinstance(loaded, list):
        raise Rejected(Wrong.UNREADABLE, 'want a JSON list of steps, or {"steps": [...]}')
    if not loaded:
        raise Rejected(Wrong.NO_PLAN, "there is no step in this list")
    if len(loaded) > MAX_STEPS:
        raise Rejected(Wrong.TOO_MANY_STEPS, f"a plan has at most {MAX_STEPS} steps", line=MAX_STEPS + 1)
    for number, item in enumerate(loaded, start=1):
        yield _step(item, number, last=number == len(loaded))


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise Rejected(Wrong.WRONG_ARGUMENT, "a key stands twice in one object")
    return found


def _step(item: object, number: int, *, last: bool) -> Raw:
    match item:
        case {"name": str() as name, "operation": str() as operation, **rest}:
            named = tuple((str(key), _value(value, number, MAX_DEPTH)) for key, value in rest.items())
            return Raw(name, operation, (), named, last=last, line=number, column=0)
        case _:
            message = 'a step is an object with "name", "operation" and its arguments'
            raise Rejected(Wrong.NOT_ALLOWED, message, line=number)


def _value(value: object, number: int, depth: int) -> object:
    match value:
        case None | str() | int():
            return value
        case {"ref": str() as name, **rest} if not rest:
            return Ref(name)
        case {"ref": str() as name, "item": int() as item, **rest} if not rest:
            return Ref(name, item)
        case [*parts] if depth > 0:
            return tuple(_value(part, number, depth - 1) for part in parts)
        case [*_]:
            raise Rejected(Wrong.WRONG_ARGUMENT, f"lists may be {MAX_DEPTH} deep", line=number)
        case _:
            message = 'want a text, a whole number, {"ref": name} or a list of those'
            raise Rejected(Wrong.WRONG_ARGUMENT, message, line=number)
