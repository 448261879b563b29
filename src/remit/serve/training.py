"""The commands that train policies from one recipe each, and say how far a training is."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import click
from tqdm import tqdm

from remit.errors import NothingThere
from remit.serve import options
from remit.serve.tuning import tune
from remit.train import generator_run, planner_run, reranker_run
from remit.train import lm as lm_training
from remit.train.dynamic_schedule import DynamicSchedule
from remit.train.dynamic_table import FIGURES
from remit.train.recipe import material_of, read_recipe
from remit.train.repair_schedule import RepairSchedule
from remit.train.status import status_of

_DATA: Final = click.option(
    "--data",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path(),
    help="Where the questions lie; here unless told.",
)
_STORES: Final = click.option(
    "--stores",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path(),
    help="Where the stores lie; here unless told.",
)
_OUT: Final = click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    help="The folder of the training; it resumes there.",
)
_DRY: Final = click.option("--dry-run", is_flag=True, help="Print what it would take, and train nothing.")


@click.group(short_help="Train a policy from a recipe; say how far a training is.")
def train() -> None:
    """Train policies from the quality of the answers that follow; an interrupted training goes on where it was."""


train.add_command(tune, "evaluator")  # the learned evaluator is fitted and frozen together with its threshold


@train.command(short_help="Train the planner: RePAIR's two phases, cross-fitted by group.")
@click.argument("recipe", type=click.Path(path_type=Path, dir_okay=False))
@_DATA
@_STORES
@_OUT
@_DRY
@options.json_output
def planner(*, recipe: Path, data: Path, stores: Path, out: Path, dry_run: bool, json_output: bool) -> None:
    """Collect rollouts, learn preferences off-policy and on-policy, and print the table of what that gains.

    OUT/planner holds the weights: name it as `weights` under [planner] in a store's remit.toml.
    """
    made = read_recipe(recipe, "planner", RepairSchedule)
    if dry_run:
        size = planner_run.size_of(made, material_of(made.recipe, data=data, stores=stores))
        _say_size(size, made.recipe.workers, json_output=json_output)
        return
    with _bars() as step:
        report = planner_run.run_planner(made, data=data, stores=stores, out=out, step=step)
    if json_output:
        click.echo(json.dumps(report, ensure_ascii=False))
        return
    for row in report["tables"]["f1"]:
        click.echo(_line(row))
    click.echo(f"\n{report['headline']}\nweights: {out / 'planner'}")


@train.command(short_help="Train the reranker: DynamicRAG's draws and preferences, from its clone on.")
@click.argument("recipe", type=click.Path(path_type=Path, dir_okay=False))
@_DATA
@_STORES
@_OUT
@_DRY
@options.json_output
def reranker(*, recipe: Path, data: Path, stores: Path, out: Path, dry_run: bool, json_output: bool) -> None:
    """Draw rankings, reward the answers that follow, learn preferences, and print what that gains on held-out questions.

    OUT/reranker holds the weights: name it as `weights` under [rerank] in a store's remit.toml.
    """
    made = read_recipe(recipe, "reranker", DynamicSchedule)
    if dry_run:
        size = reranker_run.size_of(made, material_of(made.recipe, data=data, stores=stores))
        _say_size(size, made.recipe.workers, json_output=json_output)
        return
    with _bars() as step:
        report = reranker_run.run_reranker(made, data=data, stores=stores, out=out, step=step)
    if json_output:
        click.echo(json.dumps(report, ensure_ascii=False))
        return
    for row in report["table"]:
        told = "  ".join(f"{figure} {row[figure][0]:.3f}" for figure in FIGURES)
        click.echo(f"{row['set']:<10} n {row['n']:>5}  {row['system']:<12} {told}")
    click.echo(f"\n{report['headline']}\nweights: {out / 'reranker'}")


@train.command(short_help="Train the generator on the passages that the reranker chooses.")
@click.argument("recipe", type=click.Path(path_type=Path, dir_okay=False))
@_DATA
@_STORES
@_OUT
@_DRY
@options.json_output
def generator(*, recipe: Path, data: Path, stores: Path, out: Path, dry_run: bool, json_output: bool) -> None:
    """Train a local language model to answer from the passages chosen, and print how it answers held-out questions.

    OUT/generator holds the weights: name it as `model` under [chat] with kind = "transformers".
    """
    made = read_recipe(recipe, "generator", generator_run.GeneratorSchedule)
    if dry_run:
        size = generator_run.size_of(made, material_of(made.recipe, data=data, stores=stores))
        _say_size(size, made.recipe.workers, json_output=json_output)
        return
    with _bars() as step:
        report = generator_run.run_generator(made, data=data, stores=stores, out=out, step=step)
    if json_output:
        click.echo(json.dumps(report, ensure_ascii=False))
        return
    for row in report["table"]:
        mean, low, high = row["value"]
        click.echo(f"{row['measure']:<4} n {row['n']:>5}  {row['system']:<10} {mean:.3f} [{low:.3f}, {high:.3f}]")


@train.command(short_help="Train a language model on examples or preferences, by TRL.")
@click.argument("method", type=click.Choice(["sft", "dpo"]))
@click.argument("examples", type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "--model", type=click.Path(path_type=Path), required=True, help="The folder of the model, or a GGUF file."
)
@click.option(
    "--reference", type=click.Path(path_type=Path), help="The frozen model of dpo; the model itself unless told."
)
@click.option(
    "--schedule",
    type=click.Path(path_type=Path, dir_okay=False),
    help="TOML: rate, epochs, lora, length, deepspeed, ...",
)
@_OUT
@options.json_output
def lm(
    *,
    method: lm_training.Method,
    examples: Path,
    model: Path,
    reference: Path | None,
    schedule: Path | None,
    out: Path,
    json_output: bool,
) -> None:
    """Train the `lm` policies from the lines that the other trainings leave: `prompt` and `completion`, or `chosen`, `rejected`.

    More than 1 % of examples that would be cut off are refused. An interrupted training goes on from its last checkpoint.
    """
    how = lm_training.read_schedule(schedule)
    rows = lm_training.examples(examples, method)
    start = lm_training.unpacked(model, out / "model") if model.suffix == ".gguf" else model
    done = lm_training.train(method, start, rows, out, how, reference=reference)
    losses = [line["loss"] for line in done.curve if "loss" in line]
    said = {
        "folder": str(done.folder), "weights": lm_training.weights_digest(done.folder), "examples": done.cut.examples,
        "cut": done.cut.share, "first_loss": losses[0] if losses else None, "last_loss": losses[-1] if losses else None,
    }  # fmt: skip
    click.echo(json.dumps(said) if json_output else "\n".join(f"{key}: {value}" for key, value in said.items()))


@train.command(short_help="Say how far a training is.")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@options.json_output
def status(*, folder: Path, json_output: bool) -> None:
    """Count the rollouts of a training by policy and round, and say whether it is complete."""
    if not folder.is_dir():
        raise NothingThere(f"{folder}: no training there; name the --out of one")
    found = status_of(folder)
    if json_output:
        click.echo(json.dumps(found))
        return
    click.echo(f"{found['state']}: {found['rollouts']} rollouts, {found['scored']} scored")
    for row in found["by_policy"]:
        click.echo(
            f"  round {row['round']}  {row['questions']:>6} questions  {row['rollouts']:>7} rollouts  {row['policy']}"
        )


def _say_size(
    size: planner_run.Size | reranker_run.Size | generator_run.Size, workers: int, *, json_output: bool
) -> None:
    if json_output:
        click.echo(json.dumps(size._asdict()))
        return
    click.echo(f"{size.questions} questions, at most {size.trajectories} trajectories to score")
    click.echo(f"about {size.seconds / 60 / workers:.0f} minutes with {workers} workers, and no model call: cost 0")


def _line(row: dict[str, Any]) -> str:
    mean, low, high = row["value"]
    said = f"{row['set']:<10} n {row['n']:>5}  {row['system']:<10} {mean:.3f} [{low:.3f}, {high:.3f}]"
    if "difference" in row:
        mean, low, high = row["difference"]
        said += f"  {mean:+.3f} [{low:+.3f}, {high:+.3f}]"
    return said


@contextmanager
def _bars() -> Iterator[Callable[[str, int, int], None]]:
    """Yield what shows each stage on stderr, and only where that is a terminal."""
    with tqdm(file=sys.stderr, disable=not sys.stderr.isatty(), leave=False) as bar:
        stage = ""

        def step(what: str, done: int, total: int) -> None:
            nonlocal stage
            if what != stage:
                stage = what
                bar.reset(total)
                bar.set_description(what)
            bar.update(done - bar.n)

        yield step
