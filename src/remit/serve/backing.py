"""Commands that keep a store safe: backup, restore."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

import click

from remit.corpus.control import CONTROL_FILE
from remit.corpus.database import DatabaseChoice
from remit.corpus.opening import open_corpus, taken_in
from remit.library import UTC_NOW
from remit.record.backup import Copied, backup, names, restore
from remit.serve import options, words
from remit.settings import Settings

_FOLDER = click.Path(path_type=Path, file_okay=False)


@click.command("backup", short_help="Copy a store while it is in use.")
@click.argument("folder", type=_FOLDER)
@options.store
@options.config
@options.json_output
def backup_command(*, folder: Path, store: Path, config: Path | None, json_output: bool) -> None:
    """Copy a store into FOLDER, which has to be new or empty: documents, traces, review, settings and key digests.

    Documents that are kept in a database come out of it as the file they would else be in.
    """
    if (database := _database(store, config)) is None:
        copied = backup(store, folder, now=UTC_NOW())
    else:
        with open_corpus(store, database) as corpus:
            copied = backup(store, folder, now=UTC_NOW(), record=corpus.copy_to)
    _say(copied, json_output=json_output)


@click.command("restore", short_help="Make a store of a backup.")
@click.argument("folder", type=_FOLDER)
@options.store
@options.config
@options.json_output
def restore_command(*, folder: Path, store: Path, config: Path | None, json_output: bool) -> None:
    """Make a store of the backup in FOLDER. What `--store` names has to be new or empty; the index is made again as needed.

    Where the backup's settings, `--config` or REMIT_DATABASE_URL name a database, the documents go there; what is in it
    already stays, and is an error.
    """
    database = _database(folder, config)
    record = None if database is None else partial(taken_in, database)
    _say(restore(folder, store, record=record), json_output=json_output)


def _database(folder: Path, config: Path | None) -> DatabaseChoice | None:
    return Settings.load(config or folder / CONTROL_FILE, os.environ, optional=config is None).database


def _say(copied: Copied, *, json_output: bool) -> None:
    if json_output:
        files = [{"name": name, "bytes": size} for name, size in copied.files]
        click.echo(words.as_json({"folder": str(copied.folder), "files": files}))
        return
    for line in names(copied):
        click.echo(line)
