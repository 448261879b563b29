"""The table of DynamicRAG's effect: what the reranker sends and what is answered from it, beside its clone and fixed numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from remit.measure.bootstrap import interval
from remit.measure.compare import compared
from remit.rerank.head import Head
from remit.train.dynamic_schedule import Bench, DynamicSchedule, drawn
from remit.train.environment import Asked, Environment
from remit.train.reranker_trial import Case, rewarded, rows_of
from remit.train.reward import Weights, f1_reward, reward, terms
from remit.train.rollout import Rollout

SEED: Final = 7
_TIMES: Final = 2000
FIGURES: Final = ("reward", "exact", "f1", "k")


def learned(
    heads: Mapping[str, Head], cases: Sequence[Case], bench: Bench, how: DynamicSchedule
) -> dict[str, tuple[Rollout, ...]]:
    """Return the greedy choices of policies by name, scored."""
    return {name: drawn(head, cases, bench, how, number=0, temperature=0.0) for name, head in heads.items()}


def figures_of(rollouts: Mapping[str, Sequence[Rollout]], weights: Weights) -> dict[str, dict[str, list[float]]]:
    """Return the figures of each system by question, in the order of the rollouts; the reward under the given weights.

    Raises:
        ValueError: a rollout was not measured: it would have to be left out of some systems and not of others.
    """
    found: dict[str, dict[str, list[float]]] = {}
    for name, rows in rollouts.items():
        rewards = rewarded(rows, weights)
        held = {"reward": [rewards[row.question][row.trajectory] for row in rows]}
        for figure in FIGURES[1:]:
            values = [row.terms.get(figure) for row in rows]
            if any(value is None for value in values):
                raise ValueError(f"{name}: {figure} was not measured for every question; collect again")
            held[figure] = [value for value in values if value is not None]
        found[name] = held
    return found


def rows(
    figures: Mapping[str, Mapping[str, Sequence[float]]], cases: Sequence[Case], *, against: str
) -> list[dict[str, Any]]:
    """Return a row for each set and system: each figure with its interval, and its difference from the system `against`."""
    made: list[dict[str, Any]] = []
    for name in [*sorted({case.source for case in cases}), "all"]:
        at = [place for place, case in enumerate(cases) if name in ("all", case.source)]
        groups = [cases[place].group for place in at]
        for system, held in figures.items():
            row: dict[str, Any] = {"set": name, "n": len(at), "system": system}
            for figure in FIGURES:
                values = np.array(held[figure])[at]
                row[figure] = interval(lambda some, v=values: float(v[some].mean()), groups, seed=SEED, times=_TIMES)  # type: ignore[misc]
                if system != against:
                    other = np.array(figures[against][figure])[at]
                    done = compared(values, other, groups, seed=SEED, times=_TIMES)
                    row[f"{figure} difference"], row[f"{figure} p"] = done.difference, done.p
            made.append(row)
    return made


def histogram(rollouts: Sequence[Rollout]) -> dict[int, int]:
    """Return how many questions were sent how many passages."""
    counted = Counter(int(row.terms["k"] or 0) for row in rollouts)
    return {k: counted[k] for k in range(max(counted, default=0) + 1)}


def fixed(
    cases: Sequence[Case],
    environments: Mapping[str, Environment],
    counts: Sequence[int],
    weights: Weights,
    similarity: Any,
) -> dict[str, dict[str, list[float]]]:
    """Return the figures of sending the first k passages as the retriever found them, for each k; 0 is no retrieval."""
    found: dict[str, dict[str, list[float]]] = {}
    for count in counts:
        held: dict[str, list[float]] = {figure: [] for figure in FIGURES}
        for case in cases:
            hits, golden = case.instance.candidates.hits[:count], case.instance.question.golden
            said = environments[case.source].answer(Asked(case.instance.contract, hits))
            if said.failed:
                raise ValueError(f"{case.id}: the generator failed ({said.failed}); run it again")
            measured = terms(said.answer, golden, similarity=similarity)
            held["reward"].append(reward([measured], weights).rewards[0])
            held["exact"].append(measured.exact)
            held["f1"].append(f1_reward(said.answer, golden))
            held["k"].append(float(len(hits)))
        found[f"first {count}" if count else "no retrieval"] = held
    return found


def headroom(rollouts: Sequence[Rollout], weights: Weights) -> list[dict[str, Any]]:
    """Return what the rankings tried leave to be learned, by set: the greedy choice, the best and the worst of each question.

    The greedy choice is the first of each question's. The best is an oracle's: it knows the answer.
    """
    rewards, by_question = rewarded(rollouts, weights), dict[str, list[Rollout]]()
    for rollout in rollouts:
        if rollout.reward is not None:
            by_question.setdefault(rollout.question, []).append(rollout)

    def of(one: Rollout) -> float:
        return rewards[one.question][one.trajectory]

    made: list[dict[str, Any]] = []
    for name in [*sorted({rollout.source for rollout in rollouts}), "all"]:
        tried = [some for some in by_question.values() if name in ("all", some[0].source)]
        if not tried:
            continue
        row: dict[str, Any] = {"set": name, "n": len(tried), "rankings": float(np.mean([len(some) for some in tried]))}
        ways = {"greedy": [some[0] for some in tried], "best": [max(some, key=of) for some in tried]}
        ways["worst"] = [min(some, key=of) for some in tried]
        for way, chosen in ways.items():
            row[f"{way} reward"] = float(np.mean([of(one) for one in chosen]))
            row[f"{way} exact"] = float(np.mean([one.terms.get("exact") or 0.0 for one in chosen]))
            row[f"{way} k"] = float(np.mean([one.terms.get("k") or 0.0 for one in chosen]))
        row["tied"] = float(np.mean([len({round(of(one), 9) for one in some}) == 1 for some in tried]))
        made.append(row)
    return made


def sent(rollouts: Sequence[Rollout], cases: Sequence[Case]) -> list[tuple[str, ...]]:
    """Return the passages that were sent, by id, for each question."""
    by_id = {case.id: case for case in cases}
    return [
        tuple(by_id[row.question].seen.ids[at] for at in rows_of(row.trajectory, by_id[row.question]))
        for row in rollouts
    ]
