"""A whole training of the reranker: cases, iterations of draws and preferences, the table, and the folder of weights."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from remit.contract.value import digest_of
from remit.measure.bertscore import TokenMatch
from remit.measure.bootstrap import Interval
from remit.parts import encoder_of
from remit.rerank.head import Head
from remit.settings import Settings
from remit.train.artifact import Card, write_artifact
from remit.train.dynamic_schedule import Bench, DynamicSchedule, Told, TrialFactory, drawn, started, trained
from remit.train.dynamic_table import FIGURES, figures_of, fixed, headroom, histogram, learned, rows
from remit.train.environment import Environment
from remit.train.instances import Shelf, instances
from remit.train.lm_examples import ranking_preferences
from remit.train.questions import Question
from remit.train.recipe import Material, Opened, material_of
from remit.train.reranker_trial import Case
from remit.train.reward import TERMS, Weights
from remit.train.rollout_log import RolloutLog, write_json_lines

Step = Callable[[str, int, int], object]


class Size(NamedTuple):
    """What a training would take: questions, rankings to answer from at most, and seconds of one core."""

    questions: int
    trajectories: int
    seconds: float


def size_of(made: Opened, material: Material, *, each: float = 0.1) -> Size:
    """Return what a training would take at most; `each` is the time of an answer. A model's is another: measure it."""
    how: DynamicSchedule = made.schedule
    count = sum(map(len, material.questions.values()))
    held = sum(map(len, material.held.values()))
    tries = int(count * how.iterations * how.samples + held * (len(how.fixed) + how.iterations + 1))
    return Size(count + held, tries, tries * each + (count + held) * 0.2)


def run_reranker(made: Opened, *, data: Path, stores: Path, out: Path, step: Step) -> dict[str, Any]:
    """Train a reranker from its clone on, write its folder, and return the report on the questions held out.

    Raises:
        RemitError: recipe, stores or questions cannot be used.
    """
    recipe, how = made.recipe, made.schedule
    material = material_of(recipe, data=data, stores=stores)
    seen = cases_of(material.questions, material, recipe.today, out / "found", step)
    held = cases_of(material.held, material, recipe.today, out / "found", step)
    cloned, curve = started(seen, how), list[dict[str, Any]]()
    cloned.save(out / "start.safetensors")
    with RolloutLog(out / "rollouts.jsonl") as log:
        factory = TrialFactory(material.stores, recipe.today, out / "answers", cloned, how.seed, 0.0, how.similar)
        environments = factory().environments
        answering = {name: each.name for name, each in environments.items()}
        bench = Bench(
            stores=material.stores,
            today=recipe.today,
            log=log,
            data=digest_of([[one.id, list(one.instance.question.golden)] for one in (*seen, *held)]),
            environment=digest_of(answering),
            answers=out / "answers",
            where=recipe.place,
            step=lambda what, done: step(what, done, len(held if what == "greedy" else seen)),
        )
        heads = trained(
            cloned, seen, bench, how, weights=how.reward.weights, told=lambda told: curve.append(_line(told))
        )
        draws = drawn(cloned, seen, bench, how, number=1, temperature=how.temperature)
        write_json_lines(out / "preferences.jsonl", ranking_preferences(seen, draws))
        table = _table(cloned, heads, held, environments, bench, how)
        without = ablated(cloned, seen, held, bench, how) if how.ablate else []
    report = {
        "recipe": recipe.model_dump(mode="json"),
        "schedule": how.model_dump(mode="json"),
        "environment": answering,
        "table": [_plain(row) for row in table.rows],
        "k": table.k,
        "headroom": headroom(draws, how.reward.weights),
        "without": without,
        "headline": _headline(table.rows, f"iteration {how.iterations}"),
    }
    card = Card(
        "reranker", recipe.digest, bench.data, report["headline"], "DynamicRAG's terms (3.2.3) that are measured here"
    )
    write_artifact(out / "reranker", heads[-1].packed(), card, curve, (one.instance.question.text for one in seen))
    (out / "report.json").write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return report


class Table(NamedTuple):
    """The rows of all systems, and how many questions were sent how many passages, by policy."""

    rows: list[dict[str, Any]]
    k: dict[str, dict[int, int]]


def _table(
    cloned: Head,
    heads: Sequence[Head],
    held: Sequence[Case],
    environments: Mapping[str, Environment],
    bench: Bench,
    how: DynamicSchedule,
) -> Table:
    policies = {"clone": cloned, **{f"iteration {number}": head for number, head in enumerate(heads, 1)}}
    chosen = learned(policies, held, bench, how)
    similarity = TokenMatch(encoder_of(Settings())) if how.similar else None  # type: ignore[arg-type] # it reads tokens
    figures = figures_of(chosen, how.reward.weights)
    figures |= fixed(held, environments, how.fixed, how.reward.weights, similarity)
    return Table(rows(figures, held, against="clone"), {name: histogram(some) for name, some in chosen.items()})


def _headline(table: Sequence[Mapping[str, Any]], last: str) -> str:
    whole = next(row for row in table if (row["set"], row["system"]) == ("all", last))
    told = ", ".join(f"{figure} {whole[f'{figure} difference']}" for figure in FIGURES)
    return f"over the clone on {whole['n']} held-out questions: {told}"


def cases_of(
    questions: Mapping[str, Sequence[Question]], material: Material, today: date, kept: Path, step: Step
) -> list[Case]:
    """Return the questions with their candidates and what the policy sees of them; searches are kept."""
    found: list[Case] = []
    for name, some in questions.items():
        told, number = partial(step, f"candidates of {name}"), 0
        with Shelf(material.stores[name], day=today) as shelf:
            for number, one in enumerate(instances(shelf, some, kept / f"{name}.jsonl"), 1):
                found.append(Case(one, name, shelf.seen(one)))
                told(number, len(some))
    return found


def ablated(
    cloned: Head, seen: Sequence[Case], held: Sequence[Case], bench: Bench, how: DynamicSchedule
) -> list[dict[str, Any]]:
    """Return the figures of policies trained by a reward without one of its terms, scored by the whole reward.

    One iteration each, beside one by the whole reward: all of them learn from the same draws.
    """
    whole, how = how.reward.weights, how.model_copy(update={"iterations": 1})
    left_out: dict[str, Weights] = {name: replace(whole, **{name: 0.0}) for name in TERMS if getattr(whole, name)}
    heads = {
        f"without {name}": trained(cloned, seen, bench, how, weights=weights)[-1] for name, weights in left_out.items()
    }
    heads["whole reward"] = trained(cloned, seen, bench, how, weights=whole)[-1]
    figures = figures_of(learned({"clone": cloned, **heads}, held, bench, how), whole)
    return [_plain(row) for row in rows(figures, held, against="clone") if row["set"] == "all"]


def _line(told: Told) -> dict[str, Any]:
    return {"iteration": told.iteration, **told.epoch._asdict()}


def _plain(row: Mapping[str, Any]) -> dict[str, Any]:
    return {key: list(value) if isinstance(value, Interval) else value for key, value in row.items()}
