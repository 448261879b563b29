"""Endpoints of the queues: take an item, give a verdict, make a correction."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from starlette.responses import JSONResponse, Response

from remit.record.review import State
from remit.serve.http import bodies, replies
from remit.serve.http.endpoint import Call, Endpoint
from remit.serve.http.number import whole
from remit.serve.identity.caller import Role
from remit.serve.service.reviews import Entry, Side


async def queue(call: Call) -> Response:
    """Return a page of a queue."""
    query: bodies.QueueQuery = call.query
    listed = partial(
        call.service.reviews.listed,
        call.caller,
        query.queue,
        settled=query.settled,
        after=query.after,
        limit=query.limit,
    )
    page = await call.service.read(listed)
    return JSONResponse({"items": [_entry(entry) for entry in page.entries], "after": page.after})


async def item(call: Call) -> Response:
    """Return an item to work on."""
    opened = await call.service.read(partial(call.service.reviews.one, call.caller, _number(call)))
    shown = {
        **_entry(Entry(opened.waiting, opened.state)),
        "sources": [_side(side) for side in opened.sides],
        "verdicts": [given.model_dump(mode="json", exclude={"kind"}) for given in opened.verdicts],
        "lease": opened.lease,
    }
    return JSONResponse(shown)


async def gaps(call: Call) -> Response:
    """Return what the corpus lacks."""
    found = await call.service.read(partial(call.service.reviews.gaps, call.caller))
    return JSONResponse({"gaps": [{"fact": gap.fact, "items": list(gap.items)} for gap in found]})


async def claim(call: Call) -> Response:
    """Take an item."""
    state = await call.service.read(partial(call.service.reviews.claim, call.caller, _number(call)))
    return JSONResponse(_state(call, state))


async def release(call: Call) -> Response:
    """Give an item back."""
    work = partial(call.service.reviews.release, call.caller, _number(call), call.query.lease)
    return JSONResponse(_state(call, await call.service.read(work)))


async def give(call: Call) -> Response:
    """Give a verdict."""
    body: bodies.VerdictBody = call.body
    work = partial(call.service.reviews.give, call.caller, _number(call), body.lease, body.verdict)
    return JSONResponse(_state(call, await call.service.read(work)))


async def correct(call: Call) -> Response:
    """Make the correction an item was settled with, or refuse to."""
    body: bodies.CorrectionBody = call.body
    call.service.admit(call.caller, Role.WRITE)
    work = partial(call.service.reviews.apply, call.caller, _number(call), done=body.make, why=body.why)
    return JSONResponse(_state(call, await call.service.write(work)))


def _number(call: Call) -> int:
    return whole(call.path("item"))


def _entry(entry: Entry) -> dict[str, Any]:
    return {**entry.waiting.as_json(), "stand": entry.state.stand, "version": entry.state.version}


def _side(side: Side) -> dict[str, Any]:
    return {**side.source._asdict(), "text": None if side.row is None else side.row.passage.text}


def _state(call: Call, state: State) -> dict[str, Any]:
    held = state.held(call.service.remit.now())
    lease = next((one.version for one in held if one.by == call.caller.principal.id), None)
    return {"item": _number(call), "stand": state.stand, "version": state.version, "lease": lease}


_ITEM: Final = "/v1/review/{item:number}"
ENDPOINTS = (
    Endpoint(
        "GET",
        "/v1/review",
        queue,
        Role.REVIEW,
        "List the items of a queue",
        or_role=Role.AUDIT,
        query=bodies.QueueQuery,
        returns=replies.QueueReply,
    ),
    Endpoint(
        "GET",
        "/v1/gaps",
        gaps,
        Role.REVIEW,
        "Show what the corpus lacks, by fact",
        or_role=Role.AUDIT,
        returns=replies.GapsReply,
    ),
    Endpoint(
        "GET",
        _ITEM,
        item,
        Role.REVIEW,
        "Show an item with its sources",
        or_role=Role.AUDIT,
        returns=replies.OpenedItemReply,
    ),
    Endpoint(
        "POST",
        f"{_ITEM}/lease",
        claim,
        Role.REVIEW,
        "Take an item for a while",
        returns=replies.StateReply,
        also=(409,),
    ),
    Endpoint(
        "DELETE",
        f"{_ITEM}/lease",
        release,
        Role.REVIEW,
        "Give an item back",
        query=bodies.LeaseQuery,
        returns=replies.StateReply,
        also=(409,),
    ),
    Endpoint(
        "POST",
        f"{_ITEM}/verdict",
        give,
        Role.REVIEW,
        "Give a verdict under a lease",
        body=bodies.VerdictBody,
        returns=replies.StateReply,
        also=(409,),
    ),
    Endpoint(
        "POST",
        f"{_ITEM}/correction",
        correct,
        Role.REVIEW,
        "Make a proposed correction, with the right to write; or refuse it",
        body=bodies.CorrectionBody,
        returns=replies.StateReply,
        also=(409,),
    ),
)
