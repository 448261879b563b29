"""Endpoints that read: search, documents, passages, traces."""

from __future__ import annotations

from functools import partial
from typing import Any

from starlette.responses import JSONResponse, Response

from remit.corpus.document import Revision
from remit.corpus.store import Row
from remit.serve.http import bodies, replies
from remit.serve.http.endpoint import Call, Endpoint
from remit.serve.identity.caller import Role
from remit.serve.service.documents import Shown
from remit.serve.shown import found_json, recorded_json


async def search(call: Call) -> Response:
    """Return the best passages."""
    body: bodies.SearchBody = call.body
    found = await call.service.search(call.caller, body.query, k=body.k, as_of=body.as_of)
    return JSONResponse(found_json(found))


async def documents(call: Call) -> Response:
    """Return a page of documents."""
    query: bodies.DocumentsQuery = call.query
    listed = partial(call.service.documents.listed, call.caller, after=query.after, limit=query.limit)
    page = await call.service.read(listed)
    return JSONResponse({"documents": [_document(shown) for shown in page.documents], "after": page.after})


async def document(call: Call) -> Response:
    """Return a document, and the text of the revision that is asked for."""
    name, query = call.path("document"), call.query
    shown = await call.service.read(partial(call.service.documents.one, call.caller, name))
    text = None
    if query.revision is not None:
        text = await call.service.read(partial(call.service.documents.text, call.caller, f"{name}@{query.revision}"))
        shown = shown._replace(revisions=tuple(one for one in shown.revisions if one.revision == query.revision))
    return JSONResponse({**_document(shown), "text": text})


async def passage(call: Call) -> Response:
    """Return a passage."""
    row = await call.service.read(partial(call.service.documents.passage, call.caller, call.path("passage")))
    return JSONResponse(passage_json(row))


async def traces(call: Call) -> Response:
    """Return a page of traces."""
    query: bodies.TracesQuery = call.query
    listed = partial(
        call.service.traces.listed, call.caller, everyone=query.everyone, before=query.before, limit=query.limit
    )
    page = await call.service.read(listed)
    return JSONResponse({"traces": [one._asdict() for one in page.traces], "before": page.before})


async def trace(call: Call) -> Response:
    """Return a trace, and what a person decided since."""
    id, service = call.path("trace"), call.service
    recorded = await service.read(partial(service.traces.read, call.caller, id))
    resolved = await service.read(partial(service.reviews.resolution, call.caller, id))
    told = None
    if resolved is not None:
        told = {**resolved._asdict(), "citations": [one.model_dump(mode="json") for one in resolved.citations]}
    return JSONResponse({**recorded_json(recorded), "resolution": told})


async def me(call: Call) -> Response:
    """Return who calls."""
    principal, roles = call.caller.principal, sorted(call.caller.roles)
    return JSONResponse({"principal": principal.id, "groups": list(principal.groups), "roles": roles})


def passage_json(row: Row) -> dict[str, Any]:
    """Return a passage as it is shown."""
    passage, source = row
    return {
        "passage": passage.id,
        "document": passage.document,
        "revision": passage.revision,
        "title": source.title,
        "section": list(passage.section),
        "start": passage.start,
        "end": passage.end,
        "text": passage.text,
    }


def _document(shown: Shown) -> dict[str, Any]:
    return {"document": shown.document, "revisions": [_revision(one) for one in shown.revisions]}


def _revision(one: Revision) -> dict[str, Any]:
    data = one.model_dump(mode="json", exclude={"document", "source"})
    labels, applies = sorted(one.labels), {key: list(values) for key, values in one.applies_to}
    return {**data, "labels": labels, "applies_to": applies}


ENDPOINTS = (
    Endpoint(
        "POST",
        "/v1/search",
        search,
        Role.READ,
        "Find passages among what the caller may read",
        body=bodies.SearchBody,
        returns=replies.SearchReply,
    ),
    Endpoint(
        "GET",
        "/v1/documents",
        documents,
        Role.READ,
        "List the documents that the caller may read",
        query=bodies.DocumentsQuery,
        returns=replies.DocumentsReply,
    ),
    Endpoint(
        "GET",
        "/v1/documents/{document:path}",
        document,
        Role.READ,
        "Show a document's revisions, and the text of one",
        query=bodies.RevisionQuery,
        returns=replies.DocumentReply,
    ),
    Endpoint(
        "GET",
        "/v1/passages/{passage:path}",
        passage,
        Role.READ,
        "Show a passage",
        returns=replies.PassageReply,
    ),
    Endpoint(
        "GET",
        "/v1/traces",
        traces,
        Role.READ,
        "List the questions that the caller asked",
        query=bodies.TracesQuery,
        returns=replies.TracesReply,
    ),
    Endpoint(
        "GET",
        "/v1/traces/{trace}",
        trace,
        Role.READ,
        "Show how a question was decided",
        returns=replies.TraceReply,
    ),
    Endpoint("GET", "/v1/me", me, Role.READ, "Say who the token proves", returns=replies.MeReply),
)
