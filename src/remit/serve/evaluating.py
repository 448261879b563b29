"""Commands of the lab that run and report experiments."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click
from tqdm import tqdm

from remit.evaluate.comparison import is_comparison
from remit.evaluate.experiment import read_experiment
from remit.evaluate.export import FORMS
from remit.evaluate.report import MARKDOWN, write_report
from remit.evaluate.run import Progress, Runner
from remit.serve import options, words
from remit.serve.comparing import Asked, compare_runs, compare_systems, export_run, report_again
from remit.settings import Settings


@click.group("eval", short_help="Run an experiment: systems over cases, scored, with intervals and figures.")
def evaluate() -> None:
    """Run experiments and report them."""


@evaluate.command(short_help="Run what an experiment file says, and report it.")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "--data", type=click.Path(path_type=Path, file_okay=False), help="Where the sets lie; default: beside FILE."
)
@click.option(
    "--out", type=click.Path(path_type=Path, file_okay=False), help="Where to write; default: FILE without its ending."
)
@click.option(
    "--store",
    "stores",
    multiple=True,
    metavar="SET=PATH",
    callback=options.pairs,
    help="Ask this store for a set of a comparison, rather than one made of its texts.",
)
@click.option("--workers", type=click.IntRange(1, 64), help="Processes, where published systems are compared.")
@options.config
@options.json_output
def run(
    *,
    file: Path,
    data: Path | None,
    out: Path | None,
    stores: dict[str, str],
    workers: int | None,
    config: Path | None,
    json_output: bool,
) -> None:
    """Run every system over every case of FILE, score them, and write the report and the figures.

    Where FILE compares published systems (docs/comparisons.md), that is report.html, report.json and summary.md. Results are
    kept as they come: an interrupted run goes on where it was, and a finished one is only reported again.
    """
    if is_comparison(file):
        asked = Asked(file, data or file.parent, out or file.with_suffix(""), stores)
        compare_systems(asked, os.environ, workers=workers, json_output=json_output)
        return
    experiment = read_experiment(file)
    folder = out or file.with_suffix("")
    settings = Settings.load(config, os.environ)
    with tqdm(unit="case", file=sys.stderr, disable=not sys.stderr.isatty(), leave=False) as bar:

        def tell(done: Progress) -> None:
            bar.total = done.total
            bar.set_postfix_str(words.plain(f"{done.set} {done.system}"), refresh=False)
            bar.update(done.done - bar.n)

        ran = Runner(experiment, data or file.parent, folder, settings, tell).run()
    made = write_report(ran, experiment, folder)
    click.echo(words.as_json(made) if json_output else (folder / MARKDOWN).read_text(encoding="utf-8"))


@evaluate.command(short_help="Write the report of a comparison again from its trials.")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@options.json_output
def report(*, folder: Path, json_output: bool) -> None:
    """Write report.html, report.json and summary.md of a run again; nothing is run."""
    report_again(folder, json_output=json_output)


@evaluate.command(short_help="Compare two runs over the questions that both have.")
@click.argument("one", type=click.Path(path_type=Path, file_okay=False))
@click.argument("other", type=click.Path(path_type=Path, file_okay=False))
@click.option("--measure", default="f1", show_default=True, help="What to compare them by, as report.json calls it.")
@options.json_output
def compare(*, one: Path, other: Path, measure: str, json_output: bool) -> None:
    """Print by set and system how the run in OTHER differs from the one in ONE, paired, with intervals."""
    compare_runs(one, other, measure=measure, json_output=json_output)


@evaluate.command(short_help="Write a comparison's run as Ragas, RAGChecker, DeepEval or TREC tools read it.")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@click.option("--to", required=True, type=click.Choice(list(FORMS)), help="Whose format.")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), help="Where to write; default: in FOLDER.")
@click.option(
    "--store", "stores", multiple=True, metavar="SET=PATH", callback=options.pairs, help="The store of a set."
)
def export(*, folder: Path, to: str, out: Path | None, stores: dict[str, str]) -> None:
    """Write what each system answered and from what, one file for each set and system; print their paths."""
    export_run(folder, to=to, out=out, stores=stores)
