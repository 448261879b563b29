"""An experiment file: which cases, which systems, and what is chosen for the ones that are tuned in it.

::

    name = "controller"
    seed = 13
    folds = 5, pooled = true: tune on all sets together, or on each by itself
    [[sets]]       name, folder = "nq" (of `remit cases build`), or cases = "..." and store = "..."; limit, parts = ["dev"]
    [[systems]]    name, point = "fixed-rules" or a file;
                   or points = ["a.json", ...]: each case under the one that was not tuned on its group;
                   or target = 0.03 (and margin = 1.0), cost = { wrong = 10, abstain = 1 } or balance = true: tuned here, each
                   fold on the others
                   waive = ["citations"], learn = "evident", "supported" or "answerable" (decide/point.py) of the tuned ones

Paths are relative to `--data`, or else to the experiment's own folder. Models and limits come from `--config`, as everywhere.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, ValidationError, model_validator

from remit.contract.value import Value
from remit.corpus.control import read_toml
from remit.corpus.toml_file import TomlFile, line_of
from remit.decide.point import Waivable
from remit.errors import Fault, InvalidInput
from remit.evaluate.choose import Balance, Costs, Target, Wanted
from remit.evaluate.result import Learned


class CaseSet(Value):
    """One set of cases and the store they are asked of. `parts` keeps cases whose questions stood in files of these names."""

    name: Annotated[str, Field(min_length=1, pattern=r"^[\w.-]+$")]
    folder: str | None = None
    cases: str | None = None
    store: str | None = None
    limit: Annotated[int, Field(ge=1)] | None = None
    parts: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _somewhere(self) -> Self:
        if (self.folder is None) == (self.cases is None or self.store is None):
            raise ValueError("want folder = ..., or both cases = ... and store = ...")
        return self


class System(Value):
    """One system: an operating point, several of which one fits each case, or what to tune for."""

    name: Annotated[str, Field(min_length=1)]
    point: str | None = None
    points: tuple[str, ...] = ()
    target: Annotated[float, Field(gt=0, lt=1)] | None = None
    margin: float = 1.0
    cost: Costs | None = None
    balance: bool = False
    learn: Learned = "evident"
    waive: tuple[Waivable, ...] = ()

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        ways = [self.point is not None, bool(self.points), self.target is not None, self.cost is not None, self.balance]
        if sum(ways) != 1:
            raise ValueError("want one of point, points, target, cost and balance")
        return self

    @property
    def wanted(self) -> Wanted | None:
        """Return what to tune for; None where the points are given."""
        if self.balance:
            return Balance()
        if self.target is None:
            return self.cost
        return Target(unsupported=self.target, margin=self.margin, or_highest=True)


class Experiment(Value):
    """A whole experiment. Figures are compared with those of `systems[0]`.

    What is tuned is tuned on all sets together, or where not `pooled` on each by itself.
    """

    name: Annotated[str, Field(min_length=1)]
    seed: int = 13
    folds: Annotated[int, Field(ge=2, le=20)] = 5
    pooled: bool = True
    sets: Annotated[tuple[CaseSet, ...], Field(min_length=1)]
    systems: Annotated[tuple[System, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _named_apart(self) -> Self:
        for names in ([one.name for one in self.sets], [one.name for one in self.systems]):
            if len(set(names)) != len(names):
                raise ValueError("two sets or two systems have the same name")
        return self


def read_experiment(path: Path) -> Experiment:
    """Return the experiment of a file.

    Raises:
        NothingThere: there is no such file.
        InvalidInput: with a fault that names line and field for each thing wrong.
    """
    text = read_toml(path)
    raw = TomlFile(str(path), text).data
    try:
        return Experiment.model_validate_json(json.dumps(raw, default=str))
    except ValidationError as error:
        faults = tuple(_fault(path, text, one["loc"], one["msg"]) for one in error.errors())
        raise InvalidInput(str(faults[0]), faults) from error


def _fault(path: Path, text: str, place: tuple[int | str, ...], told: str) -> Fault:
    return Fault(str(path), line_of(text, place), ".".join(map(str, place)) or None, told)
