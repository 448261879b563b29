"""Systems compared over questions, from the command line: run, report again, and two runs beside each other."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import click
from tqdm import tqdm

from remit.errors import InvalidInput, NothingThere
from remit.evaluate.beside import beside
from remit.evaluate.comparison import read_comparison
from remit.evaluate.export import export
from remit.evaluate.material import ready, store_of, texts_of
from remit.evaluate.page import HTML, JSON, MARKDOWN, Report, write
from remit.evaluate.trials import TRIALS, ran_before, run
from remit.evaluate.working import Place
from remit.serve import words
from remit.serve.progress import progress

COPY: str = "experiment.toml"


class Asked(NamedTuple):
    """An experiment's file, where its data lie, where its results go, and stores by set instead of those it names."""

    file: Path
    data: Path
    out: Path
    stores: Mapping[str, str]


def compare_systems(asked: Asked, environ: Mapping[str, str], *, workers: int | None, json_output: bool) -> None:
    """Run a comparison and write its report; what is there already is not run again.

    Raises:
        RemitError: the experiment, its data, a store or a model cannot be used.
    """
    comparison = read_comparison(asked.file)
    if workers is not None:
        comparison = comparison.model_copy(
            update={"run": comparison.run.model_copy(update={"workers": max(1, workers)})}
        )
    unknown = sorted(asked.stores.keys() - {one.name for one in comparison.sets})
    if unknown:
        raise InvalidInput(f"--store {unknown[0]}=...: no set of that name in {asked.file}")
    stored = [
        one.model_copy(update={"store": str(Path(asked.stores[one.name]).absolute())})
        if one.name in asked.stores
        else one
        for one in comparison.sets
    ]
    with progress() as step:
        sets = [ready(one, asked.data, asked.out, seed=comparison.seed, step=step) for one in stored]
    place = Place(asked.data, asked.out, environ.get("REMIT_CHAT_KEY"), environ.get("REMIT_CHAT_GGUF"))
    asked.out.mkdir(parents=True, exist_ok=True)
    # Before the run, so that one that was interrupted can be reported on as far as it came.
    (asked.out / COPY).write_text(asked.file.read_text(encoding="utf-8"), encoding="utf-8")
    with _counting("trial") as tell, _going_on():
        ran = run(comparison, place, sets, tell=tell)
    _reported(Report.of(comparison, ran), asked.out, json_output=json_output)


def report_again(folder: Path, *, json_output: bool) -> None:
    """Write the report of a run again from its trials.

    Raises:
        NothingThere: the folder holds no run.
    """
    if not (folder / COPY).exists() or not (folder / TRIALS).exists():
        raise NothingThere(f"{folder}: no run of `remit eval run` here")
    comparison = read_comparison(folder / COPY)
    _reported(Report.of(comparison, ran_before(folder)), folder, json_output=json_output)


def compare_runs(one: Path, other: Path, *, measure: str, json_output: bool) -> None:
    """Print how two runs differ, system by system, over the questions that both have.

    Raises:
        NothingThere: a folder holds no run.
        InvalidInput: they have no question in common.
    """
    for folder in (one, other):
        if not (folder / TRIALS).exists():
            raise NothingThere(f"{folder}: no run of `remit eval run` here")
    found = beside(ran_before(one).trials, ran_before(other).trials, measure)
    if not found:
        raise InvalidInput(f"{one} and {other} have no question and system in common")
    if json_output:
        click.echo(words.as_json(found))
        return
    for row in found:
        click.echo(
            f"{row['set']:12} {row['system']:36} {row['one']:.3f} -> {row['other']:.3f}  {row['difference']:+.3f} "
            f"[{row['low']:+.3f}, {row['high']:+.3f}]  p {row['p']:.3f}, Holm {row['holm']:.3f}, {row['questions']} questions"
        )


def export_run(folder: Path, *, to: str, out: Path | None, stores: Mapping[str, str]) -> None:
    """Write a run as another tool reads it, with the texts of the passages from the stores that were asked.

    Raises:
        NothingThere: the folder holds no run, or a store is not there.
        InvalidInput: there is no such form.
    """
    if not (folder / COPY).exists() or not (folder / TRIALS).exists():
        raise NothingThere(f"{folder}: no run of `remit eval run` here")
    comparison = read_comparison(folder / COPY)
    trials = ran_before(folder).trials
    texts = {
        one.name: texts_of(store_of(one, folder, stores.get(one.name)), one.asker, comparison.today)
        for one in comparison.sets
        if to != "trec"
    }
    for path in export(trials, texts, to, out or folder / to):
        click.echo(str(path))


def _reported(report: Report, out: Path, *, json_output: bool) -> None:
    write(report, out)
    click.echo(words.as_json(report.json) if json_output else (out / MARKDOWN).read_text(encoding="utf-8"))
    if not json_output:
        click.echo(f"{out / HTML} and {out / JSON} hold the rest", err=True)


@contextmanager
def _counting(unit: str) -> Iterator[Any]:
    with tqdm(unit=unit, file=sys.stderr, disable=not sys.stderr.isatty(), leave=False) as bar:

        def tell(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        yield tell


@contextmanager
def _going_on() -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        click.echo("interrupted: what was done is kept; the same command goes on from here", err=True)
        raise
