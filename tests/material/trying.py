"""A trial for tests of training: cheap, deterministic, picklable, and it counts what it is paid for."""

import os
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from remit.train.collect import collect
from remit.train.rollout import Provenance, Scored, Trajectory
from remit.train.rollout_log import RolloutLog
from remit.train.shards import Where, spread

PROVENANCE = Provenance(policy="p1", round=0, reward="f1", data="d", environment="e", seed=3)


@dataclass(frozen=True)
class Asked:
    """A question."""

    id: str
    group: str = "g"
    source: str = "made"


@dataclass(frozen=True)
class Counting:
    """Proposes numbered trajectories and scores them by their length; each score is a line in `paid`.

    `dies_after` kills the process, as a power cut would, once so many lines are there.
    """

    paid: Path
    dies_after: int | None = None

    def state(self, item):
        """Return what the policy sees."""
        return f"state of {item.id}"

    def propose(self, item, count):
        """Return trajectories; every question has two that are equal."""
        return [
            Trajectory(f"[{number % (count - 1) + 1}]" if count > 1 else "[1]", -float(number))
            for number in range(count)
        ]

    def score(self, item, trajectory):
        """Return a score, and write down that it was asked for."""
        with self.paid.open("a", encoding="utf-8") as file:
            file.write(f"{item.id} {trajectory.text}\n")
        if self.dies_after is not None and len(self.paid.read_text().splitlines()) >= self.dies_after:
            os._exit(9)
        if trajectory.text == "[3]":
            return Scored(None, None, {"f1": None}, "no answer to score")
        return Scored(
            f"answer {trajectory.text}", 1.0 / int(trajectory.text[1:-1]), {"f1": 1.0 / int(trajectory.text[1:-1])}
        )


@dataclass(frozen=True)
class Making:
    """Makes the trial, in whatever process."""

    paid: Path
    dies_after: int | None = None

    def __call__(self):
        """Return the trial."""
        return Counting(self.paid, self.dies_after)


def dying(log, paid, after):
    """Collect in a process that is killed."""
    questions = [Asked(f"q{number}") for number in range(6)]
    with RolloutLog(Path(log)) as held:
        collect(Making(Path(paid), after), questions, held, provenance=PROVENANCE, samples=4)


def lasting(folder):
    """Return work that takes longer than the test; each process says that it is there."""
    (Path(folder) / str(os.getpid())).touch()
    return time.sleep


def waiting(folder):
    """Spread work that lasts."""
    list(spread(partial(lasting, folder), [300, 300], Where("processes", 2)))
