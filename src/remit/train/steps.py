"""Choices as a batch: what was seen at each step of some trajectories, and which action each step aims at."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from remit.rerank.plackett_luce import Chooser
from remit.rerank.seen import Seen
from remit.rerank.step import STOP_WIDTH, WIDTH, step

Array = NDArray[np.float32]


class Trajectory(NamedTuple):
    """An ordered subset of a question's candidates, as rows of what was seen."""

    seen: Seen
    rows: tuple[int, ...]


class Steps(NamedTuple):
    """All steps of trajectories that leave a choice, one after the other.

    `candidates` (R, WIDTH) holds the rows open at each step; step s begins at row ``starts[s]``. `stops` (S, STOP_WIDTH)
    holds a row a step, `closed` (S,) says where stopping is not allowed. `aim` (R,) and `aim_stop` (S,) sum to 1 over each
    step: the target distribution. `of` (S,) says to which trajectory a step belongs.
    """

    candidates: Array
    stops: Array
    starts: NDArray[np.intp]
    closed: NDArray[np.bool_]
    aim: Array
    aim_stop: Array
    of: NDArray[np.intp]
    trajectories: int

    @property
    def size(self) -> int:
        """How many steps there are."""
        return len(self.starts)

    def only(self, trajectories: NDArray[np.intp]) -> Steps:
        """Return the steps of some trajectories, numbered anew in the order given."""
        number = np.full(self.trajectories, -1, dtype=np.intp)
        number[trajectories] = np.arange(len(trajectories))
        kept = np.flatnonzero(number[self.of] >= 0)
        kept = kept[np.argsort(number[self.of[kept]], kind="stable")]
        ends = np.append(self.starts[1:], len(self.candidates))
        rows = np.concatenate([np.arange(self.starts[s], ends[s]) for s in kept]) if len(kept) else np.zeros(0, np.intp)
        sizes = ends[kept] - self.starts[kept]
        starts = np.cumsum(np.append(0, sizes))[:-1].astype(np.intp)
        return Steps(
            self.candidates[rows], self.stops[kept], starts, self.closed[kept], self.aim[rows],
            self.aim_stop[kept], number[self.of[kept]], len(trajectories),
        )  # fmt: skip


def steps_of(trajectories: Iterable[Trajectory], limits: Chooser) -> Steps:
    """Return the steps of trajectories, each aiming at the action taken; forced stops are no choice and are left out."""
    return _stacked([_taken(one, limits) for one in trajectories])


def set_steps(trajectories: Iterable[Trajectory], limits: Chooser) -> Steps:
    """Return the steps of trajectories that aim at any of the rows still to come, one as good as the other."""
    return _stacked([_taken(one, limits, any_order=True) for one in trajectories])


class _One(NamedTuple):
    candidates: Array
    stop: Array
    closed: bool
    aim: Array
    aim_stop: float


def _taken(trajectory: Trajectory, limits: Chooser, *, any_order: bool = False) -> list[_One]:
    seen, rows = trajectory
    found = []
    for count in range(min(len(rows) + 1, limits.most, seen.size)):
        state = step(seen, rows[:count])
        aim = np.zeros(seen.size, dtype=np.float32)
        coming = rows[count:] if any_order else rows[count : count + 1]
        if coming:
            aim[list(coming)] = 1.0 / len(coming)
        closed = count < min(limits.least, seen.size)
        if closed and not coming:
            break  # a choice that the policy cannot make
        left = state.open
        found.append(
            _One(state.candidates[left].astype(np.float32), state.stop.astype(np.float32), closed, aim[left], float(not coming))
        )  # fmt: skip
    return found


def _stacked(taken: Sequence[list[_One]]) -> Steps:
    every = [one for steps in taken for one in steps]
    sizes = [len(one.candidates) for one in every]
    return Steps(
        candidates=np.concatenate([one.candidates for one in every]) if every else np.zeros((0, WIDTH), np.float32),
        stops=np.stack([one.stop for one in every]) if every else np.zeros((0, STOP_WIDTH), np.float32),
        starts=np.cumsum([0, *sizes])[:-1].astype(np.intp),
        closed=np.array([one.closed for one in every], dtype=np.bool_),
        aim=np.concatenate([one.aim for one in every]) if every else np.zeros(0, np.float32),
        aim_stop=np.array([one.aim_stop for one in every], dtype=np.float32),
        of=np.array([at for at, steps in enumerate(taken) for _ in steps], dtype=np.intp),
        trajectories=len(taken),
    )
