"""Connections that are open and that nobody uses: a thread takes one, and gives it back."""

from __future__ import annotations

from abc import ABC, abstractmethod
from threading import Lock
from types import TracebackType
from typing import Generic, Protocol, Self, TypeVar


class Closable(Protocol):
    """What can be closed."""

    def close(self) -> None:
        """Close it."""


class ClosedAtExit(ABC):
    """What is closed at the end of a ``with`` block."""

    @abstractmethod
    def close(self) -> None:
        """Close it."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


C = TypeVar("C", bound=Closable)


class Idle(Generic[C]):
    """A stack of them: the one used last, whose pages are warm, is taken first."""

    def __init__(self) -> None:
        self._idle: list[C] = []
        self._lock = Lock()

    def take(self) -> C | None:
        """Return one, which is then the caller's alone; None where there is none."""
        with self._lock:
            return self._idle.pop() if self._idle else None

    def give(self, connection: C) -> None:
        """Take one back."""
        with self._lock:
            self._idle.append(connection)

    def close(self) -> None:
        """Close all of them."""
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()
