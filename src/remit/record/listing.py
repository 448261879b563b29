"""The journal, newest first: which questions were asked, by whom, and where each one stands."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from remit.errors import CorpusDamaged

_ROWS = """SELECT trace, asker, question, opened.at, closed.at FROM opened LEFT JOIN closed USING (trace)
    WHERE (:asker IS NULL OR asker = :asker) AND (opened.at, trace) < (:at, :trace) AND opened.at >= :since
    ORDER BY opened.at DESC, trace DESC LIMIT :limit"""
_LATEST = ("\U0010ffff", "")


class Opened(NamedTuple):
    """A question that was asked; `closed_at` is None where it runs still, or was killed."""

    trace: str
    asker: str
    question: str
    opened_at: str
    closed_at: str | None

    @property
    def mark(self) -> str:
        """Return where a page that follows this row begins."""
        return f"{self.opened_at} {self.trace}"


def listed(
    journal: Path, *, asker: str | None = None, before: str = "", since: str = "", limit: int = 50
) -> tuple[Opened, ...]:
    """Return what was asked, newest first: by one asker or by all, and what precedes the mark `before`."""
    if not journal.exists():
        return ()
    at, _, trace = before.partition(" ")
    at, trace = (at, trace) if before else _LATEST
    given = {"asker": asker, "at": at, "trace": trace, "since": since, "limit": limit}
    try:
        return tuple(Opened(*row) for row in _rows(journal, given))
    except sqlite3.DatabaseError as error:
        raise CorpusDamaged(f"{journal}: {error}; restore a backup") from error


def _rows(journal: Path, given: Mapping[str, object]) -> Iterator[tuple[str, str, str, str, str | None]]:
    with closing(sqlite3.connect(f"{journal.absolute().as_uri()}?mode=ro", uri=True, timeout=30)) as connection:
        yield from connection.execute(_ROWS, given)
