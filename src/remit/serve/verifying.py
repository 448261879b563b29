"""`remit verify`: a whole store compared with what was written, and mended where that is asked for."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from remit.corpus.control import CONTROL_FILE
from remit.corpus.mending import mend
from remit.corpus.opening import open_corpus
from remit.corpus.sql import SqlCorpus
from remit.corpus.verify import Flaw, verify
from remit.errors import CorpusDamaged
from remit.library import UTC_NOW
from remit.retrieve.index import Index
from remit.retrieve.upkeep import condition
from remit.serve import options, words
from remit.serve.keeping import PARTIAL
from remit.settings import Settings


@click.command("verify", short_help="Compare a whole store with what was written; mend it.")
@options.store
@click.option("--mend", "mending", is_flag=True, help="Make anew what is derived; delete what is not what was written.")
@options.config
@options.json_output
def verify_command(*, store: Path, mending: bool, config: Path | None, json_output: bool) -> None:
    """Read every row, index and segment of STORE and compare it with its sum.

    With --mend, indexes and segments are made anew, and each revision that is not what was written is deleted and named:
    ingest it again. The exit code is 3 where something is wrong and was not mended, 7 where something has to come again.
    """
    settings = Settings.load(config or store / CONTROL_FILE, os.environ, optional=config is None)
    with open_corpus(store, settings.database) as corpus:
        found = verify(corpus.connections)
        faults = () if found.flaws else condition(store, corpus.connections).faults
        flaws = (*found.flaws, *(Flaw(fault, derived=True) for fault in faults))
        deleted = _mended(store, corpus) if mending and flaws else ()
    shown = [{"what": flaw.what, "derived": flaw.derived} for flaw in flaws]
    counts = {"revisions": found.revisions, "passages": found.passages}
    if json_output:
        whole: dict[str, Any] = {"ok": not flaws, **counts, "flaws": shown, "deleted": list(deleted), "mended": mending}
        click.echo(words.as_json(whole))
    else:
        for flaw in flaws:
            click.echo(words.plain(f"not what was written: {flaw.what}"))
        for revision in deleted:
            click.echo(words.plain(f"deleted, to be ingested again: {revision}"))
        told = f"{len(flaws)} things were not what was written" if flaws else "all as it was written"
        click.echo(f"{found.revisions} revisions, {found.passages} passages: {told}")
    if flaws and not mending:
        raise CorpusDamaged(
            f"{len(flaws)} things are not what was written: mend them with `remit verify --mend`, or restore a backup"
        )
    if deleted:
        click.get_current_context().exit(PARTIAL)


def _mended(store: Path, corpus: SqlCorpus) -> tuple[str, ...]:
    done = mend(corpus.connections, now=UTC_NOW())
    with Index(store, corpus.connections) as index:
        index.keep_up()
    return done.deleted
