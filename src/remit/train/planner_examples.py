"""What the `encoder` planner learns from: the plans tried in a state, by their decisions, with what came of each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from remit.repair.features import Seen
from remit.repair.parse import parse
from remit.repair.plan import Plan
from remit.repair.planner import State
from remit.repair.policy import Decision, Situation
from remit.train.rollout import Rollout

LEAVE: Final = "leave"
"""The trajectory of leaving the draft alone."""


class Tried(NamedTuple):
    """The trajectories of one question as decisions, their rewards, shape (n,), and the group that keeps it together."""

    question: str
    group: str
    texts: tuple[str, ...]
    plans: tuple[tuple[Decision, ...], ...]
    rewards: NDArray[np.float64]

    @property
    def operations(self) -> NDArray[np.int64]:
        """Return how many operations each trajectory has, the final one counted, shape (n,); leaving alone has none."""
        return np.array([0 if text == LEAVE else len(plan) for text, plan in zip(self.texts, self.plans, strict=True)])


def plan_of(text: str) -> Plan | None:
    """Return the plan that a trajectory stands for; None for leaving the draft alone.

    Raises:
        ValueError: it is no trajectory.
    """
    if text == LEAVE:
        return None
    match parse(text):
        case Plan() as plan:
            return plan
        case flaw:
            raise ValueError(f"no plan: {flaw}")


def text_of(plan: Plan | None) -> str:
    """Return a plan, or leaving the draft alone, as a trajectory."""
    return LEAVE if plan is None else plan.text


def tried(state: State, seen: Seen, rollouts: Iterable[Rollout], *, question: str, group: str) -> Tried:
    """Return the distinct measured trajectories of one question, as the policy decides them when it sees `seen`.

    A plan that the grammar cannot make teaches nothing here and is left out.
    """
    situation = Situation(state, seen)
    found: dict[str, tuple[tuple[Decision, ...], float]] = {}
    for row in rollouts:
        if row.reward is None or row.trajectory in found:
            continue
        decisions = situation.decisions(plan_of(row.trajectory))
        if decisions is not None:
            found[row.trajectory] = (decisions, row.reward)
    rewards = np.array([reward for _, reward in found.values()], dtype=np.float64)
    return Tried(question, group, tuple(found), tuple(plan for plan, _ in found.values()), rewards)


def by_question(rollouts: Iterable[Rollout]) -> Mapping[str, list[Rollout]]:
    """Return rollouts by their question."""
    found: dict[str, list[Rollout]] = {}
    for row in rollouts:
        found.setdefault(row.question, []).append(row)
    return found
