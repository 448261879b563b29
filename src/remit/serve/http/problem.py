"""Errors as problem details (RFC 9457). A problem names what to do; it never quotes what the caller may not read."""

from __future__ import annotations

import json
import logging
from math import ceil
from typing import Final

from starlette.responses import JSONResponse, Response

from remit.contract.value import Value
from remit.errors import (
    AccessFailed,
    Cancelled,
    CorpusDamaged,
    Fault,
    InvalidInput,
    MissingPrerequisite,
    NothingThere,
    ProviderFailed,
    RemitError,
)
from remit.record.review import Taken
from remit.serve.identity.caller import Refused
from remit.serve.service.pool import Overloaded
from remit.serve.service.rate import TooMany

MEDIA_TYPE: Final = "application/problem+json"
_WAIT_SECONDS: Final = 2
_log = logging.getLogger("remit.serve")


class Where(Value):
    """One thing that is wrong: the field, and why. Of a document that was sent, its file and line as well."""

    file: str | None = None
    line: int | None = None
    field: str
    error: str


class ChatError(Value):
    """The same as clients of chat completions expect it."""

    message: str
    type: str
    param: None = None
    code: None = None


class Problem(Value):
    """What went wrong with a request. `error` says it once more, for clients of chat completions."""

    type: str
    title: str
    status: int
    detail: str
    errors: tuple[Where, ...] = ()
    error: ChatError


class Refusal(Exception):
    """A request that goes no further, with what is answered."""

    def __init__(self, status: int, name: str, detail: str, *, headers: dict[str, str] | None = None) -> None:
        super().__init__(detail)
        self.problem = problem(status, name, detail)
        self.headers = headers or {}


_TITLES: Final = {
    "unauthorized": "Nobody is proved by this request",
    "forbidden": "You may not do this",
    "not-found": "There is no such thing that you may see",
    "method-not-allowed": "This cannot be done here",
    "not-acceptable": "No such form of answer",
    "conflict": "Somebody else was first",
    "too-large": "The request is too large",
    "unsupported-media-type": "The body has to be plain JSON",
    "malformed": "The body is no JSON",
    "invalid-input": "The request cannot be used",
    "too-many-requests": "Too many requests",
    "internal": "A part of the service failed",
    "provider-failed": "A model or an engine failed",
    "unavailable": "The service cannot do this now",
}
_KINDS: Final[tuple[tuple[type[RemitError], int, str], ...]] = (
    (Refused, 401, "unauthorized"),
    (AccessFailed, 403, "forbidden"),
    (NothingThere, 404, "not-found"),
    (Taken, 409, "conflict"),
    (InvalidInput, 422, "invalid-input"),
    (TooMany, 429, "too-many-requests"),
    (Overloaded, 503, "unavailable"),
    (Cancelled, 503, "unavailable"),
    (MissingPrerequisite, 503, "unavailable"),
    (CorpusDamaged, 503, "unavailable"),
    (ProviderFailed, 502, "provider-failed"),
)
"""The first kind that an error is says how it is answered."""

_KEPT_BACK: Final = frozenset({"internal", "provider-failed"})
CHALLENGE: Final = 'Bearer realm="remit"'


def problem(status: int, name: str, detail: str, errors: tuple[Where, ...] = ()) -> Problem:
    """Return a problem of a kind."""
    return Problem(
        type=f"urn:remit:problem:{name}",
        title=_TITLES[name],
        status=status,
        detail=detail,
        errors=errors,
        error=ChatError(message=detail, type=name),
    )


def problem_of(error: Exception) -> Problem:
    """Return how an error is told: in its own words where they were written for whoever asks, else in ours."""
    for kind, status, name in _KINDS:
        if isinstance(error, kind):
            # Whoever runs the service is told what is missing or damaged; whoever calls it learns that something is.
            own = name not in _KEPT_BACK and not isinstance(error, MissingPrerequisite | CorpusDamaged)
            detail = str(error) if own else "try again later; whoever runs the service finds the reason in its log"
            faults = error.faults if isinstance(error, InvalidInput) else ()
            return problem(status, name, detail, tuple(map(_where, faults)))
    return problem(500, "internal", "whoever runs the service finds the reason in its log")


def answered(error: Exception) -> Response:
    """Return the response to an error; what is the service's own fault is logged by type."""
    if isinstance(error, Refusal):
        return response(error.problem, error.headers)
    told = problem_of(error)
    if told.status >= 500 and not isinstance(error, Overloaded):  # noqa: PLR2004 - server errors
        _log.error("request failed", extra={"error": type(error).__name__, "cause": _said(error)})
    wait = ceil(error.seconds) if isinstance(error, TooMany) else _WAIT_SECONDS
    headers = {"retry-after": str(wait)} if told.status in {429, 503} else {}
    return response(told, headers)


def response(told: Problem, headers: dict[str, str] | None = None) -> Response:
    """Return a problem as a response."""
    challenge = {"www-authenticate": CHALLENGE} if told.status == 401 else {}  # noqa: PLR2004 - unauthorized
    return JSONResponse(told.model_dump(mode="json"), told.status, {**challenge, **(headers or {})}, MEDIA_TYPE)


def event(told: Problem) -> str:
    """Return a problem as the data of a server-sent event."""
    return json.dumps(told.model_dump(mode="json"), ensure_ascii=False)


def _said(error: Exception) -> str:
    """Return an error's own words where they are ours: anybody else's could quote a document."""
    return str(error) if isinstance(error, RemitError) else ""


def _where(fault: Fault) -> Where:
    return Where(file=fault.file, line=fault.line, field=fault.field or "", error=fault.error)
