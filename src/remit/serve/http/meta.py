"""Endpoints about the service itself: whether it runs, what it counts, and its description."""

from __future__ import annotations

import os
import shutil
from functools import partial
from pathlib import Path
from typing import Final

from starlette.responses import JSONResponse, Response

from remit.engine import Remit
from remit.errors import RemitError
from remit.serve.http import replies
from remit.serve.http.endpoint import Call, Endpoint
from remit.serve.identity.caller import Role
from remit.serve.service.metrics import CONTENT_TYPE

_LEAST_FREE: Final = 16 << 20


async def healthz(call: Call) -> Response:
    """Say that the process runs."""
    return JSONResponse({"status": "ok", "checks": {}})


async def readyz(call: Call) -> Response:
    """Say whether questions can be answered: by name of what was looked at, and nothing more."""
    checks = {
        "taking requests": not call.service.stopping,
        "store in place": call.service.standing,
        **await call.service.read(partial(_checks, call.service.remit)),
    }
    ready = all(checks.values())
    return JSONResponse({"status": "ok" if ready else "not ready", "checks": checks}, 200 if ready else 503)


async def metrics(call: Call) -> Response:
    """Return what Prometheus reads."""
    return Response(call.service.metrics.text(call.service.inside), media_type=CONTENT_TYPE)


def _checks(remit: Remit) -> dict[str, bool]:
    return {
        "store": _works(remit.snapshot),
        "record": _works(remit.corpus.sound),
        "journal": _works(remit.journal.unfinished),
        "disk": _writable(remit.store),
    }


def _writable(folder: Path) -> bool:
    """Say whether a question could be recorded: without its record nothing is answered."""
    try:
        return os.access(folder, os.W_OK) and shutil.disk_usage(folder).free >= _LEAST_FREE
    except OSError:
        return False


def _works(look: object) -> bool:
    try:
        look()  # type: ignore[operator]
    except RemitError:
        return False
    return True


def endpoints(*, open_metrics: bool) -> tuple[Endpoint, ...]:
    """Return the rows; the metrics are the auditor's unless they are open."""
    return (
        Endpoint("GET", "/healthz", healthz, None, "Say that the service runs", returns=replies.HealthReply),
        Endpoint("GET", "/readyz", readyz, None, "Say whether it is ready", returns=replies.HealthReply),
        Endpoint(
            "GET",
            "/metrics",
            metrics,
            None if open_metrics else Role.AUDIT,
            "What Prometheus reads",
            media_type="text/plain",
        ),
    )
