"""The endpoint that clients of chat completions know. The last turn of the user is the question; nothing else is read.

The text can be read as it is: answer, citations, decision and reason. The same as data stands in `remit` beside `choices`;
in a stream it comes with the last chunk. No word of an answer is sent before its release was decided.
"""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator, Iterator
from datetime import date
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import JSONResponse, Response

from remit.errors import InvalidInput
from remit.record.answered import Answered, Place
from remit.serve.http import bodies, replies
from remit.serve.http.asking import TRACE_HEADER, Running, beats, pieces_of, started, streaming, while_there
from remit.serve.http.endpoint import Call, Endpoint
from remit.serve.http.problem import problem_of
from remit.serve.identity.caller import Role
from remit.serve.service.asks import Question, new_trace
from remit.serve.words import WHY

MODEL: Final = "remit"


class _Open(BaseModel):
    """Clients send much that Remit has no use for; it is not read, and nothing of it says who asks."""

    model_config = ConfigDict(extra="ignore", frozen=True, allow_inf_nan=False)


class Part(_Open):
    """A part of a message."""

    type: str
    text: bodies.Text = ""


class Turn(_Open):
    """A message."""

    role: Literal["system", "developer", "user", "assistant", "tool"]
    content: bodies.Text | Annotated[list[Part], Field(max_length=100)] | None = None


class Streaming(_Open):
    """Whether a last chunk tells the usage."""

    include_usage: bool = False


class Extension(bodies.Body):
    """What Remit takes beyond the protocol: a day to read the documents at, and what the question leaves open."""

    as_of: date | None = None
    parameters: dict[bodies.Short, bodies.Short] = Field(default_factory=dict, max_length=50)


class ChatBody(_Open):
    """A request for a completion."""

    messages: Annotated[list[Turn], Field(min_length=1, max_length=1000)]
    model: bodies.Short = MODEL
    stream: bool | None = False
    stream_options: Streaming | None = None
    n: Annotated[int, Field(ge=1, le=1)] | None = 1
    remit: Extension | None = None


class MessageReply(replies.Reply):
    """The reply's message."""

    role: Literal["assistant"]
    content: str


class ChoiceReply(replies.Reply):
    """The one choice there is."""

    index: int
    message: MessageReply
    finish_reason: Literal["stop"]


class ChatReply(replies.Reply):
    """A completion, with the decision and its citations in `remit`."""

    id: str
    object: Literal["chat.completion"]
    created: int
    model: str
    choices: list[ChoiceReply]
    usage: dict[str, int] | None = None
    remit: replies.AskReply


class ModelReply(replies.Reply):
    """The one model there is."""

    id: str
    object: Literal["model"]
    created: int
    owned_by: str


class ModelsReply(replies.Reply):
    """The models."""

    object: Literal["list"]
    data: list[ModelReply]


async def complete(call: Call) -> Response:
    """Return a completion, or a stream of its chunks."""
    body: ChatBody = call.body
    more = body.remit or Extension()
    question = Question(_asked(body.messages), more.as_of, more.parameters)
    if body.stream:
        running = await started(call, question)
        usage = body.stream_options is not None and body.stream_options.include_usage
        return streaming(_chunks(running, usage=usage), running)
    trace = new_trace()
    done = await while_there(call.request, call.service.asks.ask(question, call.caller, trace=trace))
    message = {"role": "assistant", "content": readable(done)}
    choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}
    shown = {**_head(trace, "chat.completion"), "choices": [choice], "usage": _usage(done), "remit": done.as_json()}
    return JSONResponse(shown, headers={TRACE_HEADER: trace})


async def models(call: Call) -> Response:
    """Return the one model there is."""
    model = {"id": MODEL, "object": "model", "created": 0, "owned_by": MODEL}
    return JSONResponse({"object": "list", "data": [model]})


def readable(done: Answered) -> str:
    """Return a decision as text: the answer with its citations, or what stands in its place and what is missing."""
    return "\n\n".join(_paragraphs(done))


def _paragraphs(done: Answered) -> Iterator[str]:
    outcome = done.outcome
    if outcome.answer is not None:
        yield f"{outcome.answer} {''.join(f'[{number}]' for number in range(1, len(outcome.citations) + 1))}"
    else:
        yield outcome.message
    for key, values in outcome.choices:
        yield f"{key}: {', '.join(values)}"
    for number, cited in enumerate(outcome.citations, start=1):
        place = done.places.get(cited.passage) or Place(cited.document, cited.revision, "", ())
        yield f"[{number}] {place}: “{cited.quote}”"
    yield f"Decision: {outcome.shown.action}. {WHY.get(outcome.shown.reason, outcome.shown.reason)}. Trace: {done.trace}"


def _asked(turns: list[Turn]) -> str:
    last = next((turn for turn in reversed(turns) if turn.role == "user"), None)
    if last is None or last.content is None:
        raise InvalidInput("messages: there is no turn of the user, so nothing is asked")
    if isinstance(last.content, str):
        return last.content
    if other := next((part.type for part in last.content if part.type != "text"), None):
        raise InvalidInput(f"messages: the question has a part {other[:40]!a}: only text is read, so send it without")
    return "\n".join(part.text for part in last.content)


async def _chunks(running: Running, *, usage: bool) -> AsyncIterator[str]:
    head = _head(running.trace, "chat.completion.chunk")
    yield _chunk({**head, "choices": [_delta({"role": "assistant", "content": ""})]})
    async for _ in beats(running):
        yield ": still at it\n\n"
    error = running.task.exception()
    if error is not None:
        told = problem_of(error if isinstance(error, Exception) else RuntimeError())
        yield _chunk({"error": {"message": told.detail, "type": told.type.rpartition(":")[2], "code": None}})
        return
    done = running.task.result()
    for piece in pieces_of(readable(done)):
        yield _chunk({**head, "choices": [_delta({"content": piece})]})
    yield _chunk({**head, "choices": [_delta({}, "stop")], "remit": done.as_json()})
    if usage:
        yield _chunk({**head, "choices": [], "usage": _usage(done)})
    yield "data: [DONE]\n\n"


def _head(trace: str, kind: str) -> dict[str, Any]:
    return {"id": f"chatcmpl-{trace}", "object": kind, "created": int(time.time()), "model": MODEL}


def _delta(delta: dict[str, str], finish: str | None = None) -> dict[str, Any]:
    return {"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}


def _chunk(data: dict[str, Any]) -> str:
    return f"data: {json.dumps(data, ensure_ascii=False, allow_nan=False)}\n\n"


def _usage(done: Answered) -> dict[str, int] | None:
    """Return the tokens of all model calls together; None where the outcome keeps that closed."""
    if done.budget is None or done.outcome.closed:
        return None
    # The ledger of the trace has prompts and replies apart; the protocol wants both, and their sum is what is charged.
    tokens = done.budget.used.tokens
    return {"prompt_tokens": tokens, "completion_tokens": 0, "total_tokens": tokens}


ENDPOINTS = (
    Endpoint(
        "POST",
        "/v1/chat/completions",
        complete,
        Role.READ,
        "Ask as clients of chat completions do",
        body=ChatBody,
        returns=ChatReply,
        streams=True,
    ),
    Endpoint("GET", "/v1/models", models, Role.READ, "List the one model there is", returns=ModelsReply),
)
