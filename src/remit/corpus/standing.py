"""How a revision stands at a date: in force, or set aside and why. Pure.

Superseding is kept as it was said (`supersedes` on the new revision) and worked out here for the date asked about, so
that the order of arrival does not matter and a revision that starts in the future closes nothing today. A draft closes
nothing; a withdrawn or deleted revision goes on closing what it had replaced, so that obsolete text never comes back by
itself.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import NamedTuple

from remit.corpus.document import Revision


class Closing(NamedTuple):
    """`target` (``document@revision``) is replaced from `start` on."""

    target: str
    start: date


def first_closings(closings: Iterable[Closing]) -> dict[str, date]:
    """Return for each target the first day on which it is replaced."""
    first: dict[str, date] = {}
    for target, start in closings:
        first[target] = min(start, first.get(target, start))
    return first


def closed(revision: Revision, start: date | None) -> Revision:
    """Return the revision with its validity ended where another replaces it from `start` on."""
    if start is None or (revision.valid_to is not None and revision.valid_to <= start):
        return revision
    return revision.model_copy(update={"valid_to": start})


def set_aside(revision: Revision, start: date | None, at: date) -> str | None:
    """Return why a revision does not hold `at` a date, or None where it does (or may: undated ones are not judged here).

    `revision` is as declared; `start` is the day from which another replaces it.
    """
    if revision.status in {"draft", "withdrawn"}:
        return revision.status
    end = closed(revision, start).valid_to
    if start is not None and start <= at:
        return "superseded"
    if end is not None and end <= at:
        return "superseded" if revision.status == "superseded" else "expired"
    if revision.status == "superseded" and end is None:
        return "superseded"
    if revision.valid_from is not None and at < revision.valid_from:
        return "future"
    return None


def standing(revision: Revision, start: date | None, at: date) -> Revision:
    """Return the revision as it stands `at` a date: validity closed by what replaces it, status of that day."""
    reason = set_aside(revision, start, at)
    shown = closed(revision, start)
    if reason == "superseded":
        return shown.model_copy(update={"status": "superseded"})
    if reason is None and revision.status == "superseded":
        return shown.model_copy(update={"status": "current"})
    return shown
