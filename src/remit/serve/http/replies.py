"""What comes back, as OpenAPI shows it."""

from __future__ import annotations

from datetime import date
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from remit.record.review import Quoted


class Reply(BaseModel):
    """What comes back."""

    model_config = ConfigDict(frozen=True)


class CitationReply(Reply):
    """A quotation and where it stands."""

    document: str
    revision: str
    passage: str
    start: int
    end: int
    quote: str
    digest: str


class AskReply(Reply):
    """A decision as its asker may see it; what an outcome keeps closed is null."""

    decision: Literal["answer", "clarify", "review", "abstain", "deny"]
    reason: str
    message: str
    answer: str | None
    citations: list[CitationReply]
    missing: list[str]
    observation: dict[str, Any] | None
    budget: dict[str, Any] | None
    snapshot: str | None
    trace: str
    rounds: int | None


class HitReply(Reply):
    """A passage that was found."""

    rank: int
    score: float
    document: str
    revision: str
    passage: str
    title: str
    section: str
    text: str


class SearchReply(Reply):
    """What was found, best first."""

    snapshot: str
    hits: list[HitReply]


class StoredReply(Reply):
    """What became of a document."""

    revision: str
    effect: Literal["new", "amended", "unchanged"]


class FaultReply(Reply):
    """Something doubtful about a file."""

    line: int | None
    field: str | None
    error: str


class TakenReply(Reply):
    """What became of a file."""

    stored: list[StoredReply]
    warnings: list[FaultReply]
    snapshot: str


class RevisionReply(Reply):
    """A revision as it is declared."""

    revision: str
    title: str
    collection: str
    labels: list[str]
    status: str | None
    valid_from: date | None
    valid_to: date | None
    supersedes: list[str]
    authority: str
    applies_to: dict[str, list[str]]
    language: str
    recorded_at: str
    digest: str


class DocumentReply(Reply):
    """A document's revisions, those that the caller may read; `text` where one was asked for."""

    document: str
    revisions: list[RevisionReply]
    text: str | None = None


class DocumentsReply(Reply):
    """A page of documents; `after` begins the next one."""

    documents: list[DocumentReply]
    after: str | None


class DeletedReply(Reply):
    """How many revisions are hidden now."""

    document: str
    deleted: int


class PassageReply(Reply):
    """A passage, and where it stands in its revision's text."""

    passage: str
    document: str
    revision: str
    title: str
    section: list[str]
    start: int
    end: int
    text: str


class OpenedReply(Reply):
    """A question that was asked."""

    trace: str
    asker: str
    question: str
    opened_at: str
    closed_at: str | None


class TracesReply(Reply):
    """A page of traces, newest first; `before` begins the next one."""

    traces: list[OpenedReply]
    before: str | None


class ResolutionReply(Reply):
    """What a person decided on a question."""

    kind: Literal["answered", "corrected", "declined"]
    message: str
    answer: str | None = None
    citations: list[Quoted] = []
    withheld: bool = False


class TraceReply(Reply):
    """What was recorded of a question, and what a person decided on it since."""

    trace: str
    state: Literal["closed", "unfinished"]
    asker: str
    question: str
    opened_at: str
    closed_at: str | None
    entries: list[dict[str, Any]]
    resolution: ResolutionReply | None


class SourceReply(Reply):
    """One side of what is at stake: where it stands, and the passage around it where the caller may read it."""

    document: str
    revision: str
    title: str
    section: list[str]
    passage: str
    start: int | None
    end: int | None
    quote: str | None
    text: str | None = None


class ItemReply(Reply):
    """An item of a queue, and where it stands."""

    number: int
    queue: str
    trace: str
    at: str
    asker: str
    question: str
    decision: str
    reason: str
    message: str | None
    missing: list[str]
    differs: list[str]
    sources: list[SourceReply]
    choices: dict[str, list[str]]
    handled: dict[str, Any] | None
    stand: Literal["open", "disputed", "answered", "corrected", "declined"]
    version: int


class GapReply(Reply):
    """A fact that the corpus did not establish, and the items whose questions needed it."""

    fact: str
    items: list[int]


class GapsReply(Reply):
    """What the corpus lacks, the fact that most questions needed first."""

    gaps: list[GapReply]


class QueueReply(Reply):
    """A page of a queue, oldest first; `after` begins the next one."""

    items: list[ItemReply]
    after: int | None


class OpenedItemReply(ItemReply):
    """An item to work on: its sources with their passages, the verdicts that the caller may know of, and their lease."""

    verdicts: list[dict[str, Any]]
    lease: int | None


class StateReply(Reply):
    """Where an item stands; `lease` is the caller's, where they hold one."""

    item: int
    stand: Literal["open", "disputed", "answered", "corrected", "declined"]
    version: int
    lease: int | None


class MeReply(Reply):
    """Who the token proves, and what they may do."""

    principal: str
    groups: list[str]
    roles: list[str]


class HealthReply(Reply):
    """Whether the service runs, or is ready."""

    status: Literal["ok", "not ready"]
    checks: dict[str, bool] = {}
