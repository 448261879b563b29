"""`remit serve`: the service over HTTP."""

from __future__ import annotations

import resource
import signal
import socket
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import click

from remit.engine import Remit
from remit.errors import MissingPrerequisite
from remit.serve import options
from remit.serve.logs import logged

_FILES: Final = 256
"""Files that are left to the store and its index, whatever number of connections is open."""


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
        at, on = host or settings.host, settings.port if port is None else port
        _free(at, on)
        service = Service(remit, settings)
        service.warm()

        class Protocol(PromptProtocol):
            most = _room(settings.connections)

        server = uvicorn.Server(
            uvicorn.Config(
                application(service, **faces(service)),
                http=Protocol,
                ws="none",
                host=at,
                port=on,
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


def _free(host: str, port: int) -> None:
    """Go on where nobody else listens there: said before models are read, and in words that name what to do.

    Raises:
        MissingPrerequisite: the address is taken, not this machine's, or not to be had without more rights.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        socket.create_server((host, port), family=family).close()
    except OSError as error:
        why = str(error.strerror).partition(" (while")[0]
        raise MissingPrerequisite(
            f"cannot listen on {host} port {port} ({why}): name another one with --host and --port, "
            "or in [serve] of remit.toml"
        ) from error


def _room(connections: int) -> int:
    """Return how many connections fit beside the files of a store; the limit of open files is raised where it may be."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = connections + _FILES
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return connections if soft == resource.RLIM_INFINITY else max(1, min(connections, soft - _FILES))


def faces(service: Any) -> dict[str, Any]:
    """Return the pages, and MCP where its package is installed."""
    from remit.serve.web.page import Pages  # noqa: PLC0415 - an extra: the command line works without it
    from remit.serve.web.routes import routes  # noqa: PLC0415 - as above

    pages = Pages(service)
    if find_spec("mcp") is None:
        return {"more": routes(pages), "lost": pages.lost}
    from remit.serve.mcp.over_http import over_http  # noqa: PLC0415 - an extra of its own

    beside = over_http(service)
    return {"more": (*routes(pages), beside.route), "running": beside.running, "lost": pages.lost}
