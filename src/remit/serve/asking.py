"""Commands that read: ask, search, trace."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any, get_args

import click

from remit.access.principal import Principal
from remit.engine import Remit
from remit.errors import InvalidInput
from remit.record.journal import Recorded
from remit.record.replay import Replay, replay
from remit.rerank.choice import RerankKind
from remit.rerank.ranking import Ranking
from remit.retrieve.retriever import Hit
from remit.serve import explained, options, words
from remit.serve.shown import found_json, hit_json, recorded_json

MOST_HITS = 1000


@click.command(short_help="Ask a question; get one of six decisions.")
@click.argument("question", required=False)
@options.store
@options.asker
@options.as_of
@click.option(
    "--param",
    "parameters",
    metavar="KEY=VALUE",
    multiple=True,
    callback=options.pairs,
    help="Say what the question leaves open, such as equipment_revision=B; may be given several times.",
)
@options.collections
@options.revision
@click.option("--language", metavar="CODE", help="Language of the message, such as de; the question's own if left out.")
@click.option("--explain", is_flag=True, help="Show what was understood, each reading, and what was spent.")
@options.config
@options.json_output
def ask(  # noqa: PLR0913 - the options of the command
    *,
    question: str | None,
    store: Path,
    principal: Principal,
    as_of: date | None,
    parameters: dict[str, str],
    collections: tuple[str, ...],
    revision: str | None,
    language: str | None,
    explain: bool,
    config: Path | None,
    json_output: bool,
) -> None:
    """Ask QUESTION (or what comes on stdin) and print the decision.

    Every decision ends with exit code 0: a refusal is a result, not an error.
    """
    asked = _question(question)
    with Remit.open(store, config=config) as remit:
        done = remit.ask(
            asked,
            principal=principal,
            as_of=as_of,
            parameters=parameters,
            collections=collections,
            revision=revision,
            language=language,
        )
    if json_output:
        shown = done.as_json()
        click.echo(words.as_json(shown | {"contract": explained.understood(done)} if explain else shown))
        return
    for line in words.answered(done):
        click.echo(line)
    for line in explained.explained(done) if explain else ():
        click.echo(line)


@click.command(short_help="Show the passages that a search finds for an asker.")
@click.argument("query")
@options.store
@options.asker
@options.as_of
@options.collections
@options.revision
@click.option("-k", type=click.IntRange(1, MOST_HITS), default=10, show_default=True, help="How many passages.")
@click.option(
    "--rerank",
    "policy",
    type=click.Choice(get_args(RerankKind)),
    help="Show what this policy would send instead: it chooses which, in which order and how many.",
)
@options.config
@options.json_output
def search(  # noqa: PLR0913 - the options of the command
    *,
    query: str,
    store: Path,
    principal: Principal,
    as_of: date | None,
    collections: tuple[str, ...],
    revision: str | None,
    k: int,
    policy: RerankKind | None,
    config: Path | None,
    json_output: bool,
) -> None:
    """Print the passages that QUERY finds among what the asker may read."""
    with Remit.open(store, config=config) as remit:
        if policy is not None:
            if collections or revision is not None:
                raise click.UsageError("--rerank is about a whole search: leave --collection and --revision out")
            ranking = remit.rank(query, principal=principal, policy=policy, as_of=as_of)
            _say_ranking(ranking, remit.snapshot().digest, json_output=json_output)
            return
        found = remit.search(query, principal=principal, k=k, as_of=as_of, collections=collections, revision=revision)
    if json_output:
        click.echo(words.as_json(found_json(found)))
        return
    _say_hits(found.hits)
    if not found.hits:
        click.echo("nothing that this asker may read matches", err=True)


@click.command(short_help="Show how a question was decided.")
@click.argument("trace_id", metavar="ID")
@options.store
@options.any_asker
@click.option("--replay", "again", is_flag=True, help="Decide again from what was recorded, and compare.")
@options.config
@options.json_output
def trace(
    *, trace_id: str, store: Path, principal: Principal | None, again: bool, config: Path | None, json_output: bool
) -> None:
    """Print what was recorded under ID: without --as all of it, as the operator who has the files."""
    if again and principal is not None:
        raise click.UsageError("--replay shows true decisions and is the operator's: leave --as out", _here())
    with Remit.open(store, config=config) as remit:
        recorded = remit.trace(trace_id, principal=principal)
    result = replay(recorded.entries) if again else None
    if json_output:
        click.echo(words.as_json(_replayed(trace_id, result) if result else recorded_json(recorded)))
    elif result is not None:
        _say_replayed(result)
    else:
        _say_recorded(recorded)


def _say_hits(hits: Sequence[Hit]) -> None:
    for rank, hit in enumerate(hits, start=1):
        shown = hit_json(rank, hit)
        where = ", ".join(filter(None, (shown["title"], shown["section"])))
        click.echo(words.folded(f"{shown['document']}, revision {shown['revision']}, {where}", lead=f"{rank:3}. "))
        click.echo(words.folded(" ".join(shown["text"].split())[:240], lead=f"     {hit.score:.3f}  ", hang=" " * 5))


def _say_ranking(ranking: Ranking, snapshot: str, *, json_output: bool) -> None:
    about = ranking.model_dump(mode="json", include={"policy", "digest", "k", "reason", "log_probability", "warnings"})
    if json_output:
        hits = [hit_json(rank, hit) for rank, hit in enumerate(ranking.hits, start=1)]
        click.echo(words.as_json({"snapshot": snapshot, "hits": hits, "rerank": {**about, "k": ranking.k}}))
        return
    _say_hits(ranking.hits)
    chance = "" if ranking.log_probability is None else f", log-probability {ranking.log_probability:.2f}"
    click.echo(f"{ranking.policy}: {ranking.reason}{chance}", err=True)
    for warning in ranking.warnings:
        click.echo(f"warning: {warning}", err=True)


def _here() -> click.Context:
    return click.get_current_context()


def _question(given: str | None) -> str:
    if given is not None:
        return given
    if sys.stdin.isatty():
        raise click.UsageError("no question: give it as an argument or on stdin", _here())
    try:
        return sys.stdin.buffer.read().decode("utf-8").rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise InvalidInput(f"the question on stdin is not UTF-8 (byte {error.start}); convert it first") from error


def _say_recorded(recorded: Recorded) -> None:
    click.echo(words.folded(recorded.question, lead="question "))
    click.echo(words.folded(f"{recorded.asker}, {recorded.opened_at}", lead="asker    "))
    click.echo(f"state    {recorded.state}")
    for number, entry in enumerate(recorded.entries, start=1):
        shown = words.as_json(entry.data).replace("\n", "\n      ")
        click.echo(f"\n{number:3}. {entry.kind}\n      {shown}")


def _replayed(trace_id: str, result: Replay) -> dict[str, Any]:
    difference = result.difference
    shown = None
    if difference is not None:
        again = None if difference.again is None else difference.again.model_dump(mode="json")
        recorded = difference.recorded.model_dump(mode="json")
        shown = {"number": difference.number, "recorded": recorded, "again": again}
    return {"trace": trace_id, "decisions": result.decisions, "same": result.same, "difference": shown}


def _say_replayed(result: Replay) -> None:
    difference = result.difference
    if difference is None:
        click.echo(f"same: {result.decisions} decisions made again from the record, all as recorded")
        return
    again = "not decided: its grounds are not in the trace" if difference.again is None else difference.again.action
    click.echo(f"different: decision {difference.number} was {difference.recorded.action}, now {again}")
