"""Queues: what a decision left for a person to pick up, as the journal keeps it."""

from __future__ import annotations

import json
from typing import Final, Literal, NamedTuple

from remit.decide.decision import Queue

QUEUES: Final[tuple[Queue, ...]] = ("review_items", "access_requests", "corpus_gaps", "open_clarifications")

Handling = Literal["answered", "settled", "withdrawn"]
"""How an item came off its queue: a later question answered it, a person settled it, or it fell away."""

TABLES: Final = (
    """CREATE TABLE handled (
        item INTEGER PRIMARY KEY REFERENCES queued (number), how TEXT NOT NULL, who TEXT NOT NULL, trace TEXT, at TEXT NOT NULL
    ) STRICT""",
    *(
        f"CREATE TRIGGER handled_stays_{verb.lower()} BEFORE {verb} ON handled "
        "BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END"
        for verb in ("UPDATE", "DELETE")
    ),
)
"""What the journal's second schema adds: that an item was handled, written beside it and never changed."""

SELECT: Final = """SELECT number, queued.trace, queue, action, reason, missing, queued.at, asker, question,
        how, who, handled.trace, handled.at
    FROM queued JOIN opened ON opened.trace = queued.trace LEFT JOIN handled ON item = number"""


class Handled(NamedTuple):
    """How an item came off its queue, by whom, and the trace of the question that did it, if one did."""

    how: str
    who: str
    trace: str | None
    at: str


class Item(NamedTuple):
    """One thing for a person: the trace that left it, why, what is missing, who asked what; None while it waits."""

    number: int
    trace: str
    queue: str
    action: str
    reason: str
    missing: tuple[str, ...]
    at: str
    asker: str
    question: str
    handled: Handled | None = None

    @classmethod
    def of(cls, row: tuple[object, ...]) -> Item:
        """Return the item of a row of `SELECT`."""
        number, trace, queue, action, reason, missing, at, asker, question, *handled = row
        how, who, by, when = (None if value is None else str(value) for value in handled)
        return cls(
            int(str(number)),
            str(trace),
            str(queue),
            str(action),
            str(reason),
            tuple(json.loads(str(missing))),
            str(at),
            str(asker),
            str(question),
            None if how is None or who is None or when is None else Handled(how, who, by, when),
        )
