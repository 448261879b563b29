"""`remit serve`: the service over HTTP."""

from __future__ import annotations

import signal
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

from remit.engine import Remit
from remit.errors import MissingPrerequisite
from remit.serve import options
from remit.serve.logs import logged


@click.command(short_help="Serve a store over HTTP: API, pages, review.")
@options.store
@click.option("--host", help="The address to listen on (default: what remit.toml says, else 127.0.0.1).")
@click.option("--port", type=click.IntRange(0, 65535), help="The port (default: what remit.toml says, else 8000).")
@options.config
def serve(*, store: Path, host: str | None, port: int | None, config: Path | None) -> None:
    """Serve STORE until it is stopped. Who may call stands in the [identity] section of remit.toml; keys: `remit key`."""
    try:
        import uvicorn  # noqa: PLC0415 - an extra: the command line works without it

        from remit.serve.http.app import application  # noqa: PLC0415 - as above
        from remit.serve.http.prompt import PromptProtocol  # noqa: PLC0415 - as above
        from remit.serve.service.service import Service  # noqa: PLC0415 - as above
        from remit.serve.service.settings import ServeSettings  # noqa: PLC0415 - as above
    except ModuleNotFoundError as error:
        raise MissingPrerequisite(f"{error.name} is not installed: pip install 'remit[serve]'") from error
    settings = ServeSettings.load(store, config)
    logged()
    with Remit.open(store, config=config) as remit:
        service = Service(remit, settings)
        app = application(service, **faces(service))
        server = uvicorn.Server(
            uvicorn.Config(
                app,
                http=PromptProtocol,
                host=host or settings.host,
                port=settings.port if port is None else port,
                log_config=None,
                access_log=False,
                server_header=False,
                timeout_graceful_shutdown=int(settings.grace_seconds),
                h11_max_incomplete_event_size=64 * 1024,
            )
        )
        for stop in (signal.SIGINT, signal.SIGTERM):  # the server sends them once more when it is done
            signal.signal(stop, lambda *_: None)
        server.run()


def faces(service: Any) -> dict[str, Any]:
    """Return the pages, and MCP where its package is installed."""
    from remit.serve.web.routes import routes  # noqa: PLC0415 - an extra: the command line works without it

    if find_spec("mcp") is None:
        return {"more": routes(service)}
    from remit.serve.mcp.over_http import over_http  # noqa: PLC0415 - an extra of its own

    beside = over_http(service)
    return {"more": (*routes(service), beside.route), "running": beside.running}
