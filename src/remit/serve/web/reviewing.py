"""Pages of the queues: what waits, an item with its sources side by side, verdicts."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from starlette.responses import RedirectResponse, Response

from remit.corpus.document import Revision
from remit.errors import AccessFailed, InvalidInput
from remit.record.queues import Source
from remit.record.review import Answer, Correct, Decline, Quoted
from remit.serve.http.number import whole
from remit.serve.identity.caller import Role
from remit.serve.service.reviews import Side
from remit.serve.web.marked import Piece, pieces
from remit.serve.web.page import Looking
from remit.serve.words import WHY

TITLES: Final = {
    "review_items": "Contradictions",
    "access_requests": "Access",
    "corpus_gaps": "Gaps",
    "open_clarifications": "Clarifications",
}
_EXPLAINS: Final = {
    "review_items": "Approved documents contradict each other, or a part failed. A person settles what holds.",
    "access_requests": "Somebody asked about what they may not read. Its owner may give them access, or not.",
    "corpus_gaps": "Nothing readable establishes the answer. A document may be missing, or say too little.",
    "open_clarifications": "The answer depends on something the question leaves open. The asker says what, or gives up.",
}
_CHANGES: Final = ("status", "valid_to", "authority")


async def queue(looking: Looking) -> Response:
    """Return a page of a queue."""
    service, caller = looking.service, looking.caller
    if not (caller.may(Role.REVIEW) or caller.may(Role.AUDIT)):
        raise AccessFailed("this needs the role review")
    name, settled = looking.query("queue", "review_items"), bool(looking.query("settled"))
    listed = partial(service.reviews.listed, caller, name, settled=settled, after=whole(looking.query("after", "0")))
    page = await service.read(listed)
    gaps = await service.read(partial(service.reviews.gaps, caller)) if name == "corpus_gaps" and not settled else ()
    gaps = tuple(gap._replace(fact=WHY.get(gap.fact, gap.fact)) for gap in gaps)
    return looking.show(
        "queue.html", page=page, queue=name, settled=settled, titles=TITLES, explains=_EXPLAINS[name], gaps=gaps
    )


async def item(looking: Looking) -> Response:
    """Return an item."""
    service, caller = looking.service, looking.caller
    if not (caller.may(Role.REVIEW) or caller.may(Role.AUDIT)):
        raise AccessFailed("this needs the role review")
    opened = await service.read(partial(service.reviews.one, caller, _number(looking)))
    minutes = round(service.settings.review.lease_minutes)
    sides = [_shown(side) for side in opened.sides]
    return looking.show("item.html", opened=opened, sides=sides, titles=TITLES, minutes=minutes)


async def take(looking: Looking) -> Response:
    """Take an item."""
    number = _number(looking)
    await looking.service.read(partial(looking.service.reviews.claim, looking.caller, number))
    return RedirectResponse(f"/review/{number}#verdict", 303)


async def verdict(looking: Looking) -> Response:
    """Give a verdict, or the item back."""
    number, sent, reviews = _number(looking), looking.form, looking.service.reviews
    lease = whole(sent.get("lease", ""))
    if sent.get("kind") == "release":
        await looking.service.read(partial(reviews.release, looking.caller, number, lease))
    else:
        given = await looking.service.read(partial(_given, looking))
        await looking.service.read(partial(reviews.give, looking.caller, number, lease, given))
    return RedirectResponse(f"/review/{number}", 303)


async def correction(looking: Looking) -> Response:
    """Make a correction, or refuse to."""
    number = _number(looking)
    looking.service.admit(looking.caller, Role.WRITE)
    done = looking.form.get("make") == "yes"
    await looking.service.write(partial(looking.service.reviews.apply, looking.caller, number, done=done))
    return RedirectResponse(f"/review/{number}", 303)


def _given(looking: Looking) -> Answer | Correct | Decline:
    sent = looking.form
    match sent.get("kind"):
        case "answer":
            return Answer(
                text=sent.get("text", "").strip(), citations=(_quoted(looking),), why=sent.get("why", "").strip()
            )
        case "correct":
            changes: dict[str, Any] = {name: sent[name] for name in _CHANGES if sent.get(name, "").strip()}
            return Correct(revision=sent.get("revision", "").strip(), changes=changes, why=sent.get("why", "").strip())
        case "decline":
            return Decline(why=sent.get("why", "").strip())
        case _:
            raise InvalidInput("choose what to do with the item")


def _quoted(looking: Looking) -> Quoted:
    """Return the quotation that was copied into the form, or what the chosen source says where none was."""
    source, quote = (looking.form.get(name, "").replace("\r\n", "\n").strip() for name in ("source", "quote"))
    passage = looking.service.documents.passage(looking.caller, source).passage
    if not quote:
        opened = looking.service.reviews.one(looking.caller, _number(looking))
        quote = next((one.source.quote for one in opened.sides if one.source.passage == source), None) or ""
    at = passage.text.find(quote) if quote else -1
    if at < 0:
        raise InvalidInput("the quotation does not stand in that passage word for word: copy it from there")
    start, end = passage.start + at, passage.start + at + len(quote)
    return Quoted(document=passage.document, revision=passage.revision, start=start, end=end, quote=quote)


def _shown(side: Side) -> dict[str, Any]:
    """Return a side with its text cut at what it says."""
    revision: Revision | None = None if side.row is None else side.row.source
    return {"source": side.source, "revision": revision, "pieces": _pieces(side, side.source)}


def _pieces(side: Side, source: Source) -> list[Piece]:
    if side.row is None:
        return []
    passage = side.row.passage
    if source.start is None or source.end is None:
        return pieces(passage.text, [])
    return pieces(passage.text, [(source.start - passage.start, source.end - passage.start)])


def _number(looking: Looking) -> int:
    return whole(looking.path("item"))
