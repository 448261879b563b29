"""One page: who looks, what they sent, and what is common to all pages: identity, forms, errors, the frame."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import parse_qs, urlsplit

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from remit.errors import NothingThere, RemitError
from remit.serve.http.endpoint import CLIENT_GONE, read_body, report
from remit.serve.http.problem import Refusal, answered, problem_of
from remit.serve.identity.caller import Caller, Refused, Role
from remit.serve.service.service import Service
from remit.serve.web.session import COOKIE, Answers, Session, Sessions, same

FOLDER: Final = Path(__file__).parent
_FORM_BYTES: Final = 256 * 1024
_FIELDS: Final = 100
_FORM_KEY: Final = "form_key"
_AGAIN: Final = frozenset({422, 429, 502, 503})
"""What may be mended by sending the form again, changed or later."""
_HEADERS: Final = {
    "content-security-policy": "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'",
    "cross-origin-opener-policy": "same-origin",
}


class Looking(NamedTuple):
    """A request for a page, of somebody who may see it. `form` is what they sent, each name once."""

    request: Request
    pages: Pages
    caller: Caller
    session: Session | None
    form: Mapping[str, str]

    @property
    def service(self) -> Service:
        """Return the service."""
        return self.pages.service

    def path(self, name: str) -> str:
        """Return a part of the path."""
        return str(self.request.path_params[name])

    def query(self, name: str, otherwise: str = "") -> str:
        """Return a part of the query."""
        return self.request.query_params.get(name, otherwise)

    def show(self, template: str, status: int = 200, **values: Any) -> Response:
        """Return a page."""
        return self.pages.render(template, status, caller=self.caller, session=self.session, **values)


Handle = Callable[[Looking], Awaitable[Response]]


class Pages:
    """What pages share: the service, who has signed in, the templates."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.sessions = Sessions(clock=time.monotonic)
        self.answers = Answers()
        self._templates = Environment(
            loader=FileSystemLoader(FOLDER / "templates"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )

    def render(
        self, template: str, status: int = 200, *, caller: Caller | None, session: Session | None, **values: Any
    ) -> Response:
        """Return a page under the strictest policy there is: nothing is loaded but our own style, no script runs."""
        form_key = "" if session is None else session.form_key
        roles = set() if caller is None else {role for role in Role if caller.may(role)}
        text = self._templates.get_template(template).render(
            caller=caller, signed_in=session is not None, form_key=form_key, roles=roles, **values
        )
        return HTMLResponse(text, status, dict(_HEADERS))

    async def look(self, handle: Handle, role: Role | None, request: Request) -> Response:
        """Return the page of a handler, the sign-in page to whoever has to sign in first, or a page that says what is wrong."""
        began = time.monotonic()
        session = self.sessions.get(request.cookies.get(COOKIE))
        caller: Caller | None = None
        form: Mapping[str, str] = {}
        try:
            form = await self.form(request, session)
            caller = await self.service.identified(session.token if session is not None else None)
            if role is not None:
                self.service.admit(caller, role)
            made = await handle(Looking(request, self, caller, session, form))
        except Refused:
            self.sessions.close(request.cookies.get(COOKIE))
            made = _to_sign_in(request)
        except ClientDisconnect:
            made = Response(status_code=CLIENT_GONE)
        except Exception as error:  # noqa: BLE001 - the boundary of the pages
            made = self.wrong(error, caller, session, typed=bool(form.keys() - {_FORM_KEY}))
        route = f"page {request.scope['route'].path}"
        report(self.service, request.method, route, made.status_code, time.monotonic() - began, caller)
        return made

    async def lost(self, request: Request) -> Response:
        """Return the page of whoever follows a link that leads nowhere."""
        caller = None
        session = self.sessions.get(request.cookies.get(COOKIE))
        if session is not None:
            with suppress(RemitError):
                caller = await self.service.identified(session.token)
        return self.wrong(NothingThere("there is no page at this address"), caller, session)

    def wrong(
        self, error: Exception, caller: Caller | None, session: Session | None, *, typed: bool = False
    ) -> Response:
        """Return a page that says what is wrong; what is the service's own fault is logged. `typed`: there was a form."""
        plain = answered(error)
        told = error.problem if isinstance(error, Refusal) else problem_of(error)
        made = self.render(
            "problem.html",
            told.status,
            caller=caller,
            session=session,
            problem=told,
            sent=typed and told.status in _AGAIN,
        )
        made.headers.update({name: value for name, value in plain.headers.items() if name == "retry-after"})
        return made

    async def form(self, request: Request, session: Session | None) -> dict[str, str]:
        """Return what a form of ours sent. One that another site sent is refused."""
        if request.method != "POST":
            return {}
        refused = Refusal(403, "forbidden", "this form did not come from a page of this service: open the page again")
        if not same_site(request):
            raise refused
        text = (await read_body(request, _FORM_BYTES)).decode("utf-8", "replace")
        try:
            fields = parse_qs(text, keep_blank_values=True, max_num_fields=_FIELDS)
        except ValueError as error:
            raise Refusal(400, "malformed", "this form has too many fields") from error
        sent = {name: values[-1] for name, values in fields.items()}
        signs_in = request.url.path == "/sign-in"
        if not signs_in and (session is None or not same(sent.get(_FORM_KEY, ""), session.form_key)):
            if session is None and self.service.settings.identity.anonymous:
                return sent  # nobody has no rights that another site could use
            raise refused
        return sent


def same_site(request: Request) -> bool:
    """Say whether the browser says that a page of ours sent this: by fetch metadata, else by the origin."""
    said = request.headers.get("sec-fetch-site")
    if said is not None:
        return said in {"same-origin", "none"}
    origin = request.headers.get("origin")
    return origin is None or urlsplit(origin).netloc == request.headers.get("host", "")


def handler(pages: Pages, handle: Handle, role: Role | None) -> Callable[[Request], Awaitable[Response]]:
    """Return a handler as routes want it."""
    return partial(pages.look, handle, role)


def _to_sign_in(request: Request) -> Response:
    return RedirectResponse("/sign-in", 303, {"cache-control": "no-store"})
