"""Collecting rollouts: each question is tried several times, each try is scored, and none is paid for twice."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeVar

from remit.train.rollout import Provenance, Rollout, Scored, Trajectory
from remit.train.rollout_log import RolloutLog
from remit.train.shards import HERE, Where, spread


class Asked(Protocol):
    """A question to try: its id, the group that it must not be parted from, and the set it is from."""

    @property
    def id(self) -> str:
        """The id of the question."""

    @property
    def group(self) -> str:
        """What hangs together with it."""

    @property
    def source(self) -> str:
        """The name of its set."""


Item = TypeVar("Item", bound=Asked)
Item_contra = TypeVar("Item_contra", bound=Asked, contravariant=True)


class Trial(Protocol[Item_contra]):
    """What proposes trajectories for a question and scores them: a policy in its environment.

    Both must give the same for the same question and seed: it is what lets an interrupted collection go on.
    """

    def state(self, item: Item_contra) -> str:
        """Return what the policy sees: its prompt where it reads one, else a digest."""

    def propose(self, item: Item_contra, count: int) -> Sequence[Trajectory]:
        """Return trajectories, at most `count`; where only few are possible, fewer."""

    def score(self, item: Item_contra, trajectory: Trajectory) -> Scored:
        """Return what came of a trajectory."""


class Collected(NamedTuple):
    """The rollouts of all questions, how many trajectories this run scored, and how many rollouts the log had before."""

    rollouts: tuple[Rollout, ...]
    scored: int
    found: int


class _Work(NamedTuple):
    """A question with the trajectories whose score is known already."""

    item: Any
    known: Mapping[str, Scored]


class _Worker:
    """Tries one question; equal trajectories are scored once."""

    def __init__(self, trial: Trial[Any], provenance: Provenance, samples: int) -> None:
        self._trial, self._provenance, self._samples = trial, provenance, samples

    def __call__(self, work: _Work) -> list[Rollout]:
        return list(self.each(work))

    def each(self, work: _Work) -> Iterator[Rollout]:
        """Yield the rollouts of a question, each as soon as it is scored."""
        item, known = work.item, dict(work.known)
        state, proposed = self._trial.state(item), self._trial.propose(item, self._samples)
        for number, tried in enumerate(proposed):
            if tried.text not in known:
                known[tried.text] = self._trial.score(item, tried)
            done = known[tried.text]
            yield Rollout(
                question=item.id,
                group=item.group,
                source=item.source,
                state=state,
                sample=number,
                tries=len(proposed),
                trajectory=tried.text,
                log_probability=tried.log_probability,
                answer=done.answer,
                reward=done.reward,
                terms=dict(done.terms),
                unmeasured=done.why,
                provenance=self._provenance,
            )


@dataclass(frozen=True, slots=True)
class _Factory:
    """Makes the worker of one process; it survives being pickled where `trial` does."""

    trial: Callable[[], Trial[Any]]
    provenance: Provenance
    samples: int

    def __call__(self) -> Callable[[_Work], list[Rollout]]:
        return self.here()

    def here(self) -> _Worker:
        """Return the worker, which gives rollouts one by one too."""
        return _Worker(self.trial(), self.provenance, self.samples)


def collect(
    trial: Callable[[], Trial[Item]],
    items: Iterable[Item],
    log: RolloutLog,
    *,
    provenance: Provenance,
    samples: int,
    where: Where = HERE,
    step: Callable[[int], object] = lambda _: None,
) -> Collected:
    """Try every question up to `samples` times, log what came of it, and return the rollouts in the order of the questions.

    A question whose rollouts of this provenance are in the log is not tried again, and a trajectory that was scored under
    the same environment, reward and data, in whatever round, is not scored again. Done here, a rollout is in the log before
    the next is scored; in other processes a question's rollouts are when the question is done. `step` is told the number of
    questions done.
    """
    asked = list(items)
    had = len(log.rows)
    known = _scores(log, provenance)
    finished = _finished(log, provenance)
    work = [_Work(item, known.get(item.id, {})) for item in asked if item.id not in finished]
    new, done = set[tuple[str, str]](), len(asked) - len(work)
    step(done)
    factory = _Factory(trial, provenance, samples)
    for one, rows in _rows(factory, work, where):
        log.add(rows)
        new.update((row.question, row.trajectory) for row in rows if row.trajectory not in one.known)
        if rows and rows[-1].sample + 1 == rows[-1].tries:
            done += 1
            step(done)
    place = {item.id: number for number, item in enumerate(asked)}
    mine = [row for row in log.rows.values() if row.provenance == provenance and row.question in place]
    mine.sort(key=lambda row: (place[row.question], row.sample))
    return Collected(tuple(mine), len(new), had)


def _rows(factory: _Factory, work: list[_Work], where: Where) -> Iterator[tuple[_Work, list[Rollout]]]:
    """Yield rollouts with their question: one by one where they are made here, by question otherwise."""
    if where.kind != "here":
        rows: Iterator[tuple[_Work, list[Rollout]]] = spread(factory, work, where)
        yield from rows
        return
    if work:
        worker = factory.here()
        for one in work:
            for row in worker.each(one):
                yield one, [row]


def _scores(log: RolloutLog, provenance: Provenance) -> dict[str, dict[str, Scored]]:
    """Return by question and trajectory what is known from any round of the same environment, reward and data."""
    known: dict[str, dict[str, Scored]] = defaultdict(dict)
    for row in log.rows.values():
        theirs = row.provenance
        if (theirs.environment, theirs.reward, theirs.data) == (
            provenance.environment,
            provenance.reward,
            provenance.data,
        ):
            known[row.question][row.trajectory] = Scored(row.answer, row.reward, row.terms, row.unmeasured)
    return known


def _finished(log: RolloutLog, provenance: Provenance) -> set[str]:
    """Return the questions of which every try is in the log."""
    tries: Counter[str] = Counter(row.question for row in log.rows.values() if row.provenance == provenance)
    return {
        row.question for row in log.rows.values() if row.provenance == provenance and tries[row.question] == row.tries
    }
