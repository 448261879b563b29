"""Commands of the lab that run and report experiments."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click
from tqdm import tqdm

from remit.evaluate.experiment import read_experiment
from remit.evaluate.report import MARKDOWN, write_report
from remit.evaluate.run import Progress, Runner
from remit.serve import options, words
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
@options.config
@options.json_output
def run(*, file: Path, data: Path | None, out: Path | None, config: Path | None, json_output: bool) -> None:
    """Run every system over every case of FILE, score them, and write report.md, report.json and the figures.

    Results are kept as they come: an interrupted run goes on where it was, and a finished one is only reported again.
    """
    experiment = read_experiment(file)
    folder = out or file.with_suffix("")
    settings = Settings.load(config, os.environ)
    with tqdm(unit="case", file=sys.stderr, disable=not sys.stderr.isatty(), leave=False) as bar:

        def tell(done: Progress) -> None:
            bar.total = done.total
            bar.set_postfix_str(words.plain(f"{done.set} {done.system}"), refresh=False)
            bar.update(done.done - bar.n)

        ran = Runner(experiment, data or file.parent, folder, settings, tell).run()
    report = write_report(ran, experiment, folder)
    click.echo(words.as_json(report) if json_output else (folder / MARKDOWN).read_text(encoding="utf-8"))
