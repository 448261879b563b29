"""Pages for signing in and out."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from remit.errors import RemitError
from remit.serve.http.problem import Refusal
from remit.serve.identity.caller import Refused
from remit.serve.web.page import Looking, Pages
from remit.serve.web.session import COOKIE


class Signing:
    """Signing in needs no session yet, so it stands apart from the other pages."""

    def __init__(self, pages: Pages) -> None:
        self._pages = pages

    async def form(self, request: Request) -> Response:
        """Return the form."""
        return self._pages.render("sign-in.html", caller=None, session=None, wrong="")

    async def sign_in(self, request: Request) -> Response:
        """Open a session for a token that proves somebody."""
        try:
            form = await self._pages.form(request, None)
            token = form.get("token", "").strip()
            await self._pages.service.identified(token)
        except (Refused, Refusal) as error:
            told = str(error) or "Try again."
            return self._pages.render("sign-in.html", 401, caller=None, session=None, wrong=told)
        except RemitError as error:
            return self._pages.wrong(error, None, None)
        made = RedirectResponse("/ask", 303)
        id = self._pages.sessions.open(token)
        made.set_cookie(COOKIE, id, httponly=True, samesite="strict", secure=request.url.scheme == "https", path="/")
        return made


async def sign_out(looking: Looking) -> Response:
    """End the session."""
    looking.pages.sessions.close(looking.request.cookies.get(COOKIE))
    made = RedirectResponse("/sign-in", 303)
    made.delete_cookie(COOKIE, path="/")
    return made
