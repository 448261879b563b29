"""What is sent, as the service checks it and OpenAPI shows it. No body says who somebody is."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from remit.record.review import Verdict
from remit.serve.http.number import HIGHEST

Text = Annotated[str, Field(max_length=20_000)]
Short = Annotated[str, Field(max_length=500)]
Limit = Annotated[int, Field(ge=1, le=200)]


class Body(BaseModel):
    """A body or a query: unknown fields are refused, and a text is no number."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class AskBody(Body):
    """A question. `seconds` is how long the asker will wait; `stream` sends events instead of one JSON object."""

    question: Text
    as_of: date | None = None
    parameters: Annotated[dict[Short, Short], Field(max_length=50)] = {}
    collections: Annotated[list[Short], Field(max_length=50)] = []
    revision: Short | None = None
    language: Annotated[str, Field(pattern="^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$")] | None = None
    seconds: Annotated[float, Field(gt=0, le=3600)] | None = None
    stream: bool = False


class SearchBody(Body):
    """A search among what the caller may read."""

    query: Text
    k: Annotated[int, Field(ge=1, le=1000)] = 10
    as_of: date | None = None


class DocumentsQuery(Body):
    """Which page of the documents."""

    after: Short = ""
    limit: Limit = 50


class DocumentBody(Body):
    """A document to store: its `name` says by its suffix what it is; what is said here counts before what the file says."""

    name: Annotated[str, Field(min_length=1, max_length=300)]
    text: str | None = None
    base64: str | None = None
    document: Short | None = None
    revision: Short | None = None
    title: Short | None = None
    collection: Short | None = None
    labels: list[Short] | None = None
    status: Literal["draft", "current", "superseded", "withdrawn"] | None = None
    valid_from: date | None = None
    valid_to: date | None = None
    supersedes: list[Short] | None = None
    authority: Literal["authoritative", "informative"] | None = None
    applies_to: dict[Short, list[Short]] | None = None
    language: Short | None = None


class RevisionQuery(Body):
    """Which revision; left out: all of them."""

    revision: Short | None = None


class AmendBody(Body):
    """What to say anew of a revision: labels, collection, status, valid_from, valid_to, supersedes, authority, applies_to."""

    revision: Short
    changes: Annotated[dict[Short, JsonValue], Field(min_length=1, max_length=20)]


class TracesQuery(Body):
    """Which page of the traces; `everyone` is the auditor's."""

    before: Short = ""
    limit: Limit = 50
    everyone: bool = False


class QueueQuery(Body):
    """Which page of which queue."""

    queue: Short = "review_items"
    settled: bool = False
    after: Annotated[int, Field(ge=0, le=HIGHEST)] = 0
    limit: Limit = 50


class LeaseQuery(Body):
    """Which lease to give back."""

    lease: Annotated[int, Field(ge=1, le=HIGHEST)]


class VerdictBody(Body):
    """A verdict, under a lease that the caller holds."""

    lease: Annotated[int, Field(ge=1, le=HIGHEST)]
    verdict: Verdict


class CorrectionBody(Body):
    """Whether to make the correction an item was settled with."""

    make: bool
    why: Annotated[str, Field(max_length=2000)] = ""
