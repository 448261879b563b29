"""The six decisions."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from remit.contract.value import Value


class Action(StrEnum):
    """What is done with a question. `RETRIEVE_AGAIN` goes on; the other five end it."""

    ANSWER = "answer"
    RETRIEVE_AGAIN = "retrieve_again"
    CLARIFY = "clarify"
    REVIEW = "review"
    ABSTAIN = "abstain"
    DENY = "deny"


Reason = Literal[
    "supported",
    "new_plan",
    "nothing_readable",
    "outside_scope",
    "access_unmeasured",
    "parameter_open",
    "revision_ambiguous",
    "sources_contradict",
    "nothing_found",
    "not_relevant",
    "fact_missing",
    "revision_not_established",
    "citation_unverified",
    "draft_differs",
    "not_applicable",
    "reading_unmeasured",
    "budget_exhausted",
    "changed_since",
    "part_failed",
    "not_answerable_from_readable",
]
Queue = Literal["review_items", "access_requests", "corpus_gaps", "open_clarifications"]


class Decision(Value):
    """One of six, with the reason a person can be told and what is missing. `queue` is where a person picks it up."""

    kind: Literal["decision"] = "decision"
    action: Action
    reason: Reason
    rule: int
    missing: tuple[str, ...] = ()
    queue: Queue | None = None
    point: str
