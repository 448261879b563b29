"""`remit demo`: the sample corpus, and one real question for each of the six decisions."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NamedTuple

import click

import remit
from remit.access.principal import Principal, parse_principal
from remit.decide.decision import Action
from remit.engine import Remit
from remit.errors import NothingThere
from remit.record.answered import Answered
from remit.record.trace import Entry
from remit.serve import words
from remit.serve.progress import progress

SAMPLE: Final = Path("examples/plant")
QUESTIONS: Final = "demo.jsonl"


TODAY: Final = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
"""The day that the sample corpus calls today: its drafts, its replaced and its coming revisions are told by it."""


class Shown(NamedTuple):
    """One question of the demo: which decision it should show, who asks, and what a right answer holds, if one is due."""

    shows: str
    question: str
    asker: Principal
    answer: str


@click.command(short_help="Ask the sample corpus six questions, one for each decision.")
@click.option("--keep", type=click.Path(path_type=Path, file_okay=False), help="Keep the store in this directory.")
def demo(*, keep: Path | None) -> None:
    """Ingest the sample corpus into a store and ask it one question for each of the six decisions.

    Nothing is staged: the questions run through the same line as yours. Ends with exit code 1 if one of them ends
    otherwise than it is there to show.
    """
    sample = _sample()
    shown = _questions(sample / QUESTIONS)
    click.echo(f"Asked as on {TODAY:%d %B %Y}, the day that the sample corpus calls today.", err=True)
    with _store(keep) as store, Remit.open(store, make=True, now=lambda: TODAY) as opened:
        click.echo(f"Reading {sample} into {store} ...", err=True)
        with progress() as step:
            report = opened.ingest([sample], step=step)
        click.echo(f"{report.documents} documents, {report.revisions} revisions, {report.passages} passages", err=True)
        ended = [_ask(opened, number, one) for number, one in enumerate(shown, start=1)]
        if keep is not None:
            click.echo(f"\nThe store is kept: remit ask '...' --store {keep} --as mara:maintenance")
    missed = [one.shows for one, as_shown in zip(shown, ended, strict=True) if not as_shown]
    click.echo(f"\n{len(ended) - len(missed)} of {len(ended)} questions ended as they are there to show.")
    if missed:
        click.echo(f"These did not: {', '.join(missed)}.")
        click.get_current_context().exit(1)


def _ask(opened: Remit, number: int, one: Shown) -> bool:
    """Ask one question, print what happened, and say whether it ended as it should."""
    done = opened.ask(one.question, principal=one.asker)
    entries = opened.trace(done.trace, principal=None).entries
    click.echo(f"\n{f'{number}. {one.shows} ':-<{words.WIDTH}}")
    click.echo(words.folded(one.question, lead="question "))
    click.echo(words.folded(f"{one.asker.id}, in {', '.join(one.asker.groups) or 'no group'}", lead="asker    "))
    click.echo(words.folded(_tried(entries), lead="tried    "))
    click.echo("decision ", nl=False)
    for line in words.answered(done):
        click.echo(line)
    return _as_shown(one, done)


def _as_shown(one: Shown, done: Answered) -> bool:
    if one.answer not in (done.outcome.answer or ""):
        return False
    ended = {done.outcome.decision.action, done.outcome.shown.action}
    if one.shows == Action.RETRIEVE_AGAIN:
        return Action.ANSWER in ended and done.rounds > 0
    return one.shows in ended


def _tried(entries: tuple[Entry, ...]) -> str:
    """Return in words what was done before the decision: the first search, and each corrective plan that ran."""
    told, offered = ["one search"], ""
    for entry in entries:
        if entry.kind == "Proposal":
            action = (entry.data["action"] or "a plan").replace("_", " ")
            offered = f"then {action}, expecting {entry.data['expects'] or 'more'}"
        elif entry.kind == "Repaired":
            told.append(offered)
    return "; ".join(told)


def _questions(path: Path) -> list[Shown]:
    if not path.is_file():
        raise NothingThere(f"{path}: not there; the demo needs its questions, one JSON object a line")
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    return [
        Shown(line["shows"], line["question"], parse_principal(line["asker"]), line.get("answer", "")) for line in lines
    ]


def _sample() -> Path:
    """Return the sample corpus: of this directory, or of the checkout that Remit is installed from."""
    checkout = Path(remit.__file__).resolve().parents[2] / SAMPLE
    for place in (SAMPLE, checkout):
        if place.is_dir():
            return place
    raise NothingThere(f"{SAMPLE}: not there; run the demo in a checkout of Remit (the sample is not in the package)")


@contextmanager
def _store(keep: Path | None) -> Iterator[Path]:
    if keep is not None:
        yield keep
        return
    with tempfile.TemporaryDirectory(prefix="remit-demo-") as folder:
        yield Path(folder) / "store"
