"""The application: the table of endpoints under one set of rules."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, nullcontext
from functools import partial
from importlib.metadata import version
from typing import Any, Final

from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from remit.serve.http import asking, chat, meta, openapi, reading, reviewing, writing
from remit.serve.http.endpoint import Call, Endpoint, serve
from remit.serve.http.problem import answered, problem, response
from remit.serve.service.service import Service

_HEADERS: Final = {
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
}
_NAMES: Final = {404: "not-found", 405: "method-not-allowed"}


def table(service: Service) -> tuple[Endpoint, ...]:
    """Return every endpoint; the last one describes them all."""
    rows = (
        *asking.ENDPOINTS,
        *chat.ENDPOINTS,
        *reading.ENDPOINTS,
        *writing.ENDPOINTS,
        *reviewing.ENDPOINTS,
        *meta.endpoints(open_metrics=service.settings.open_metrics),
    )
    described = openapi.document(rows, version=version("remit"))

    async def describe(call: Call) -> Response:
        return JSONResponse(described)

    return (*rows, Endpoint("GET", "/openapi.json", describe, None, "Describe this interface"))


def application(
    service: Service,
    *,
    more: tuple[BaseRoute, ...] = (),
    running: Callable[[], Any] = nullcontext,
    lost: Callable[[Request], Awaitable[Response]] | None = None,
) -> Starlette:
    """Return the ASGI application of a service that is warm.

    `more` are routes of other faces, `running` what runs beside, and `lost` the page of whoever looks for one that is not there.
    """

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with running():
            yield
        service.stop()

    routes = [Route(row.path, _handler(row, service), methods=[row.method]) for row in _grouped(table(service))]
    made = Starlette(
        routes=[*routes, *more],
        lifespan=lifespan,
        middleware=[Middleware(SafeHeaders)],
        exception_handlers={HTTPException: partial(_not_served, lost), Exception: _broken},
    )
    # A path with a slash too many would be sent on to whatever host the request names.
    made.router.redirect_slashes = False
    return made


class SafeHeaders:
    """Adds to every response what keeps it out of caches, other sites and guesses at its type."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, sending)


def _grouped(rows: tuple[Endpoint, ...]) -> list[Endpoint]:
    """Return the rows with those of fixed paths before those that take a whole path, as the first that fits is taken."""
    return sorted(rows, key=lambda row: ":path}" in row.path)


def _handler(row: Endpoint, service: Service) -> Callable[[Request], Awaitable[Response]]:
    return partial(_served, row, service)


async def _served(row: Endpoint, service: Service, request: Request) -> Response:
    return await serve(row, request, service)


async def _not_served(
    lost: Callable[[Request], Awaitable[Response]] | None, request: Request, error: Exception
) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    looks = request.method == "GET" and "text/html" in request.headers.get("accept", "")
    if lost is not None and looks and status == 404 and not request.url.path.startswith("/v1/"):  # noqa: PLR2004 - not found
        return await lost(request)
    headers: dict[str, Any] = dict(getattr(error, "headers", None) or {})
    return response(problem(status, _NAMES.get(status, "not-found"), "see /openapi.json for what is served"), headers)


async def _broken(request: Request, error: Exception) -> Response:
    return answered(error)
