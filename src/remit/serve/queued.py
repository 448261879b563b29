"""Commands that read what waits for a person: queue, and review list."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import click

from remit.access.principal import Principal
from remit.decide.decision import Queue
from remit.engine import Remit
from remit.record.queue import QUEUES
from remit.record.queues import Gap, Waiting
from remit.serve import options, words
from remit.serve.journaling import overrides_command

MOST: Final = 1000


@click.command(short_help="Show what waits in a queue.")
@click.argument("name", type=click.Choice(QUEUES))
@options.store
@options.any_asker
@click.option("--handled", is_flag=True, help="Show what came off the queue instead.")
@click.option("--by-fact", is_flag=True, help="Group corpus gaps by the fact that is missing.")
@click.option("--after", type=click.IntRange(0), default=0, help="Go on behind the item of this number.")
@click.option("--limit", type=click.IntRange(1, MOST), default=100, show_default=True, help="How many items.")
@options.config
@options.json_output
def queue(  # noqa: PLR0913 - the options of the command
    *,
    name: Queue,
    store: Path,
    principal: Principal | None,
    handled: bool,
    by_fact: bool,
    after: int,
    limit: int,
    config: Path | None,
    json_output: bool,
) -> None:
    """Print what decisions left in the queue NAME: without --as all of it, as the operator who has the files.

    With --as, what that reader may know of: their own items, and those that rest on documents they may read.
    """
    if by_fact and name != "corpus_gaps":
        raise click.UsageError("--by-fact groups corpus_gaps and no other queue", click.get_current_context())
    with Remit.open(store, config=config) as remit:
        if by_fact:
            return _say_gaps(remit.gaps(principal=principal), json_output=json_output)
        items = remit.queue(name, principal=principal, handled=handled, after=after, limit=limit)
    return _say(name, items, json_output=json_output)


@click.group(short_help="See the items that a person has to settle.")
def review() -> None:
    """Review items: questions over which approved documents contradict each other."""


review.add_command(overrides_command)


@review.command("list", short_help="Show the items that wait for review.")
@options.store
@options.any_asker
@click.option("--limit", type=click.IntRange(1, MOST), default=100, show_default=True, help="How many items.")
@options.config
@options.json_output
def list_items(*, store: Path, principal: Principal | None, limit: int, config: Path | None, json_output: bool) -> None:
    """Print what waits for review: the question, what is at stake, and both sources where they say so."""
    with Remit.open(store, config=config) as remit:
        items = remit.queue("review_items", principal=principal, limit=limit)
    _say("review_items", items, json_output=json_output)


def _say(name: str, items: tuple[Waiting, ...], *, json_output: bool) -> None:
    if json_output:
        click.echo(words.as_json({"queue": name, "items": [item.as_json() for item in items]}))
        return
    for item in items:
        for line in _told(item):
            click.echo(line)
    if not items:
        click.echo(f"nothing waits in {name} that this reader may see", err=True)


def _told(item: Waiting) -> Iterator[str]:
    yield words.folded(item.question, lead=f"{item.number:4}. ")
    yield words.folded(f"{item.asker}, {item.at}, {item.decision}: {item.reason}", lead="      ")
    if item.message is not None:
        yield words.folded(item.message, lead="      ")
    for source in item.sources:
        where = ", ".join(filter(None, (source.document, f"revision {source.revision}", source.title, *source.section)))
        yield words.folded(where, lead="      -   ")
        if source.quote is not None:
            yield words.folded(f"“{source.quote}”", lead="          ")
    if item.withheld:
        yield words.folded(", ".join(item.withheld), lead="      names, and may not know of: ")
    if item.handled is not None:
        by = "" if item.handled.trace is None else f" in {item.handled.trace}"
        yield words.folded(f"{item.handled.how} by {item.handled.who}{by}, {item.handled.at}", lead="      ")
    yield words.folded(item.trace, lead="      trace ")


def _say_gaps(gaps: tuple[Gap, ...], *, json_output: bool) -> None:
    if json_output:
        click.echo(words.as_json({"gaps": [{"fact": gap.fact, "items": list(gap.items)} for gap in gaps]}))
        return
    for gap in gaps:
        numbers = ", ".join(map(str, gap.items))
        click.echo(words.folded(f"{gap.fact} (items {numbers})", lead=f"{len(gap.items):4}  "))
