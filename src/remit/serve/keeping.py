"""Commands that change a store: ingest, delete."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import click
from tqdm import tqdm

from remit.corpus.control import CONTROL_FILE
from remit.corpus.document import Status
from remit.corpus.ingest import Report, Step
from remit.corpus.opening import open_corpus
from remit.corpus.reembed import Progress
from remit.corpus.stated import Stated, stated
from remit.corpus.taking import BRING_BACK
from remit.engine import Remit
from remit.errors import Fault, InvalidInput
from remit.library import UTC_NOW
from remit.parts import encoder_of
from remit.serve import options, words
from remit.serve.interrupted import going_on
from remit.serve.progress import progress
from remit.settings import Settings

PARTIAL: Final = 7
STATUSES: Final = ("draft", "current", "superseded", "withdrawn")


@click.command(short_help="Bring documents into a store.")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path), metavar="PATH...")
@options.store
@click.option("--labels", help="Who may read what a file says nothing about: a,b (public: everyone).")
@click.option("--collection", help="The collection of files that name none.")
@click.option("--status", type=click.Choice(STATUSES), help="The status of files that state none.")
@click.option("--dry-run", is_flag=True, help="Read and check everything, store nothing.")
@click.option("--re-embed", is_flag=True, help="First give all that is stored vectors of the encoder now configured.")
@options.config
@options.json_output
def ingest(  # noqa: PLR0913 - one for each option
    *,
    paths: tuple[Path, ...],
    store: Path,
    labels: str | None,
    collection: str | None,
    status: Status | None,
    dry_run: bool,
    re_embed: bool,
    config: Path | None,
    json_output: bool,
) -> None:
    """Read files and folders into a store, which is made where there is none.

    Each file is stored whole or not at all, and an ingest that was interrupted goes on where it was. Files that cannot be used are listed with line and field; then the exit
    code is 7, or 5 where no file could be used.
    """
    named = None if labels is None else [label for label in labels.split(",") if label.strip()]
    fill = stated(labels=named, collection=collection, status=status)
    if not paths and not re_embed:
        raise click.UsageError("name the files or folders to read", click.get_current_context())
    if re_embed and dry_run:
        raise click.UsageError("--re-embed cannot be tried without doing it", click.get_current_context())
    with going_on() as go_on, progress() as shown:

        def step(done: Step) -> None:
            shown(done)
            go_on()

        if re_embed:
            _reembed(store, config, go_on)
        report = _ingested(paths, store, config=config, fill=fill, dry_run=dry_run, step=step)
    usable = report.revisions + report.unchanged
    if report.rejected and not usable:
        raise InvalidInput("no file could be used; the store is as it was", report.rejected)
    for kind, faults in (("rejected", report.rejected), ("warning", report.warnings)) if not json_output else ():
        for fault in faults:
            click.echo(words.plain(f"{kind}: {fault}"), err=True)
    click.echo(words.as_json(_report(report)) if json_output else _summary(report))
    if report.rejected:
        click.get_current_context().exit(PARTIAL)


@click.command(short_help="Hide a document, or one revision of it, from every later request.")
@click.argument("document", metavar="DOCUMENT[@REVISION]")
@options.store
@click.option("--yes", is_flag=True, help="Do it: a delete cannot be taken back.")
@options.config
@options.json_output
def delete(*, document: str, store: Path, yes: bool, config: Path | None, json_output: bool) -> None:
    """Hide DOCUMENT, or only one revision of it, from every later request, questions about the past included.

    What it had replaced stays replaced, and is named.
    """
    if not yes:
        raise click.UsageError("a delete cannot be taken back: say --yes if you mean it", click.get_current_context())
    name, at, revision = document.partition("@")
    if not name or (at and not revision):  # an empty variable must not widen a delete to the whole document
        raise click.UsageError(
            f"{document!r} names no revision; write DOCUMENT or DOCUMENT@REVISION", click.get_current_context()
        )
    with Remit.open(store, config=config) as remit:
        deleted = remit.delete(name, revision=revision or None)
        replaced = remit.left_replaced(name, revision=revision or None)
        snapshot = remit.snapshot()
    if json_output:
        told = {"document": name, "deleted": deleted, "left_replaced": list(replaced), "snapshot": snapshot.digest}
        click.echo(words.as_json(told))
        return
    click.echo(f"{deleted} {'revision' if deleted == 1 else 'revisions'} of {words.plain(name)} deleted")
    for id in replaced:
        click.echo(words.plain(f"{id} stays replaced by what was deleted: {BRING_BACK}"))


def _reembed(store: Path, config: Path | None, go_on: Callable[[], None]) -> None:
    """Go over to the encoder that is configured."""
    settings = Settings.load(config or store / CONTROL_FILE, os.environ, optional=config is None)
    with (
        open_corpus(store, settings.database) as corpus,
        tqdm(unit="passage", disable=not sys.stderr.isatty(), leave=False) as bar,
    ):

        def step(done: Progress) -> None:
            bar.total = done.total
            bar.update(done.done - bar.n)
            go_on()

        encoder = encoder_of(settings)
        count = corpus.reembed(encoder, now=UTC_NOW(), step=step)
    told = (
        f"{count} passages have vectors of {encoder.name} now"
        if count
        else f"the vectors are of {encoder.name} already"
    )
    click.echo(told, err=True)


def _ingested(
    paths: tuple[Path, ...],
    store: Path,
    *,
    config: Path | None,
    fill: Stated,
    dry_run: bool,
    step: Callable[[Step], None],
) -> Report:
    """Return what an ingest did. A store is only made once it is known that something can go into it."""
    if dry_run or not Remit.exists(store, config=config):
        preview = Remit.preview(paths, store=store, config=config, fill=fill)
        if dry_run or not preview.revisions:
            return preview
    with Remit.open(store, config=config, make=True) as remit:
        return remit.ingest(paths, fill=fill, step=step)


def _report(report: Report) -> dict[str, Any]:
    return {
        "documents": report.documents,
        "revisions": report.revisions,
        "passages": report.passages,
        "unchanged": report.unchanged,
        "rejected": [_fault(fault) for fault in report.rejected],
        "snapshot": report.snapshot.digest if report.snapshot is not None else None,
        "warnings": [_fault(fault) for fault in report.warnings],
        "dry_run": report.dry_run,
    }


def _fault(fault: Fault) -> dict[str, Any]:
    return {"file": fault.file, "line": fault.line, "field": fault.field, "error": fault.error}


def _summary(report: Report) -> str:
    verb = "would be stored" if report.dry_run else "stored"
    return (
        f"{report.documents} documents: {report.revisions} revisions ({report.passages} passages) {verb}, "
        f"{report.unchanged} unchanged, {len(report.rejected)} rejected"
    )
