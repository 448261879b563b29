"""Pages that look: documents with a quotation highlighted, what was asked, how it was decided."""

from __future__ import annotations

from functools import partial

from starlette.responses import Response

from remit.errors import NothingThere
from remit.serve.web.marked import Piece, pieces
from remit.serve.web.page import Looking
from remit.serve.web.timeline import SETUP, concluded, timeline

_DIGITS = 12


async def documents(looking: Looking) -> Response:
    """Return a page of documents."""
    after = looking.query("after")
    page = await looking.service.read(partial(looking.service.documents.listed, looking.caller, after=after))
    return looking.show("documents.html", page=page)


async def document(looking: Looking) -> Response:
    """Return a document; with a revision its text, and in it the stretch that is asked for."""
    name, revision, service = looking.path("document"), looking.query("revision"), looking.service
    shown = await service.read(partial(service.documents.one, looking.caller, name))
    one, text = None, ""
    if revision:
        text = await service.read(partial(service.documents.text, looking.caller, f"{name}@{revision}"))
        one = next((each for each in shown.revisions if each.revision == revision), None)
        if one is None:
            raise NothingThere("no such revision that you may read")
    start, end = (_number(looking.query(name)) for name in ("start", "end"))
    return looking.show("document.html", shown=shown, one=one, pieces=_begun(pieces(text, [(start, end)])))


async def traces(looking: Looking) -> Response:
    """Return a page of questions that were asked."""
    everyone, before = bool(looking.query("everyone")), looking.query("before")
    listed = partial(looking.service.traces.listed, looking.caller, everyone=everyone, before=before)
    return looking.show("traces.html", page=await looking.service.read(listed), everyone=everyone)


async def trace(looking: Looking) -> Response:
    """Return how a question was decided, step by step."""
    id, service = looking.path("trace"), looking.service
    recorded = await service.read(partial(service.traces.read, looking.caller, id))
    resolution = await service.read(partial(service.reviews.resolution, looking.caller, id))
    steps = [step for step in timeline(recorded.entries) if step.rows]
    kinds = {entry.kind for entry in recorded.entries}
    return looking.show(
        "trace.html",
        recorded=recorded,
        resolution=resolution,
        concluded=concluded(recorded.entries),
        steps=[step for step in steps if step.name != SETUP],
        setup=next((step for step in steps if step.name == SETUP), None),
        closed=recorded.state == "closed" and "Decision" not in kinds,
    )


def _begun(shown: list[Piece]) -> list[Piece]:
    """Return the pieces without the empty lines that a text begins with."""
    first = shown[:1]
    return [one._replace(text=one.text.lstrip("\n")) for one in first] + shown[1:]


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _DIGITS else 0
