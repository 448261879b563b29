"""Commands about cases: build them from a store and a question set."""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import click

from remit.cases.build import SHARES, Cases, build_cases
from remit.cases.case import digest_of_file, write_cases
from remit.cases.questions import Question, read_questions
from remit.cases.variant import STORE, holding, make_variant
from remit.corpus.sqlite import SqliteCorpus
from remit.engine import Remit
from remit.errors import InvalidInput, NothingThere
from remit.parts import encoder_of
from remit.serve import options, words
from remit.serve.progress import progress

FILE: Final = "cases.jsonl"
CARD: Final = "card.json"


@click.group(short_help="Build cases from your own corpus and questions, to test it on.")
def cases() -> None:
    """Build cases: questions with what an acceptable action and answer would be."""


@cases.command(short_help="Change a copy of a store so that each protocol kind of case is in it.")
@options.store
@click.option(
    "--questions",
    "files",
    multiple=True,
    required=True,
    type=click.Path(path_type=Path, dir_okay=False),
    help="JSONL with id, question, golden_answers and gold_documents (or metadata.gold); may be given several times.",
)
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), required=True, help="The folder to make.")
@click.option(
    "--seed", type=click.IntRange(0), default=1, show_default=True, help="The same seed gives the same cases."
)
@click.option(
    "--shares", multiple=True, metavar="KIND=N", callback=options.pairs, help="How many groups of all become this kind."
)
@click.option("--limit", type=click.IntRange(1), help="At most so many groups of questions.")
@click.option(
    "--asker", default="reader", show_default=True, metavar=options.ASKER, help="Who asks where a line names nobody."
)
@options.config
@options.json_output
def build(  # noqa: PLR0913 - one for each option
    *,
    store: Path,
    files: tuple[Path, ...],
    out: Path,
    seed: int,
    shares: dict[str, str],
    limit: int | None,
    asker: str,
    config: Path | None,
    json_output: bool,
) -> None:
    """Write into --out a changed copy of the store, `cases.jsonl`, the changes, and a card with their digests.

    The store itself is only read. Answerable, near-duplicate, incomplete, conflicting, stale, unlabelled, contested,
    inaccessible, ambiguous, parameter-given, denied and hidden cases are made from groups of questions, each group under one kind.
    """
    if not Remit.exists(store):
        raise NothingThere(f"{store}: no store here; make one with remit ingest")
    questions = _questions(files, asker)
    with Remit.open(store, config=config) as remit:
        settings, now = remit.settings, remit.now()
        if settings.database is not None:
            raise InvalidInput(
                f"{store}: cases are made beside a record in a file: make one with backup and restore --file"
            )
        documents = holding(remit.corpus, at=now.date())
    made = build_cases(documents, questions, seed=seed, shares=_shares(shares), limit=limit)
    if not made.cases:
        raise InvalidInput(f"no case could be made: {', '.join(made.left_out) or 'there is no question'}")
    with progress() as step:
        make_variant(store, out, made.changes, encoder_of(settings), now=now, step=step)
    write_cases(out / FILE, made.cases)
    card = _card(made, store=store, files=files, out=out, seed=seed, now=now)
    (out / CARD).write_text(words.as_json(card) + "\n", encoding="utf-8")
    click.echo(words.as_json(card) if json_output else _told(card))


def _questions(files: tuple[Path, ...], asker: str) -> list[Question]:
    questions = [question for file in files for question in read_questions(file, asker=asker)]
    twice = [id for id, count in Counter(question.id for question in questions).items() if count > 1]
    if twice:
        raise InvalidInput(f"the id {twice[0]} stands in the questions twice: ids tell cases apart")
    return questions


def _shares(given: dict[str, str]) -> dict[Any, int]:
    if not given:
        return dict(SHARES)
    wrong = [kind for kind, share in given.items() if kind not in SHARES or not share.isdecimal()]
    if wrong:
        known = ", ".join(SHARES)
        raise click.UsageError(
            f"--shares {wrong[0]}={given[wrong[0]]}: want KIND=N; kinds are {known}", click.get_current_context()
        )
    return {kind: int(share) for kind, share in given.items()}


def _card(made: Cases, *, store: Path, files: tuple[Path, ...], out: Path, seed: int, now: datetime) -> dict[str, Any]:
    with SqliteCorpus.open(store) as before, SqliteCorpus.open(out / STORE) as after:
        snapshots = {"from": before.snapshot().digest, "store": after.snapshot().digest}
    return {
        "cases": len(made.cases),
        "groups": len({case.group for case in made.cases}),
        "kinds": dict(sorted(Counter(case.kind for case in made.cases).items())),
        "left_out": dict(made.left_out),
        "seed": seed,
        "digest": digest_of_file(out / FILE),
        "snapshots": snapshots,
        "questions": [file.name for file in files],
        "made_at": now.isoformat(),
    }


def _told(card: dict[str, Any]) -> str:
    kinds = ", ".join(f"{count} {kind}" for kind, count in card["kinds"].items())
    left = "".join(f"\nleft out: {count}, {why}" for why, count in card["left_out"].items())
    return words.folded(f"{card['cases']} cases in {card['groups']} groups: {kinds}") + left
