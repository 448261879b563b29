"""MCP over HTTP, beside the other endpoints: `/mcp`, behind the same gate, without sessions."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final, NamedTuple

from mcp.server.transport_security import TransportSecuritySettings
from starlette.requests import ClientDisconnect, Request
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from remit.errors import RemitError
from remit.serve.http.asking import while_there
from remit.serve.http.endpoint import CLIENT_GONE, bearer, read_body, report
from remit.serve.http.problem import Refusal, answered
from remit.serve.identity.caller import Caller
from remit.serve.mcp.tools import server
from remit.serve.service.service import Service

PATH: Final = "/mcp"
_CALLER: Final = "remit.caller"
_BODY_BYTES: Final = 1 << 20
_METHODS: Final = frozenset({"GET", "POST", "DELETE"})


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
        began, request = time.monotonic(), Request(scope, receive)
        caller: Caller | None = None
        status = CLIENT_GONE

        async def counted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            caller = await self._service.identified(bearer(request))
            body = await read_body(request, _BODY_BYTES)
            await while_there(request, self._passed_on({**scope, _CALLER: caller}, body, counted))
        except ClientDisconnect:
            return
        except (RemitError, Refusal) as error:
            await answered(error)(scope, receive, counted)
        finally:
            report(
                self._service,
                scope["method"] if scope["method"] in _METHODS else "other",
                PATH,
                status,
                time.monotonic() - began,
                caller,
            )

    async def _passed_on(self, scope: Scope, body: bytes, send: Send) -> None:
        headers = [(name, value) for name, value in scope["headers"] if name != b"authorization"]
        await self._app({**scope, "headers": headers}, _once(body), send)


def _once(body: bytes) -> Receive:
    """Return what gives a body that was read; whether its sender is still there is watched elsewhere."""
    messages = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Message:
        if not messages:
            await asyncio.Event().wait()
        return messages.pop()

    return receive


async def _who(ctx: Any) -> Caller:
    caller: Caller = ctx.request_context.request.scope[_CALLER]
    return caller
