"""The table of RePAIR's effect: every system on every question, each learned one by the fold that never saw its group."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from remit.measure.bootstrap import interval
from remit.measure.compare import compared
from remit.repair.ops import GenerateAnswer
from remit.repair.policy import Weights
from remit.train.planner_examples import by_question, plan_of
from remit.train.planner_trial import Instance
from remit.train.repair_schedule import (
    PHASES,
    Bench,
    RepairSchedule,
    Told,
    chosen,
    folds_of,
    taught,
    trained,
)
from remit.train.rollout import Rollout

VANILLA: Final = "vanilla"
TEMPLATE: Final = "template"
ORACLE: Final = "oracle"
SEED: Final = 7
_TIMES: Final = 2000


class Outcomes(NamedTuple):
    """What each system did for each question, by its name; in the order of `instances`. The oracle's are rewards alone."""

    instances: tuple[Instance, ...]
    rollouts: dict[str, tuple[Rollout, ...]]
    oracle: tuple[float, ...]


def cross_fitted(
    instances: Sequence[Instance],
    initial: Weights,
    bench: Bench,
    how: RepairSchedule,
    told: Callable[[int, Told], object] = lambda *_: None,
) -> Outcomes:
    """Return what vanilla RAG, the template, the untrained policy and the three trainings did on held-out groups."""
    teacher = taught(instances, bench, how)
    found: dict[str, dict[str, Rollout]] = {name: {} for name in (TEMPLATE, "untrained", *PHASES)}
    _add(found[TEMPLATE], chosen(None, instances, bench, how))
    _add(found["untrained"], chosen(initial, instances, bench, how))
    for fold, (seen, held) in enumerate(folds_of(instances, how)):
        groups = {one.id for one in seen}
        rows = [row for row in teacher if row.question in groups]
        policies = trained(
            seen,
            rows,
            initial=initial,
            bench=bench,
            how=how,
            told=lambda line, fold=fold: told(fold, line),  # type: ignore[misc]
        )
        for phase, weights in policies.items():
            _add(found[phase], chosen(weights, held, bench, how))
    best = {id: max((row.reward or 0.0) for row in rows) for id, rows in by_question(teacher).items()}
    order = [one.id for one in instances]
    return Outcomes(
        tuple(instances),
        {name: tuple(rows[id] for id in order) for name, rows in found.items()},
        tuple(max(best[one.id], one.f1(one.state.draft.answer)) for one in instances),
    )


def rows_of(outcomes: Outcomes, *, term: str = "f1") -> list[dict[str, Any]]:
    """Return a row for each set and system: the mean of a term, and how it differs from vanilla RAG, with intervals.

    `term` is f1 or em for the planner's answer as it is (the paper's tables: controller off), `kept f1` or `kept em` for what
    the fallback keeps. `relative` is the difference over vanilla's mean.
    """
    made: list[dict[str, Any]] = []
    sets = sorted({one.source for one in outcomes.instances})
    for name in [*sets, "all"]:
        at = [place for place, one in enumerate(outcomes.instances) if name in ("all", one.source)]
        groups = [outcomes.instances[place].group for place in at]
        values = _values(outcomes, at, term)
        base = np.array(values[VANILLA])
        for system, column in values.items():
            held = np.array(column)
            row: dict[str, Any] = {"set": name, "n": len(at), "system": system}
            row["value"] = interval(lambda rows, held=held: float(held[rows].mean()), groups, seed=SEED, times=_TIMES)  # type: ignore[misc]
            if system != VANILLA:
                done = compared(held, base, groups, seed=SEED, times=_TIMES)
                row |= {"difference": done.difference, "p": done.p, "detectable": done.detectable}
                row["relative"] = done.difference.value / base.mean() if base.mean() else None
            row |= {"actions": _actions(outcomes, system, at)} if system in outcomes.rollouts else {}
            made.append(row)
    return made


def against(outcomes: Outcomes, one: str, other: str, *, term: str = "f1") -> dict[str, Any]:
    """Return how one trained system differs from another over all questions."""
    at = list(range(len(outcomes.instances)))
    values, groups = _values(outcomes, at, term), [each.group for each in outcomes.instances]
    done = compared(values[one], values[other], groups, seed=SEED, times=_TIMES)
    return {"one": one, "other": other, "difference": done.difference, "p": done.p, "detectable": done.detectable}


def usage(rollouts: Sequence[Rollout]) -> Mapping[str, int]:
    """Return how often each operation is in the plans, without the final answer (the paper's table 3)."""
    counted: Counter[str] = Counter()
    for row in rollouts:
        plan = plan_of(row.trajectory)
        for step in () if plan is None else plan.steps[:-1]:
            counted[type(step.operation).__name__] += 1
    return counted


def _actions(outcomes: Outcomes, system: str, at: Sequence[int]) -> dict[str, int]:
    rollouts = [outcomes.rollouts[system][place] for place in at]
    counted = usage(rollouts)
    answered = sum(plan_of(row.trajectory) is not None for row in rollouts)
    return {**counted, f"final {GenerateAnswer.__name__}": answered}


def _values(outcomes: Outcomes, at: Sequence[int], term: str) -> dict[str, list[float]]:
    """Return a term by system; vanilla's from the first draft, the oracle's for F1 only."""
    measure = {"f1": Instance.f1, "em": Instance.exact}[term.removeprefix("kept ")]
    found = {VANILLA: [measure(one, one.state.draft.answer) for one in (outcomes.instances[place] for place in at)]}
    for system, rollouts in outcomes.rollouts.items():
        found[system] = [_measured(rollouts[place], term) for place in at]
    if term == "f1":
        found[ORACLE] = [outcomes.oracle[place] for place in at]
    return found


def _measured(row: Rollout, term: str) -> float:
    value = row.terms.get(term)
    if value is None:
        raise ValueError(f"{row.question}: {term} was not measured; collect it again")
    return value


def _add(found: dict[str, Rollout], rows: Sequence[Rollout]) -> None:
    found.update((row.question, row) for row in rows)
