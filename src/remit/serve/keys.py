"""`remit key`: make, list and revoke keys."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import click

from remit.access.principal import Principal
from remit.errors import InvalidInput, MissingPrerequisite
from remit.library import UTC_NOW
from remit.serve import options, words


def _file(store: Path, config: Path | None) -> Any:
    try:
        from remit.serve.identity.keys import KeyFile  # noqa: PLC0415 - an extra: the command line works without it
        from remit.serve.service.settings import ServeSettings  # noqa: PLC0415 - as above
    except ModuleNotFoundError as error:
        raise MissingPrerequisite(f"{error.name} is not installed: pip install 'remit[serve]'") from error
    return KeyFile(ServeSettings.load(store, config).identity.keys, now=UTC_NOW)


@click.group(short_help="Make, list and revoke the keys that callers of the service send.")
def key() -> None:
    """Keys of small teams: the store keeps digests, so that a key is shown once, when it is made."""


@key.command(short_help="Make a key and print it, this once.")
@click.argument("principal", metavar=options.ASKER, callback=options.principal)
@options.store
@click.option("--roles", default="read", show_default=True, help="read, write, write:COLLECTION, review, audit.")
@click.option("--days", type=click.IntRange(1, 3650), default=90, show_default=True, help="How long it is good for.")
@options.config
@options.json_output
def new(*, principal: Principal, store: Path, roles: str, days: int, config: Path | None, json_output: bool) -> None:
    """Make a key that stands for a principal and print it. Nothing can print it again."""
    if not store.is_dir():
        raise InvalidInput(f"no store at {store}: make one with `remit ingest PATH --store {store}`")
    named = frozenset(role.strip() for role in roles.split(",") if role.strip())
    made = _file(store, config).add(principal, roles=named, expires=UTC_NOW() + timedelta(days=days))
    if json_output:
        click.echo(words.as_json({"key": made.key.id, "token": made.token, "expires": made.key.expires.isoformat()}))
        return
    click.echo(made.token)
    click.echo(f"key {made.key.id}, good until {made.key.expires:%Y-%m-%d}; it is not shown again", err=True)


@key.command("list", short_help="Show the keys there are.")
@options.store
@options.config
@options.json_output
def listed(*, store: Path, config: Path | None, json_output: bool) -> None:
    """Show each key's id, whom it stands for, and until when; never the key."""
    keys = _file(store, config).keys().values()
    if json_output:
        click.echo(words.as_json([one.model_dump(mode="json", exclude={"digest"}) for one in keys]))
        return
    for one in keys:
        until = f"{one.expires:%Y-%m-%d}" if one.expires else "for good"
        who = f"{one.principal}:{','.join(one.groups)}"
        click.echo(words.plain(f"{one.id}  {until}  {who}  {','.join(one.roles)}"))


@key.command(short_help="Take a key out; it stops working at once.")
@click.argument("id")
@options.store
@options.config
@options.json_output
def revoke(*, id: str, store: Path, config: Path | None, json_output: bool) -> None:
    """Take a key out of the file."""
    gone = _file(store, config).revoke(id)
    told = f"key {gone.id} of {words.plain(gone.principal)} is no longer taken"
    click.echo(words.as_json({"key": gone.id, "revoked": True}) if json_output else told)
