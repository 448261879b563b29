"""Endpoints that change documents. What a caller may write is checked object by object."""

from __future__ import annotations

from functools import partial
from typing import Final

from starlette.responses import JSONResponse, Response

from remit.corpus.stated import stated
from remit.serve.http import bodies, replies
from remit.serve.http.endpoint import Call, Endpoint
from remit.serve.identity.caller import Role
from remit.serve.service.documents import Taken, content_of

_FILE: Final = frozenset({"name", "text", "base64"})


async def put(call: Call) -> Response:
    """Store the documents of a file."""
    body: bodies.DocumentBody = call.body
    said = stated(**body.model_dump(mode="json", exclude=set(_FILE)))

    def work() -> Taken:
        content = content_of(body.text, body.base64)
        return call.service.documents.put(call.caller, name=body.name, content=content, said=said)

    taken = await call.service.write(work)
    stored = [{"revision": one.revision, "effect": one.effect} for one in taken.stored]
    warnings = [{"line": one.line, "field": one.field, "error": one.error} for one in taken.warnings]
    return JSONResponse({"stored": stored, "warnings": warnings, "snapshot": taken.snapshot})


async def amend(call: Call) -> Response:
    """Say something else of a revision whose text stays."""
    body: bodies.AmendBody = call.body
    revision = f"{call.path('document')}@{body.revision}"
    stored = await call.service.write(partial(call.service.documents.amend, call.caller, revision, body.changes))
    return JSONResponse({"revision": stored.revision, "effect": stored.effect})


async def delete(call: Call) -> Response:
    """Hide a document, or one revision of it."""
    name, query = call.path("document"), call.query
    work = partial(call.service.documents.delete, call.caller, name, revision=query.revision)
    count = await call.service.write(work)
    return JSONResponse({"document": name, "deleted": count})


ENDPOINTS = (
    Endpoint(
        "POST",
        "/v1/documents",
        put,
        Role.WRITE,
        "Store a document, or a new revision of one",
        body=bodies.DocumentBody,
        returns=replies.TakenReply,
        large=True,
    ),
    Endpoint(
        "PATCH",
        "/v1/documents/{document:path}",
        amend,
        Role.WRITE,
        "Change what is said of a revision: labels, status, dates",
        body=bodies.AmendBody,
        returns=replies.StoredReply,
    ),
    Endpoint(
        "DELETE",
        "/v1/documents/{document:path}",
        delete,
        Role.WRITE,
        "Hide a document, or one revision of it, from every later request",
        query=bodies.RevisionQuery,
        returns=replies.DeletedReply,
    ),
)
