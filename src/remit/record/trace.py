"""The trace: the values of one question in the order they came to be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from remit.contract.value import Value

T = TypeVar("T", bound=Value)


class Entry(Value):
    """One value of the line as written down: its type's name and its fields, document text as digests."""

    kind: str
    data: dict[str, Any]


class Trace:
    """Collects the values of one question. `note` writes a value down and hands it back, so that a line can be read."""

    def __init__(self, id: str, *, watch: Callable[[Entry], None] | None = None, keep_text: bool = False) -> None:
        """Start an empty trace; `watch` is called with every entry, for progress and for the journal."""
        self.id = id
        self.entries: list[Entry] = []
        self._watch = watch
        self._keep_text = keep_text

    def note(self, value: T) -> T:
        """Write `value` down and return it."""
        data = value.model_dump(mode="json", context={"keep_text": self._keep_text})
        entry = Entry(kind=type(value).__name__, data=data)
        self.entries.append(entry)
        if self._watch is not None:
            self._watch(entry)
        return value
