"""The endpoint that asks: one JSON object, or events while the line runs; answer tokens only after the release decision."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Coroutine
from typing import Any, Final, NamedTuple, TypeVar

from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from remit.record.answered import Answered
from remit.serve.http import bodies, replies
from remit.serve.http.endpoint import Call, Endpoint
from remit.serve.http.problem import event, problem_of
from remit.serve.identity.caller import Role
from remit.serve.service.asks import Question, new_trace

T = TypeVar("T")
EVENT_STREAM: Final = "text/event-stream"
TRACE_HEADER: Final = "x-remit-trace"
_BEAT_SECONDS: Final = 10.0
_WORDS_A_PIECE: Final = 4


class Running(NamedTuple):
    """A question under way: its trace, the first stage and those that come (None: it has ended), and the task."""

    trace: str
    first: str | None
    stages: asyncio.Queue[str | None]
    task: asyncio.Task[Answered]


async def ask(call: Call) -> Response:
    """Return the decision on a question."""
    body: bodies.AskBody = call.body
    question = Question(
        body.question,
        body.as_of,
        body.parameters,
        body.seconds,
        collections=body.collections,
        revision=body.revision,
        language=body.language,
    )
    if body.stream or EVENT_STREAM in call.request.headers.get("accept", ""):
        running = await started(call, question)
        return streaming(_events(running), running)
    trace = new_trace()
    done = await while_there(call.request, call.service.asks.ask(question, call.caller, trace=trace))
    return JSONResponse(done.as_json(), headers={TRACE_HEADER: trace})


async def started(call: Call, question: Question) -> Running:
    """Return a question that has begun; what refuses it at once is raised here, before anything is sent."""
    stages: asyncio.Queue[str | None] = asyncio.Queue()
    trace = new_trace()
    work = call.service.asks.ask(question, call.caller, trace=trace, told=stages.put_nowait)
    task = asyncio.create_task(work)
    task.add_done_callback(lambda _: stages.put_nowait(None))
    try:
        first = await while_there(call.request, stages.get())
    except BaseException:
        task.cancel()
        raise
    if first is None:
        await task  # raises what went wrong
    return Running(trace, first, stages, task)


def streaming(pieces: AsyncIterator[str], running: Running) -> Response:
    """Return a stream of events; where its reader goes away the question is stopped."""

    async def watched() -> AsyncIterator[str]:
        try:
            async for piece in pieces:
                yield piece
        finally:
            running.task.cancel()

    headers = {"cache-control": "no-store", "x-accel-buffering": "no", TRACE_HEADER: running.trace}
    return StreamingResponse(watched(), media_type=EVENT_STREAM, headers=headers)


async def beats(running: Running) -> AsyncIterator[str | None]:
    """Yield each stage as it is reached, and None now and then while nothing happens."""
    if running.first is None:
        return
    yield running.first
    while True:
        try:
            stage = await asyncio.wait_for(running.stages.get(), _BEAT_SECONDS)
        except TimeoutError:
            yield None
            continue
        if stage is None:
            return
        yield stage


def pieces_of(text: str) -> list[str]:
    """Return a text in pieces of a few words, which together are the text."""
    words = text.split(" ")
    starts = range(0, len(words), _WORDS_A_PIECE)
    return [
        " ".join(words[at : at + _WORDS_A_PIECE]) + (" " if at + _WORDS_A_PIECE < len(words) else "") for at in starts
    ]


async def while_there(request: Request, work: Coroutine[Any, Any, T]) -> T:
    """Return what work gives; where the client goes away meanwhile, it is cancelled.

    Raises:
        ClientDisconnect: the client went away.
    """
    task, gone = asyncio.create_task(work), asyncio.create_task(_gone(request))
    try:
        await asyncio.wait({task, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise ClientDisconnect
        return task.result()
    finally:
        task.cancel()
        gone.cancel()


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def _events(running: Running) -> AsyncIterator[str]:
    yield _event("opened", {"trace": running.trace})
    async for stage in beats(running):
        yield ": still at it\n\n" if stage is None else _event("stage", {"stage": stage})
    error = running.task.exception()
    if error is not None:
        yield f"event: problem\ndata: {event(problem_of(error if isinstance(error, Exception) else RuntimeError()))}\n\n"
        return
    shown = running.task.result().as_json()
    yield _event("decision", {name: shown[name] for name in ("decision", "reason", "message")})
    for piece in pieces_of(shown["answer"]) if shown["answer"] is not None else ():
        yield _event("answer", {"text": piece})
    yield _event("done", shown)


def _event(name: str, data: dict[str, Any]) -> str:
    return f"event: {name}\ndata: {json.dumps(data, ensure_ascii=False, allow_nan=False)}\n\n"


ENDPOINTS = (
    Endpoint(
        "POST",
        "/v1/ask",
        ask,
        Role.READ,
        "Ask a question; get one of five decisions",
        body=bodies.AskBody,
        returns=replies.AskReply,
        streams=True,
    ),
)
