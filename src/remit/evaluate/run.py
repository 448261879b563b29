"""Runs an experiment: every system over every case, in one order, resumable; tuned systems each on cases they never saw."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

from remit.cases.case import Case, digest_of_file, read_cases
from remit.cases.variant import STORE
from remit.contract.value import digest_of, text_digest
from remit.decide.frozen import FrozenPoint, Source
from remit.errors import InvalidInput
from remit.evaluate.code import code_of
from remit.evaluate.desk import Desk
from remit.evaluate.experiment import CaseSet, Experiment, System
from remit.evaluate.fit import fold_of
from remit.evaluate.result import Result
from remit.evaluate.store import Kept
from remit.evaluate.tune import COLLECTING, PLANNING, Freezing, freeze
from remit.record.setup import read_point, shipped_points
from remit.settings import Settings

RESULTS: Final = "results"
POINTS: Final = "points"
_CASES: Final = "cases.jsonl"


class Progress(NamedTuple):
    """One case is done under one system; `done` and `total` count over the whole run."""

    set: str
    system: str
    done: int
    total: int


Told = Callable[[Progress], None]


class Ready(NamedTuple):
    """A set of cases, ready to be asked: the cases kept, the store, and the digest of the whole file."""

    name: str
    cases: tuple[Case, ...]
    store: Path
    digest: str


class Ran(NamedTuple):
    """What a run has made: the results of each set and system, the points used, and what the parts were."""

    results: dict[tuple[str, str], tuple[Result, ...]]
    points: dict[str, tuple[FrozenPoint, ...]]
    card: dict[str, Any]


@dataclass(frozen=True)
class Runner:
    """One experiment, where its data and its results lie, and what it is run with."""

    experiment: Experiment
    data: Path
    out: Path
    settings: Settings
    tell: Told

    def run(self) -> Ran:
        """Return all results; what is on disk already is not asked again.

        Raises:
            InvalidInput: a point was tuned on a case it is to be scored on, or the data cannot be used.
        """
        sets = [ready(one, self.data) for one in self.experiment.sets]
        points = {system.name: self._given(system) for system in self.experiment.systems if system.wanted is None}
        tuned = [system for system in self.experiment.systems if system.wanted is not None]
        for system in self.experiment.systems:
            self._check(system, points.get(system.name, ()), sets)
        asked = len(points) + (1 if tuned else 0)
        total = (asked + len(tuned)) * sum(len(one.cases) for one in sets)
        count = iter(range(1, total + 1))
        results: dict[tuple[str, str], tuple[Result, ...]] = {}
        first = {COLLECTING.point.name: (COLLECTING,)} if tuned else {}
        with ExitStack() as opened:
            at = [(one, opened.enter_context(Desk(one.store, self.settings))) for one in sets]
            for one, desk in at:
                self._asked(one, desk, {**first, **points}, results, count, total)
            for group in [at] if self.experiment.pooled else [[pair] for pair in at]:
                made = {system.name: self._tuned(system, [one for one, _ in group], results) for system in tuned}
                for one, desk in group if tuned else ():
                    self._asked(one, desk, made, results, count, total)
                    results.pop((one.name, COLLECTING.point.name))
                for name, found in made.items():
                    points[name] = (*points.get(name, ()), *found)
            parts = [{**desk.setup, "snapshot": desk.snapshot} for _, desk in at]
        return Ran(results, points, self._card(sets, parts, points))

    def _given(self, system: System) -> tuple[FrozenPoint, ...]:
        names = system.points or (system.point or "",)
        return tuple(read_point(name if name in shipped_points() else self.data / name) for name in names)

    def _check(self, system: System, points: Sequence[FrozenPoint], sets: Sequence[Ready]) -> None:
        for one in sets if points else ():
            for case in one.cases:
                if all(point.knows(case.grouped) for point in points):
                    raise InvalidInput(
                        f"{system.name} was tuned on group {case.grouped} of {one.name}: figures on it would mean nothing; "
                        "give a point of other data, or several of which each case has one that never saw it"
                    )

    def _asked(
        self,
        one: Ready,
        desk: Desk,
        systems: dict[str, tuple[FrozenPoint, ...]],
        results: dict[tuple[str, str], tuple[Result, ...]],
        count: Iterator[int],
        total: int,
    ) -> None:
        """Ask the cases of a set under the systems, case by case, and add what came of it to `results`."""
        made: dict[str, list[Result]] = {name: [] for name in systems}
        with ExitStack() as opened:
            kept = {name: opened.enter_context(Kept(self.out / RESULTS, one.name, name)) for name in systems}
            for case in one.cases:
                for name, points in systems.items():
                    point = next(point for point in points if not point.knows(case.grouped))
                    result = kept[name].find(case.digest, point.point.digest)
                    if result is None:
                        collecting = name == COLLECTING.point.name
                        result = desk.ask(case, point, system=name, plan_at=PLANNING if collecting else None)
                        kept[name].add(result)
                    made[name].append(result)
                    self.tell(Progress(one.name, name, next(count), total))
        results.update({(one.name, name): tuple(found) for name, found in made.items()})

    def _tuned(
        self, system: System, sets: Sequence[Ready], results: dict[tuple[str, str], tuple[Result, ...]]
    ) -> tuple[FrozenPoint, ...]:
        """Return a point for each fold, tuned on the groups of the other folds."""
        folds, points = self.experiment.folds, []
        wanted, about = system.wanted, "" if self.experiment.pooled else f"{sets[0].name} "
        if wanted is None:
            raise InvalidInput(f"{system.name}: nothing to tune for")
        for fold in range(folds):
            rows, sources = [], []
            for one in sets:
                found = results[one.name, COLLECTING.point.name]
                chosen = [result for result in found if fold_of(result.group, folds) != fold]
                rows += chosen
                sources.append(
                    Source(name=f"{one.name}, all but fold {fold} of {folds}", digest=one.digest, cases=len(chosen))
                )
            how = Freezing(f"{about}{system.name}-{fold}", wanted, self.experiment.seed, system.waive, system.learn)
            frozen = freeze(rows, sources, how).point
            file = self.out / POINTS / f"{about}{system.name}-{fold}.json"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(frozen.model_dump_json(indent=1) + "\n", encoding="utf-8")
            points.append(frozen)
        return tuple(points)

    def _card(
        self, sets: Sequence[Ready], parts: Sequence[dict[str, Any]], points: dict[str, tuple[FrozenPoint, ...]]
    ) -> dict[str, Any]:
        cased = {
            one.name: {"cases": len(one.cases), "digest": one.digest, **made}
            for one, made in zip(sets, parts, strict=True)
        }
        return {
            "experiment": digest_of(self.experiment.model_dump(mode="json")),
            "seed": self.experiment.seed,
            "code": code_of(),
            "settings": digest_of(self.settings.model_dump(mode="json", exclude={"source"})),
            "sets": cased,
            "points": {name: [point.point.digest for point in found] for name, found in points.items()},
        }


def ready(one: CaseSet, data: Path) -> Ready:
    """Return a set of cases as it is to be asked.

    Raises:
        NothingThere: its file is not there.
        InvalidInput: it cannot be used, or no case of the wanted parts is in it.
    """
    folder = None if one.folder is None else data / one.folder
    file = folder / _CASES if folder is not None else data / str(one.cases)
    store = folder / STORE if folder is not None else data / str(one.store)
    cases = [case for case in read_cases(file) if not one.parts or case.part in one.parts]
    if not cases:
        raise InvalidInput(f"{file}: no case of the parts {', '.join(one.parts)}")
    if one.limit is not None:  # whole groups, in an order that says nothing about them
        cases = sorted(cases, key=lambda case: (text_digest(case.grouped), case.id))[: one.limit]
    return Ready(one.name, tuple(cases), store, digest_of_file(file))
