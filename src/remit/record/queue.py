"""Queues: what a decision left for a person to pick up."""

from __future__ import annotations

from typing import NamedTuple


class Item(NamedTuple):
    """One thing for a person: the trace that left it, why, and what is missing."""

    number: int
    trace: str
    queue: str
    action: str
    reason: str
    missing: tuple[str, ...]
    at: str
