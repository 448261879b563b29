"""Options that several commands share, so that they read and behave the same everywhere."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any, Final

import click

from remit.access.principal import Principal, parse_principal
from remit.errors import InvalidInput

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]
ASKER: Final = "NAME:group,group"


def principal(ctx: click.Context, param: click.Parameter, value: str | None) -> Principal | None:
    """Return who ``NAME:group,group`` names."""
    if value is None:
        return None
    try:
        return parse_principal(value)
    except InvalidInput as error:
        raise click.BadParameter(str(error), ctx, param) from error


def _named(ctx: click.Context, param: click.Parameter, value: str | None) -> Principal:
    named = principal(ctx, param, value)
    if named is None:
        raise click.UsageError("no principal, no answer: say who asks with --as NAME:group,group", ctx)
    return named


def day(ctx: click.Context, param: click.Parameter, value: str | None) -> date | None:
    """Return a calendar day."""
    if value is None:
        return None
    wrong = click.BadParameter(f"{value!r} is no day; write it as in 2026-11-30", ctx, param)
    try:
        day = date.fromisoformat(value)
    except ValueError as error:
        raise wrong from error
    if day.isoformat() != value:  # 20261130 and 2026-W49-1 are days too, but not as the help says
        raise wrong
    return day


store: Final[Decorator] = click.option(
    "--store",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    envvar="REMIT_STORE",
    show_envvar=True,
    help="The directory that holds documents and traces.",
)
config: Final[Decorator] = click.option(
    "--config",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Settings to use instead of the store's remit.toml.",
)
json_output: Final[Decorator] = click.option("--json", "json_output", is_flag=True, help="Print JSON on stdout.")
asker: Final[Decorator] = click.option(
    "--as", "principal", metavar=ASKER, callback=_named, help="Who asks: a name and the groups they are in."
)
any_asker: Final[Decorator] = click.option(
    "--as",
    "principal",
    metavar=ASKER,
    callback=principal,
    help="Read as this asker: their own trace only, and what they may read today.",
)
as_of: Final[Decorator] = click.option(
    "--as-of", metavar="YYYY-MM-DD", callback=day, help="Read the documents that were valid on this day."
)
collections: Final[Decorator] = click.option(
    "--collection", "collections", multiple=True, metavar="NAME", help="Look only here; may be given several times."
)
revision: Final[Decorator] = click.option(
    "--revision", metavar="NAME", help="Read this revision of the documents, whatever holds today."
)


def pairs(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> dict[str, str]:
    """Return ``key=value`` arguments as a dictionary, or say which one is none."""
    split = [text.partition("=") for text in value]
    for text, (key, sign, bound) in zip(value, split, strict=True):
        if not (key.strip() and sign and bound.strip()):
            raise click.BadParameter(f"{text!r}: want key=value, such as equipment_revision=B", ctx, param)
    found = {key.strip(): bound.strip() for key, _, bound in split}
    if len(found) < len(split):
        raise click.BadParameter("the same key is given twice", ctx, param)
    return found
