"""The page that asks: answer and citations, or the decision in plain words with what is missing and what was tried."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from functools import partial
from typing import Any

from starlette.responses import Response

from remit.errors import InvalidInput
from remit.observe.observation import Agreement
from remit.record.answered import Answered, Place
from remit.serve.http.asking import while_there
from remit.serve.service.asks import Question, new_trace
from remit.serve.web.page import Looking
from remit.serve.web.timeline import tried
from remit.serve.words import WHY


async def form(looking: Looking) -> Response:
    """Return the form."""
    return looking.show("ask.html", done=None)


async def answer(looking: Looking) -> Response:
    """Return the decision on the question that was sent."""
    sent, caller = looking.form, looking.caller
    parameters = _parameters(sent)
    question = Question(sent.get("question", ""), _day(sent.get("as_of", "")), parameters)
    trace = new_trace()
    work = looking.service.asks.ask(question, caller, trace=trace)
    done = await while_there(looking.request, work)
    plans: list[str] = []
    if not done.outcome.closed:
        plans = await looking.service.read(partial(_tried, looking, done.trace))
    return looking.show("ask.html", done=_shown(done, parameters, plans))


def _tried(looking: Looking, trace: str) -> list[str]:
    return tried(looking.service.remit.trace(trace, principal=looking.caller.principal).entries)


def _shown(done: Answered, parameters: Mapping[str, str], plans: list[str]) -> dict[str, Any]:
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
        "citations": [
            {**cited.model_dump(mode="json", context={"keep_text": True}), "place": _place(done, cited.passage)}
            for cited in outcome.citations
        ],
        "sides": list(_sides(done)),
        "tried": plans,
        "trace": done.trace,
    }


def _place(done: Answered, passage: str) -> str:
    name, _, _ = passage.rpartition("#")
    document, _, revision = name.rpartition("@")
    return str(done.places.get(passage) or Place(document, revision, "", ()))


def _sides(done: Answered) -> Iterator[dict[str, Any]]:
    """Yield the documents that contradict each other, where the outcome may name them."""
    seen = done.observation
    if done.outcome.closed or seen is None or not isinstance(seen.agreement, Agreement):
        return
    if str(done.outcome.shown.action) != "review":
        return
    for side in dict.fromkeys(side for conflict in seen.agreement.conflicts for side in conflict.sides):
        place = done.places.get(side.passage)
        title = place.title if place is not None else ""
        yield {
            "document": side.document,
            "revision": side.revision,
            "start": side.start,
            "end": side.end,
            "title": title,
            "quote": "",
        }


def _parameters(sent: Mapping[str, str]) -> dict[str, str]:
    found = {}
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
