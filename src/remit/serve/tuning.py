"""The command that chooses an operating point on development data and freezes it."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any, Final

import click
from pydantic import ValidationError
from tqdm import tqdm

from remit.decide.frozen import Source
from remit.errors import InvalidInput
from remit.evaluate.choose import Balance, Costs, Target, Wanted
from remit.evaluate.desk import Desk
from remit.evaluate.experiment import CaseSet
from remit.evaluate.result import Learned, Result
from remit.evaluate.run import Ready, ready
from remit.evaluate.store import Kept
from remit.evaluate.tune import COLLECTING, PLANNING, Freezing, Frozen, freeze
from remit.serve import options, words
from remit.settings import Settings

_SEED: Final = 13


@click.command(short_help="Choose an operating point on development cases, and freeze it.")
@click.option(
    "--on",
    "folders",
    multiple=True,
    required=True,
    type=click.Path(path_type=Path, file_okay=False),
    help="A folder of remit cases build; may be given several times.",
)
@click.option("--parts", help="Only cases whose questions stood in files of these names: train or train,dev.")
@click.option("--limit", type=click.IntRange(1), help="At most so many cases of each folder.")
@click.option(
    "--target",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    help="Most requests that may end in an unsupported answer: 0.02.",
)
@click.option(
    "--margin",
    type=click.FloatRange(0),
    default=1.0,
    show_default=True,
    help="Standard errors to stay below the target.",
)
@click.option(
    "--cost",
    callback=options.pairs,
    multiple=True,
    metavar="NAME=N",
    help="What outcomes cost: wrong, abstain, review, second, price.",
)
@click.option("--balance", is_flag=True, help="Answer as much of what has an answer as is held back of what has none.")
@click.option(
    "--learn",
    type=click.Choice(("evident", "supported", "answerable")),
    default="evident",
    show_default=True,
    help="That the evidence is quoted, that what is quoted holds the answer, or that the question has one.",
)
@click.option("--waive-citations", is_flag=True, help="Record the citation check and do not ask it.")
@click.option("--name", required=True, help="The point's name.")
@click.option("--version", default="1", show_default=True, help="The point's version.")
@click.option("--seed", type=click.IntRange(0), default=_SEED, show_default=True, help="Of the fit.")
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), required=True, help="The file to write.")
@options.config
@options.json_output
def tune(  # noqa: PLR0913 - one for each option
    *,
    folders: tuple[Path, ...],
    parts: str | None,
    limit: int | None,
    target: float | None,
    margin: float,
    cost: dict[str, str],
    balance: bool,
    learn: Learned,
    waive_citations: bool,
    name: str,
    version: str,
    seed: int,
    out: Path,
    config: Path | None,
    json_output: bool,
) -> None:
    """Fit the evaluator on development cases, choose the threshold for a target or for costs, and write the frozen point.

    The file names the data by digest: eval run refuses to score the point on them. Costs are refused while the
    calibration error is above what perfect calibration would stay below.
    """
    wanted = _wanted(target, margin, cost, balance=balance)
    named = tuple(part.strip() for part in (parts or "").split(",") if part.strip())
    sets = [
        ready(CaseSet(name=f"{n}-{folder.name}", folder=str(folder.resolve()), limit=limit, parts=named), Path())
        for n, folder in enumerate(folders, 1)
    ]
    settings = Settings.load(config, os.environ)
    results, sources = [], []
    for one in sets:
        found = _collected(one, settings, out.with_suffix(".collected"))
        results += found
        sources.append(Source(name=one.store.parent.name, digest=one.digest, cases=len(found)))
    how = Freezing(name, wanted, seed, ("citations",) if waive_citations else (), learn, version)
    frozen = freeze(results, sources, how)
    out.write_text(frozen.point.model_dump_json(indent=1) + "\n", encoding="utf-8")
    told = _told(frozen, out)
    click.echo(words.as_json(told) if json_output else "\n".join(_lines(told)))


def _collected(one: Ready, settings: Settings, folder: Path) -> list[Result]:
    """Return each case's drafts; what an interrupted tuning has collected is not asked again."""
    found: list[Result] = []
    point = COLLECTING.point
    with Desk(one.store, settings) as desk, Kept(folder, one.name, point.name) as kept:
        for case in tqdm(one.cases, unit="case", file=sys.stderr, disable=not sys.stderr.isatty(), leave=False):
            result = kept.find(case.digest, point.digest)
            if result is None:
                result = desk.ask(case, COLLECTING, system=point.name, plan_at=PLANNING)
                kept.add(result)
            found.append(result)
    return found


def _wanted(target: float | None, margin: float, cost: dict[str, str], *, balance: bool) -> Wanted:
    context = click.get_current_context()
    if (target is not None) + bool(cost) + balance != 1:
        raise click.UsageError(
            "say what to choose for: --target 0.02, --cost wrong=10 --cost abstain=1, or --balance", context
        )
    if balance:
        return Balance()
    if target is not None:
        return Target(unsupported=target, margin=margin)
    try:
        costs = Costs.model_validate({name: float(value) for name, value in cost.items()})
    except (ValueError, ValidationError) as error:
        known = ", ".join(Costs.model_fields)
        raise click.UsageError(f"--cost: want NAME=N with a name of {known}", context) from error
    if min(costs.model_dump().values()) < 0 or costs.wrong + costs.abstain <= 0:
        raise InvalidInput("--cost: costs are 0 or more, and a wrong answer or an abstention costs something")
    return costs


def _told(frozen: Frozen, out: Path) -> dict[str, Any]:
    point, measured = frozen.point.point, frozen.choice.measured
    return {
        "file": str(out),
        "name": point.name,
        "digest": point.digest,
        "data": point.data,
        "chosen_for": point.chosen_for,
        "support": point.support,
        "rounds": point.rounds,
        "cost": frozen.choice.cost,
        "development": measured.model_dump(mode="json"),
        "fit": dict(frozen.fit),
    }


def _lines(told: dict[str, Any]) -> list[str]:
    found = told["development"]
    declined = ", ".join(f"{count} {action}" for action, count in found["declined"]) or "none"
    return [
        f"{told['file']}: {told['name']}, {told['digest'][:19]}",
        f"  chosen for     {told['chosen_for']}",
        f"  answers from   probability {told['support']:.3f}, {told['rounds']} corrective rounds at most",
        f"  development    {found['cases']} cases: unsupported {found['unsupported']:.3f} of requests, useful coverage {found['coverage'] or 0:.3f}",
        f"  declined       {declined}",
        f"  calibration    error {found['calibration_error']:.3f}, bound {found['calibration_bound']:.3f}, Brier {found['brier']:.3f}",
    ]
