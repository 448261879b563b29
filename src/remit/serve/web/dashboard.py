"""The dashboard: counts and times of the last questions; no question, no document text."""

from __future__ import annotations

from starlette.responses import Response

from remit.serve.web.page import Looking
from remit.serve.web.reviewing import TITLES


async def dashboard(looking: Looking) -> Response:
    """Return the figures of the last questions."""
    service = looking.service
    seen = await service.read(service.figures.last)
    depths = await service.read(service.remit.journal.depths)
    return looking.show("dashboard.html", seen=seen, depths=depths, titles=TITLES)
