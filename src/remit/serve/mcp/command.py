"""`remit mcp`: the store as an MCP server over stdio, for the principal of one token."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any, Final

import click

from remit.engine import Remit
from remit.errors import MissingPrerequisite
from remit.serve import options
from remit.serve.logs import logged

TOKEN: Final = "REMIT_TOKEN"  # noqa: S105 - the name of a variable


@click.command(short_help="Serve a store to an MCP client over stdio.")
@options.store
@options.config
def mcp(*, store: Path, config: Path | None) -> None:
    """Serve search, ask and get_passage over stdin and stdout, as the principal that the key or token in REMIT_TOKEN proves."""
    try:
        from remit.serve.identity.caller import Caller  # noqa: PLC0415 - an extra: the command line works without it
        from remit.serve.mcp.tools import server  # noqa: PLC0415 - as above
        from remit.serve.service.service import Service  # noqa: PLC0415 - as above
        from remit.serve.service.settings import ServeSettings  # noqa: PLC0415 - as above
    except ModuleNotFoundError as error:
        raise MissingPrerequisite(f"{error.name} is not installed: pip install 'remit[serve,mcp]'") from error
    token = os.environ.get(TOKEN, "").strip()
    settings = ServeSettings.load(store, config)
    if not token and not settings.identity.anonymous:
        raise MissingPrerequisite(f"no principal, no answer: put a key into {TOKEN}; `remit key new` makes one")
    logged()
    with Remit.open(store, config=config) as remit:
        service = Service(remit, settings)
        service.gate(token or None)  # who may not call learns it at the start, not at the first question

        async def who(ctx: Any) -> Caller:
            return await service.identified(token or None)

        service.warm()
        try:
            asyncio.run(server(service, who).run_stdio_async())
        finally:
            service.stop()
