"""What people settled, for training: only where independent reviewers agree well enough, and with who vouched for each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from remit.errors import InvalidInput
from remit.measure.agreement import Agreement, agreement
from remit.record.journal import Journal
from remit.record.retention import REDACTED
from remit.record.review import State, content_of
from remit.record.reviewing import ReviewBook


class Overrides(NamedTuple):
    """How far the reviewers agreed, and what they settled."""

    agreed: Agreement
    rows: tuple[dict[str, Any], ...]


def overrides(journal: Journal, *, least_kappa: float, least_items: int) -> Overrides:
    """Return every item that was settled after two verdicts or more, where the reviewers agree well enough.

    Agreement is measured on the verdicts that were given independently, before any adjudication.

    Raises:
        InvalidInput: too few items have two verdicts, or the agreement on them is too low or undefined.
    """
    book = ReviewBook(journal.path)
    states = {number: book.state(number) for number in book.reviewed()}
    measured = agreement({number: _independent(state) for number, state in states.items()})
    if measured.items < least_items:
        raise InvalidInput(
            f"{measured.items} items have two independent verdicts, {least_items} are needed (review.least): nothing is exported"
        )
    if measured.kappa is None or measured.kappa < least_kappa:
        found = "not defined (all verdicts are the same)" if measured.kappa is None else f"{measured.kappa:.2f}"
        raise InvalidInput(
            f"the reviewers' mean kappa is {found}, at least {least_kappa:g} is needed (review.agreement): nothing is exported"
        )
    return Overrides(measured, tuple(_rows(journal, states)))


def _independent(state: State) -> dict[str, str]:
    return {given.authority.by: content_of(given.verdict) for _, given in state.verdicts if not given.adjudicates}


def _rows(journal: Journal, states: dict[int, State]) -> Iterator[dict[str, Any]]:
    for number, state in sorted(states.items()):
        if state.settled is None or len(_independent(state)) < 2:  # noqa: PLR2004 - one person agrees with nobody
            continue
        item = journal.item(number)
        if any(entry.kind == REDACTED for entry in journal.read(item.trace).entries):
            continue  # there is no question left to learn from
        yield {
            "item": number,
            "trace": item.trace,
            "question": item.question,
            "reason": item.reason,
            "stand": state.stand,
            "how": "adjudicated" if state.settled.adjudicates else "agreed",
            "verdict": state.settled.verdict.model_dump(mode="json"),
            "authority": [given.authority.model_dump(mode="json") for _, given in state.verdicts],
        }
