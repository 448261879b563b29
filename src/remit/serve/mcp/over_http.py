"""MCP over HTTP, beside the other endpoints: `/mcp`, behind the same gate, without sessions."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final, NamedTuple

from mcp.server.transport_security import TransportSecuritySettings
from starlette.requests import Request
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from remit.errors import RemitError
from remit.serve.http.endpoint import bearer
from remit.serve.http.problem import Refusal, answered
from remit.serve.identity.caller import Caller
from remit.serve.mcp.tools import server
from remit.serve.service.service import Service

PATH: Final = "/mcp"
_CALLER: Final = "remit.caller"


class Beside(NamedTuple):
    """A face that an application takes in: its route, and what runs as long as the application does."""

    route: BaseRoute
    running: Any


def over_http(service: Service) -> Beside:
    """Return the route and what has to run beside it."""
    made = server(service, _who)
    # The bearer says who calls; a page of another site has none, so names of hosts need not be listed.
    open_to_names = TransportSecuritySettings(enable_dns_rebinding_protection=False)
    app = made.streamable_http_app(
        streamable_http_path=PATH, json_response=True, stateless_http=True, transport_security=open_to_names
    )

    @asynccontextmanager
    async def running() -> AsyncIterator[None]:
        async with made.session_manager.run():
            yield

    return Beside(Route(PATH, endpoint=Gated(app, service)), running)


class Gated:
    """Lets through whom the bearer proves, and says so to the tools; the token itself goes no further."""

    def __init__(self, app: ASGIApp, service: Service) -> None:
        self._app, self._service = app, service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        request = Request(scope, receive)
        try:
            caller = await self._service.identified(bearer(request))
        except (RemitError, Refusal) as error:
            await answered(error)(scope, receive, send)
            return
        headers = [(name, value) for name, value in scope["headers"] if name != b"authorization"]
        await self._app({**scope, "headers": headers, _CALLER: caller}, receive, send)


async def _who(ctx: Any) -> Caller:
    caller: Caller = ctx.request_context.request.scope[_CALLER]
    return caller
