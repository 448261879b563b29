"""Preference pairs out of rollouts: the best against the worst (DynamicRAG, 3.2.2), or every ranked pair (RePAIR, 3.2)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from remit.contract.value import Value
from remit.train.bounds import Finite
from remit.train.rollout import Rollout

Strategy = Literal["extremes", "ranked"]
STRATEGIES: Final[tuple[Strategy, ...]] = ("extremes", "ranked")


class Filters(Value):
    """What makes a pair teach little (RePAIR, 3.2, left to future work there): both off unless told.

    `margin` is the least difference of rewards, `best` the least reward of the better trajectory.
    """

    margin: Finite = 0.0
    best: Finite = 0.0


class Pair(Value):
    """A trajectory that did better than another from the same state, with both rewards and where they are from."""

    question: str
    group: str
    source: str
    prompt: str
    chosen: str
    rejected: str
    chosen_reward: float
    rejected_reward: float
    policy: str
    round: int
    provenance: tuple[str, ...]

    @property
    def margin(self) -> float:
        """Return how much better the better one did."""
        return self.chosen_reward - self.rejected_reward

    def preference(self) -> dict[str, object]:
        """Return the line of a preference data set: TRL's columns `prompt`, `chosen`, `rejected`, and ours."""
        return {**self.model_dump(mode="json"), "margin": self.margin}


class Places(NamedTuple):
    """Places of the better and the worse trajectory of each pair, shape (pairs,)."""

    better: NDArray[np.intp]
    worse: NDArray[np.intp]


class Made(NamedTuple):
    """Pairs, and what became of the questions and pairs that gave none."""

    pairs: tuple[Pair, ...]
    questions: int
    tied: int
    unmeasured: int
    near_ties: int
    low: int


def pairs_of(rollouts: Iterable[Rollout], strategy: Strategy, filters: Filters | None = None) -> Made:
    """Return the pairs of all questions, in the order of the questions; ties are skipped, margins are kept.

    Trajectories of one question and state are compared, whatever round they are from; each distinct trajectory counts
    once. A rollout without a reward is in no pair, and is counted.
    """
    held = filters or Filters()
    by_state: dict[tuple[str, str], dict[str, Rollout]] = defaultdict(dict)
    unmeasured = 0
    for row in rollouts:
        states = by_state[row.question, row.state]
        if row.reward is None:
            unmeasured += 1
        else:
            states.setdefault(row.trajectory, row)
    found: list[Pair] = []
    tied = near = low = 0
    for tried in by_state.values():
        rows = sorted(tried.values(), key=lambda row: (-_reward(row), row.trajectory))
        candidates = list(_compared(rows, strategy))
        tied += not candidates
        for better, worse in candidates:
            pair = _pair(better, worse)
            if pair.margin < held.margin:
                near += 1
            elif pair.chosen_reward < held.best:
                low += 1
            else:
                found.append(pair)
    return Made(tuple(found), len(by_state), tied, unmeasured, near, low)


def _compared(rows: Sequence[Rollout], strategy: Strategy) -> Iterator[tuple[Rollout, Rollout]]:
    """Yield the better and the worse of what a strategy compares, out of rows by falling reward."""
    candidates = combinations(rows, 2) if strategy == "ranked" else [(rows[0], rows[-1])] if len(rows) > 1 else []
    yield from ((better, worse) for better, worse in candidates if _reward(better) > _reward(worse))


def _reward(row: Rollout) -> float:
    if row.reward is None:
        raise ValueError("want a measured rollout")
    return row.reward


def _pair(better: Rollout, worse: Rollout) -> Pair:
    return Pair(
        question=better.question,
        group=better.group,
        source=better.source,
        prompt=better.state,
        chosen=better.trajectory,
        rejected=worse.trajectory,
        chosen_reward=_reward(better),
        rejected_reward=_reward(worse),
        policy=better.provenance.policy,
        round=better.provenance.round,
        provenance=tuple(dict.fromkeys((better.provenance.digest, worse.provenance.digest))),
    )


def paired(rewards: NDArray[np.float64], strategy: Strategy, filters: Filters) -> Places:
    """Return which trajectories are compared: the best and the worst, or every two that differ; ties are none."""
    if not len(rewards):
        return Places(np.zeros(0, np.intp), np.zeros(0, np.intp))
    if strategy == "extremes":
        better, worse = np.array([rewards.argmax()]), np.array([rewards.argmin()])
    else:
        better, worse = np.nonzero(rewards[:, None] > rewards[None, :])
    margin = rewards[better] - rewards[worse]
    good = (margin > 0) & (margin >= filters.margin) & (rewards[better] >= filters.best)
    return Places(better[good].astype(np.intp), worse[good].astype(np.intp))
