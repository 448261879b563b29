"""A whole training of the planner: instances, cross-fitted table, final weights, and the folder that holds them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, cast

from remit.contract.value import digest_of
from remit.measure.bootstrap import Interval
from remit.observe.estimate import head
from remit.repair.encoder import bytes_of, untrained
from remit.repair.execute import PlanExecutor
from remit.train.artifact import Card, write_artifact
from remit.train.lm_examples import plan_preferences
from remit.train.planner_trial import Instance, instances, opened
from remit.train.recipe import Material, Opened, material_of
from remit.train.repair_schedule import PHASES, Bench, RepairSchedule, Told, taught, trained
from remit.train.repair_table import Outcomes, against, cross_fitted, rows_of
from remit.train.rollout_log import RolloutLog, write_json_lines

Step = Callable[[str, int, int], object]
"""Told what is being done, how many of it are done, and how many there are."""


class Size(NamedTuple):
    """What a training would take: questions, trajectories to score at most, and seconds of one core at `each` seconds."""

    questions: int
    trajectories: int
    seconds: float


def size_of(made: Opened, material: Material, *, each: float = 0.12) -> Size:
    """Return what a training would take at most, before equal plans are found in the log; `each` is a plan's time.

    A model's time is another: with a chat model configured in the store, measure a plan of yours and say so.
    """
    how: RepairSchedule = made.schedule
    count = sum(map(len, material.questions.values()))
    fits = how.folds * 2 * how.rounds * how.samples * (how.folds - 1) / how.folds
    tries = int(count * (how.teacher_plans + fits + how.rounds * how.samples + 5))
    return Size(count, tries, tries * each + count * 0.3)


def run_planner(made: Opened, *, data: Path, stores: Path, out: Path, step: Step) -> dict[str, Any]:
    """Train a planner, write its folder, and return the report; what an interrupted run did is not done again.

    Raises:
        RemitError: recipe, stores or questions cannot be used.
    """
    recipe, how = made.recipe, made.schedule
    material = material_of(recipe, data=data, stores=stores)
    asked: list[Instance] = []
    digests = []
    for name, questions in material.questions.items():
        kept, told = out / "states" / f"{name}.pickle", partial(_drafting, step, name, len(questions))
        with opened(material.stores[name]) as remit:
            asked += instances(remit, name, questions, kept, today=recipe.today, step=told)
            executor = cast("PlanExecutor", remit.parts.line.executor)
            digests.append([name, remit.snapshot().digest, executor.name, head().digest])
    environment = digest_of(digests)
    data_digest = digest_of([[one.id, list(one.question.golden)] for one in asked])
    curve: list[dict[str, Any]] = []
    with RolloutLog(out / "rollouts.jsonl") as log:
        counts = {"teacher": len(asked)}
        bench = Bench(
            material.stores, log, data_digest, environment, recipe.place,
            lambda what, done: step(what, done, counts.get(what, len(asked))),
        )  # fmt: skip
        initial = untrained()
        outcomes = cross_fitted(asked, initial, bench, how, lambda fold, told: curve.append(_line(fold, told)))
        teacher = taught(asked, bench, how)
        write_json_lines(out / "preferences.jsonl", plan_preferences(asked, teacher, oracle=True))
        weights = trained(
            asked, teacher, phases=("both",), initial=initial, bench=bench, how=how,
            told=lambda told: curve.append(_line(None, told)),
        )["both"]  # fmt: skip
    report = _report(outcomes, made, data_digest, environment)
    card = Card("planner", made.recipe.digest, data_digest, report["headline"], "token F1 (RePAIR, 3.2)")
    write_artifact(out / "planner", bytes_of(weights), card, curve, (one.question.text for one in asked))
    (out / "report.json").write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return report


def _report(outcomes: Outcomes, made: Opened, data: str, environment: str) -> dict[str, Any]:
    tables = {
        term: [_plain(row) for row in rows_of(outcomes, term=term)] for term in ("f1", "em", "kept f1", "kept em")
    }
    pairs = [against(outcomes, "both", other) for other in (*PHASES[:2], "template", "untrained")]
    whole = next(row for row in rows_of(outcomes) if (row["set"], row["system"]) == ("all", "both"))
    relative = "" if whole["relative"] is None else f" ({whole['relative']:+.1%})"
    return {
        "recipe": made.recipe.model_dump(mode="json"),
        "schedule": made.schedule.model_dump(mode="json"),
        "data": data,
        "environment": environment,
        "questions": len(outcomes.instances),
        "tables": tables,
        "phases": [_plain(row) for row in pairs],
        "headline": f"token F1 {whole['difference']} over vanilla RAG{relative}, n = {whole['n']}, cross-fitted by group",
    }


def _drafting(step: Step, name: str, total: int, done: int) -> None:
    step(f"drafts of {name}", done, total)


def _line(fold: int | None, told: Told) -> dict[str, Any]:
    return {"fold": fold, "phase": told.phase, "round": told.round, **told.epoch._asdict()}


def _plain(row: Mapping[str, Any]) -> dict[str, Any]:
    return {key: list(value) if isinstance(value, Interval) else value for key, value in row.items()}
