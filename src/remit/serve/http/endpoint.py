"""One endpoint: its place, who may call it, what it takes. One function does what is common to them all, in one order."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, Protocol

from pydantic import BaseModel, ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from remit.errors import InvalidInput
from remit.serve.http.problem import Refusal, Where, answered, problem, response
from remit.serve.identity.caller import Caller, Role
from remit.serve.service.service import Service

_BEARER: Final = "bearer "
_SMALL: Final = 1 << 20
CLIENT_GONE: Final = 499
_log = logging.getLogger("remit.serve")


class Call(NamedTuple):
    """A request that has passed the gate: who calls, and what they sent, checked."""

    request: Request
    service: Service
    caller: Caller
    body: Any
    query: Any

    def path(self, name: str) -> str:
        """Return a part of the path."""
        return str(self.request.path_params[name])


Handle = Callable[[Call], Awaitable[Response]]


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A row of the table. `role` None: open to whoever can reach the service; whoever has `or_role` may call it as well.

    `returns` describes the answer in OpenAPI.
    """

    method: str
    path: str
    handle: Handle
    role: Role | None
    summary: str
    or_role: Role | None = None
    body: type[BaseModel] | None = None
    query: type[BaseModel] | None = None
    returns: type[BaseModel] | None = None
    status: int = 200
    media_type: str = "application/json"
    streams: bool = False
    large: bool = False
    also: tuple[int, ...] = ()


class _Problems(Protocol):
    def errors(self, *, include_url: bool, include_context: bool, include_input: bool) -> list[Any]:
        """Return what pydantic found."""


async def serve(endpoint: Endpoint, request: Request, service: Service) -> Response:
    """Return the answer of an endpoint: identity first, then role, rate, size and form, then the work."""
    began = time.monotonic()
    caller: Caller | None = None
    try:
        if endpoint.role is None:
            made = await endpoint.handle(Call(request, service, service.nobody, None, None))
        else:
            caller = await service.identified(bearer(request))
            service.admit(caller, endpoint.role, endpoint.or_role)
            call = Call(request, service, caller, await _body(endpoint, request, service), _query(endpoint, request))
            made = await endpoint.handle(call)
    except ClientDisconnect:
        made = Response(status_code=CLIENT_GONE)
    except Exception as error:  # noqa: BLE001 - the boundary of the service: whatever broke is a problem, never a traceback
        made = answered(error)
    report(service, endpoint.method, endpoint.path, made.status_code, time.monotonic() - began, caller)
    return made


def report(service: Service, method: str, route: str, status: int, seconds: float, caller: Caller | None) -> None:
    """Count a request and log it: the route's pattern, never the path, which could name a document."""
    service.metrics.answered(method, route, status, seconds)
    _log.info(
        "request",
        extra={
            "method": method,
            "route": route,
            "status": status,
            "seconds": round(seconds, 4),
            "principal": caller.principal.id if caller else None,
            "source": caller.source if caller else None,
        },
    )


def bearer(request: Request) -> str | None:
    """Return the bearer token of a request; None where it carries no authorization at all.

    Raises:
        Refusal: it carries another kind, or several.
    """
    said = request.headers.getlist("authorization")
    if not said:
        return None
    if len(said) > 1 or not said[0].lower().startswith(_BEARER):
        raise Refusal(401, "unauthorized", "send one `Authorization: Bearer ...` header")
    return said[0][len(_BEARER) :].strip()


async def read_body(request: Request, most: int) -> bytes:
    """Return the body of a request, which is not read further than `most` bytes.

    Raises:
        Refusal: it is larger.
    """
    too_large = Refusal(413, "too-large", f"at most {most} bytes are read")
    said = request.headers.get("content-length", "0")
    if said.isascii() and said.isdigit() and int(said) > most:
        raise too_large
    got = bytearray()
    async for chunk in request.stream():
        got += chunk
        if len(got) > most:
            raise too_large
    return bytes(got)


def checked(model: type[BaseModel], data: object) -> Any:
    """Return data as a model.

    Raises:
        Refusal: with a line for each field that is wrong.
        InvalidInput: the data is no object.
    """
    if not isinstance(data, Mapping):
        raise InvalidInput("want a JSON object")
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise Invalid(error) from error


class Invalid(Refusal):
    """A request whose fields are wrong."""

    def __init__(self, error: _Problems) -> None:
        found = error.errors(include_url=False, include_context=False, include_input=False)
        wheres = tuple(Where(field=".".join(map(str, one["loc"])), error=str(one["msg"])) for one in found)
        first = wheres[0]
        detail = f"{first.field}: {first.error}" if first.field else first.error
        super().__init__(422, "invalid-input", detail)
        self.problem = problem(422, "invalid-input", detail, wheres)


async def _body(endpoint: Endpoint, request: Request, service: Service) -> Any:
    if endpoint.body is None:
        return None
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise Refusal(415, "unsupported-media-type", "send `Content-Type: application/json`")
    if request.headers.get("content-encoding", "identity").strip().lower() not in {"", "identity"}:
        raise Refusal(415, "unsupported-media-type", "send the body as it is: no `Content-Encoding` is read")
    most = service.settings.writes_megabytes * _SMALL * 4 // 3 + _SMALL if endpoint.large else _SMALL
    raw = await read_body(request, most)
    # A large body takes long to read: others are served meanwhile.
    return await run_in_threadpool(_parsed, endpoint.body, raw) if endpoint.large else _parsed(endpoint.body, raw)


def _parsed(form: type[BaseModel], raw: bytes) -> Any:
    try:
        data = json.loads(raw.decode("utf-8"), parse_constant=_no_number, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        raise Refusal(400, "malformed", "the body is no JSON in UTF-8") from error
    return checked(form, data)


def _query(endpoint: Endpoint, request: Request) -> Any:
    """Return the query, in which each name may stand once, and none that the endpoint does not know."""
    pairs = request.query_params.multi_items()
    data: Mapping[str, str] = dict(pairs)
    if len(data) < len(pairs):
        raise InvalidInput("a name stands twice in the query")
    if endpoint.query is None:
        if data:
            raise InvalidInput(f"{next(iter(data))!a}: this endpoint takes no query")
        return None
    return checked(endpoint.query, data)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object in which no name stands twice: who reads the first one and who the last would not agree."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise InvalidInput("a name stands twice in an object of the body")
    return found


def _no_number(text: str) -> None:
    raise ValueError(f"{text} is no number of JSON")


def problem_response(status: int, name: str, detail: str) -> Response:
    """Return a problem of a kind as a response."""
    return response(problem(status, name, detail))
