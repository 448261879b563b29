"""The table of pages, each with who may see it."""

from __future__ import annotations

from typing import Final

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from remit.serve.identity.caller import Role
from remit.serve.web import asking, dashboard, looking, reviewing, signing
from remit.serve.web.page import FOLDER, Handle, Pages, handler

_ITEM: Final = "/review/{item:number}"
PAGES: Final[tuple[tuple[str, str, Handle, Role | None], ...]] = (
    ("GET", "/ask", asking.form, Role.READ),
    ("POST", "/ask", asking.answer, Role.READ),
    ("GET", "/ask/{trace}", asking.again, Role.READ),
    ("GET", "/documents", looking.documents, Role.READ),
    ("GET", "/documents/{document:path}", looking.document, Role.READ),
    ("GET", "/traces", looking.traces, Role.READ),
    ("GET", "/traces/{trace}", looking.trace, Role.READ),
    ("GET", "/review", reviewing.queue, Role.READ),
    ("GET", _ITEM, reviewing.item, Role.READ),
    ("POST", f"{_ITEM}/take", reviewing.take, Role.REVIEW),
    ("POST", f"{_ITEM}/verdict", reviewing.verdict, Role.REVIEW),
    ("POST", f"{_ITEM}/correction", reviewing.correction, Role.REVIEW),
    ("GET", "/dashboard", dashboard.dashboard, Role.AUDIT),
    ("POST", "/sign-out", signing.sign_out, None),
)


def routes(pages: Pages) -> tuple[BaseRoute, ...]:
    """Return the routes of all pages."""
    sign_in = signing.Signing(pages)
    return (
        Route("/", _home),
        Mount("/static", StaticFiles(directory=FOLDER / "static")),
        Route("/sign-in", sign_in.form, methods=["GET"]),
        Route("/sign-in", sign_in.sign_in, methods=["POST"]),
        *(Route(path, handler(pages, handle, role), methods=[method]) for method, path, handle, role in PAGES),
    )


async def _home(request: Request) -> Response:
    return RedirectResponse("/ask", 303)
