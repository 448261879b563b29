"""`remit journal`: the auditor's export, retention, redaction; and what reviewers settled, for training."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from datetime import UTC as ZONE
from datetime import date, datetime, time, timedelta
from pathlib import Path

import click

from remit.engine import Remit
from remit.errors import MissingPrerequisite
from remit.library import UTC_NOW
from remit.record.journal import NAME, Journal, Recorded
from remit.record.listing import listed
from remit.record.overrides import overrides
from remit.record.retention import TakenOut, prune, redact
from remit.serve import options, words
from remit.serve.shown import recorded_json

_PAGE = 200


@click.group(short_help="Export traces, take old ones out, redact one.")
def journal() -> None:
    """Look after the record of what was asked."""


@journal.command("export", short_help="Print every trace, a line of JSON each.")
@options.store
@click.option("--since", metavar="YYYY-MM-DD", callback=options.day, help="Leave out what was asked before this day.")
@click.option("--otlp", metavar="URL", help="Send the traces as OpenTelemetry spans to this collector instead.")
def export(*, store: Path, since: date | None, otlp: str | None) -> None:
    """Print every trace as recorded, oldest first, and last a line with their number and the digest of the lines before it."""
    with Remit.open(store) as remit:
        records = (remit.journal.read(trace) for trace in _traces(remit.store, since))
        if otlp is not None:
            _send(records, otlp)
            return
        found, count = hashlib.sha256(), 0
        for recorded in records:
            line = json.dumps(recorded_json(recorded), ensure_ascii=True, sort_keys=True)
            found.update(line.encode() + b"\n")
            count += 1
            click.echo(line)
    click.echo(json.dumps({"traces": count, "sha256": found.hexdigest()}))


@journal.command("prune", short_help="Delete traces that are old enough.")
@options.store
@click.option("--older-than", type=click.IntRange(1), required=True, metavar="DAYS", help="How many days old at least.")
@click.option("--yes", is_flag=True, help="Do it: what is deleted cannot be brought back.")
@options.json_output
def prune_command(*, store: Path, older_than: int, yes: bool, json_output: bool) -> None:
    """Delete the traces that were opened more than so many days ago; what still waits for a person stays."""
    _sure(yes=yes)
    _ready(store)
    now = UTC_NOW()
    _say(prune(store / NAME, before=now - timedelta(days=older_than), now=now), json_output=json_output)


@journal.command("redact", short_help="Take the words out of one trace.")
@click.argument("trace", metavar="ID")
@options.store
@click.option("--yes", is_flag=True, help="Do it: what is taken out cannot be brought back.")
@options.json_output
def redact_command(*, trace: str, store: Path, yes: bool, json_output: bool) -> None:
    """Replace question, asker and record of one trace by their digests."""
    _sure(yes=yes)
    _ready(store)
    _say(redact(store / NAME, trace, now=UTC_NOW()), json_output=json_output)


@click.command("export", short_help="Print what reviewers settled, for training.")
@options.store
@options.config
def overrides_command(*, store: Path, config: Path | None) -> None:
    """Print each item that was settled after two verdicts, with who vouched for them; refused where the reviewers do not agree."""
    try:
        from remit.serve.service.settings import ServeSettings  # noqa: PLC0415 - an extra: the command line works without it
    except ModuleNotFoundError as error:
        raise MissingPrerequisite(f"{error.name} is not installed: pip install 'remit[serve]'") from error
    said = ServeSettings.load(store, config).review
    with Remit.open(store, config=config) as remit:
        done = overrides(remit.journal, least_kappa=said.agreement, least_items=said.least)
    for row in done.rows:
        click.echo(json.dumps(row, ensure_ascii=False))
    agreed = done.agreed
    click.echo(f"{len(done.rows)} items; mean kappa {agreed.kappa:.2f} over {agreed.items} items", err=True)


def _traces(store: Path, since: date | None) -> list[str]:
    """Return the ids of traces, oldest first."""
    start = "" if since is None else datetime.combine(since, time(), ZONE).isoformat()
    found: list[str] = []
    before = ""
    while page := listed(store / NAME, since=start, before=before, limit=_PAGE):
        found += [row.trace for row in page]
        before = page[-1].mark
    return found[::-1]


def _send(records: Iterator[Recorded], url: str) -> None:
    try:
        from remit.serve.otlp import send  # noqa: PLC0415 - an extra
    except ModuleNotFoundError as error:
        raise MissingPrerequisite(f"{error.name} is not installed: pip install 'remit[otel]'") from error
    traces, spans = send(records, url)
    click.echo(f"{traces} traces sent as {spans} spans", err=True)


def _ready(store: Path) -> None:
    """Bring the journal's schema up to date."""
    Journal(store / NAME, make=False).shut()


def _sure(*, yes: bool) -> None:
    if not yes:
        raise click.UsageError("this cannot be taken back: say --yes if you mean it", click.get_current_context())


def _say(done: TakenOut, *, json_output: bool) -> None:
    told = f"{done.traces} {'trace' if done.traces == 1 else 'traces'} taken out ({done.digest})"
    click.echo(words.as_json({"traces": done.traces, "digest": done.digest}) if json_output else told)
