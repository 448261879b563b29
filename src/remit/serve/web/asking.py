"""The page that asks: answer and citations, or the decision in plain words with what is missing and what was tried."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from functools import partial
from typing import Any, Final
from urllib.parse import quote

from starlette.responses import RedirectResponse, Response

from remit.errors import InvalidInput
from remit.observe.observation import Agreement
from remit.record.answered import Answered, Place
from remit.serve.http.asking import while_there
from remit.serve.service.asks import Question, new_trace
from remit.serve.web.page import Looking
from remit.serve.web.session import Kept
from remit.serve.web.timeline import tried
from remit.serve.words import WHY

_GIVEN: Final = "given."
"""How the field of a form is called that says again what was said before."""


async def form(looking: Looking) -> Response:
    """Return the form."""
    return looking.show("ask.html", done=None)


async def answer(looking: Looking) -> Response:
    """Return the decision on the question that was sent."""
    sent, caller = looking.form, looking.caller
    parameters, as_of = _parameters(sent), _day(sent.get("as_of", ""))
    question = Question(sent.get("question", ""), as_of, parameters)
    trace = new_trace()
    work = looking.service.asks.ask(question, caller, trace=trace)
    done = await while_there(looking.request, work)
    plans: list[str] = []
    sides: list[dict[str, Any]] = []
    if not done.outcome.closed:
        plans = await looking.service.read(partial(_tried, looking, done.trace))
        sides = await looking.service.read(lambda: list(_sides(looking, done)))
    shown = _shown(done, parameters, as_of) | {"tried": plans, "sides": sides}
    if looking.session is None:
        return looking.show("ask.html", done=shown)
    kept = await looking.service.read(lambda: _kept(looking, shown))
    looking.pages.answers.keep(looking.session, done.trace, kept)
    return RedirectResponse(f"/ask/{done.trace}", 303)


async def again(looking: Looking) -> Response:
    """Return a decision that was shown in this session, while its reader may read what they might then; else its trace."""
    trace = looking.path("trace")
    kept = looking.pages.answers.get(looking.session, trace)
    if kept is None or not await looking.service.read(partial(_holds, looking, kept)):
        return RedirectResponse(f"/traces/{quote(trace, safe='')}", 303)
    return looking.show("ask.html", done=kept.shown)


def _kept(looking: Looking, shown: Mapping[str, Any]) -> Kept:
    remit = looking.service.remit
    return Kept(shown, remit.scope(looking.caller.principal), remit.snapshot().digest)


def _holds(looking: Looking, kept: Kept) -> bool:
    """Say whether rights are as they were, and each quotation stands where it stood; where none was shown, the whole corpus."""
    remit = looking.service.remit
    scope = remit.scope(looking.caller.principal)
    if scope != kept.scope:
        return False
    quoted = (*kept.shown["citations"], *kept.shown["sides"])
    stands = (
        (remit.corpus.text(f"{one['document']}@{one['revision']}", scope) or "")[one["start"] : one["end"]]
        == one["quote"]
        for one in quoted
    )
    return all(stands) if quoted else remit.snapshot().digest == kept.snapshot


def _tried(looking: Looking, trace: str) -> list[str]:
    return tried(looking.service.remit.trace(trace, principal=looking.caller.principal).entries)


def _shown(done: Answered, parameters: Mapping[str, str], as_of: date | None) -> dict[str, Any]:
    outcome = done.outcome
    return {
        "question": done.contract.question,
        "action": str(outcome.shown.action),
        "answer": outcome.answer,
        "message": outcome.message,
        "why": WHY.get(outcome.shown.reason, outcome.shown.reason),
        "missing": outcome.shown.missing,
        "choices": outcome.choices,
        "parameters": tuple(parameters.items()),
        "as_of": as_of,
        "citations": [
            {**cited.model_dump(mode="json", context={"keep_text": True}), "place": _place(done, cited.passage)}
            for cited in outcome.citations
        ],
        "trace": done.trace,
    }


def _place(done: Answered, passage: str) -> str:
    name, _, _ = passage.rpartition("#")
    document, _, revision = name.rpartition("@")
    return str(done.places.get(passage) or Place(document, revision, "", ()))


def _sides(looking: Looking, done: Answered) -> Iterator[dict[str, Any]]:
    """Yield the documents that contradict each other, with what they say, as far as the asker may read it now."""
    seen = done.observation
    if seen is None or not isinstance(seen.agreement, Agreement) or str(done.outcome.shown.action) != "review":
        return
    remit = looking.service.remit
    scope = remit.scope(looking.caller.principal)
    for side in dict.fromkeys(side for conflict in seen.agreement.conflicts for side in conflict.sides):
        place = done.places.get(side.passage)
        text = remit.corpus.text(f"{side.document}@{side.revision}", scope) or ""
        yield {
            "document": side.document,
            "revision": side.revision,
            "start": side.start,
            "end": side.end,
            "title": place.title if place is not None else "",
            "quote": text[side.start : side.end],
        }


def _parameters(sent: Mapping[str, str]) -> dict[str, str]:
    given = {name.removeprefix(_GIVEN): value for name, value in sent.items() if name.startswith(_GIVEN)}
    found = {name: value for name, value in given.items() if name and value}
    for text in (sent.get("parameter", ""), sent.get("choice", "")):
        key, sign, value = text.partition("=")
        if text.strip() and not (sign and key.strip() and value.strip()):
            raise InvalidInput(f"{text!r}: want key=value, such as equipment_revision=B")
        if text.strip():
            found[key.strip()] = value.strip()
    return found


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text) if text.strip() else None
    except ValueError as error:
        raise InvalidInput(f"{text!r} is no day; write it as in 2026-11-30") from error
