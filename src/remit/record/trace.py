"""The trace: the values of one question in the order they came to be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from remit.contract.value import Value

T = TypeVar("T", bound=Value)


class Entry(Value):
    """One value of the line as written down: its type's name and its fields, document text as digests.

    `after` is how many seconds into the question it came to be; None where that was not recorded, or is not told.
    """

    kind: str
    data: dict[str, Any]
    after: float | None = None


class Trace:
    """Collects the values of one question. `note` writes a value down and hands it back, so that a line can be read."""

    def __init__(
        self,
        id: str,
        *,
        watch: Callable[[Entry], None] | None = None,
        keep_text: bool = False,
        clock: Callable[[], float] | None = None,
    ) -> None:
        """Start an empty trace; `watch` is called with every entry; `clock` tells the seconds since the question came."""
        self.id = id
        self.entries: list[Entry] = []
        self._watch = watch
        self._keep_text = keep_text
        self._clock = clock

    def note(self, value: T) -> T:
        """Write `value` down and return it."""
        data = value.model_dump(mode="json", context={"keep_text": self._keep_text})
        after = None if self._clock is None else round(self._clock(), 6)
        entry = Entry(kind=type(value).__name__, data=data, after=after)
        self.entries.append(entry)
        if self._watch is not None:
            self._watch(entry)
        return value
