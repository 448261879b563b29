"""The port to a database that holds the record: transactions, and SQL in them.

The SQL of `sql_read`, `sql_write` and their neighbours is written once, for SQLite. What another database says otherwise
(see `postgres_session`) is a handful of words, and its own side translates them; so SQLite pays nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from threading import Lock
from typing import Any, Protocol


class Rows(Protocol):
    """What a statement gave back."""

    @property
    def rowcount(self) -> int:
        """Return how many rows it changed."""

    def fetchone(self) -> Any:
        """Return the next row, None after the last one."""

    def fetchall(self) -> list[Any]:
        """Return the rows that are left."""

    def __iter__(self) -> Iterator[Any]:
        """Yield the rows that are left."""


class Session(Protocol):
    """An open transaction. Parameters are ``?`` in order, or ``:name``; a list is JSON, read as ``json_each(:name)``."""

    def execute(self, sql: str, parameters: Any = ..., /) -> Rows:
        """Return the rows of a statement."""

    def executemany(self, sql: str, parameters: Iterable[Any], /) -> object:
        """Run a statement once for each set of parameters."""


class Looked:
    """Up to which state of the record its rows were looked through, and the fault that ended that; see `soundness`."""

    def __init__(self) -> None:
        self.number = -1
        self.fault: str | None = None
        self.lock = Lock()


class Sessions(Protocol):
    """Transactions on one record. Threads may share them, and other processes may be at the same record."""

    looked: Looked

    def torn(self, connection: Any, tables: Iterable[str]) -> list[str]:
        """Return what the database itself finds wrong with some tables and their indexes, or with all where none is named.

        Nothing where it cannot say.
        """

    def reindex(self, connection: Any) -> None:
        """Make every index anew from its table, inside a write."""

    def reading(self) -> AbstractContextManager[Session]:
        """Lend a session inside one read transaction: every query in it sees the same committed state."""

    def writing(self) -> AbstractContextManager[Session]:
        """Lend a session inside one write transaction, the only one there is: committed at the end, or not at all."""

    def shorten_log(self) -> None:
        """Let go of what was deleted, as far as that is in the store's hands."""

    def can_hold(self, text: str) -> bool:
        """Say whether a text can stand in this record at all: one that cannot names nothing."""

    def close(self) -> None:
        """Close every connection that is not lent."""
