"""Commands that keep a store safe: backup, restore."""

from __future__ import annotations

from pathlib import Path

import click

from remit.library import UTC_NOW
from remit.record.backup import Copied, backup, names, restore
from remit.serve import options, words

_FOLDER = click.Path(path_type=Path, file_okay=False)


@click.command("backup", short_help="Copy a store while it is in use.")
@click.argument("folder", type=_FOLDER)
@options.store
@options.json_output
def backup_command(*, folder: Path, store: Path, json_output: bool) -> None:
    """Copy a store into FOLDER, which has to be new or empty: documents, traces, review, settings and key digests."""
    _say(backup(store, folder, now=UTC_NOW()), json_output=json_output)


@click.command("restore", short_help="Make a store of a backup.")
@click.argument("folder", type=_FOLDER)
@options.store
@options.json_output
def restore_command(*, folder: Path, store: Path, json_output: bool) -> None:
    """Make a store of the backup in FOLDER. What `--store` names has to be new or empty; the index is made again as needed."""
    _say(restore(folder, store), json_output=json_output)


def _say(copied: Copied, *, json_output: bool) -> None:
    if json_output:
        files = [{"name": name, "bytes": size} for name, size in copied.files]
        click.echo(words.as_json({"folder": str(copied.folder), "files": files}))
        return
    for line in names(copied):
        click.echo(line)
