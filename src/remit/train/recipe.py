"""The recipe of a training: one TOML file, frozen, with every fault told by line and field.

::

    kind = "planner"                 # or "reranker", "generator", "evaluator"
    workers = 2                      # processes; where = "ray" and address = "..." spread them over a cluster
    today = 2026-11-30               # the day whose revisions hold
    [[sets]]      name = "hotpotqa", store = "hotpotqa", questions = ["hotpotqa/train.jsonl"], held = ["hotpotqa/dev.jsonl"], most = 300
    [schedule]    what the kind of training takes

Stores lie below `--stores`, questions below `--data`.
"""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, TypeVar

from pydantic import Field, ValidationError

from remit.contract.value import Value, digest_of
from remit.corpus.control import read_toml
from remit.corpus.toml_file import line_of, parsed_toml
from remit.errors import Fault, InvalidInput, NothingThere
from remit.train.questions import Question, read_questions
from remit.train.shards import Where

Kind = Literal["planner", "reranker", "generator", "evaluator"]
Schedule = TypeVar("Schedule", bound=Value)


class QuestionSet(Value):
    """A set to learn from: its store, the files of its questions and of those held out, and how many of each file at most.

    `most` holds for both, where `held_most` does not say otherwise of those held out.
    """

    name: Annotated[str, Field(pattern=r"^[\w.-]+$")]
    store: str
    questions: Annotated[tuple[str, ...], Field(min_length=1)]
    held: tuple[str, ...] = ()
    most: Annotated[int, Field(ge=1)] | None = None
    held_most: Annotated[int, Field(ge=1)] | None = None


class Recipe(Value):
    """What every training takes; `schedule` is read by its kind."""

    kind: Kind
    today: date
    sets: Annotated[tuple[QuestionSet, ...], Field(min_length=1)]
    workers: Annotated[int, Field(ge=1)] = 1
    where: Literal["here", "processes", "ray"] | None = None
    address: str | None = None
    schedule: dict[str, Any] = Field(default_factory=dict)

    @property
    def place(self) -> Where:
        """Return where work is done: here, or in processes where there are several workers, unless told."""
        kind = self.where or ("processes" if self.workers > 1 else "here")
        return Where(kind, self.workers, self.address)

    @property
    def digest(self) -> str:
        """Return the name of this recipe."""
        return digest_of(self.model_dump(mode="json"))


class Opened(NamedTuple):
    """A recipe, its schedule, and its file, for what is found wrong later."""

    recipe: Recipe
    schedule: Any
    path: Path


class Material(NamedTuple):
    """The questions, those held out, and the store of each set."""

    questions: dict[str, tuple[Question, ...]]
    held: dict[str, tuple[Question, ...]]
    stores: dict[str, Path]


def read_recipe(path: Path, kind: Kind, schedule: type[Schedule]) -> Opened:
    """Return the recipe of a file.

    Raises:
        NothingThere: there is no such file.
        InvalidInput: with a fault for each thing wrong, naming line and field; or it is a recipe of another kind.
    """
    text = read_toml(path)
    raw = parsed_toml(str(path), text)
    try:
        recipe = Recipe.model_validate_json(json.dumps(raw, default=str))
    except ValidationError as error:
        raise _faulty(path, text, error, ()) from error
    if recipe.kind != kind:
        fault = Fault(str(path), line_of(text, ("kind",)), "kind", f"is {recipe.kind!r}: train it by that name")
        raise InvalidInput(str(fault), (fault,))
    try:
        return Opened(recipe, schedule.model_validate_json(json.dumps(recipe.schedule, default=str)), path)
    except ValidationError as error:
        raise _faulty(path, text, error, ("schedule",)) from error


def material_of(recipe: Recipe, *, data: Path, stores: Path) -> Material:
    """Return questions and stores, the questions of a set in the order of its files.

    Raises:
        NothingThere: a store is missing; the message says how it is made.
        InvalidInput: a question cannot be used.
    """
    questions: dict[str, tuple[Question, ...]] = {}
    held: dict[str, tuple[Question, ...]] = {}
    places: dict[str, Path] = {}
    for one in recipe.sets:
        places[one.name] = stores / one.store
        if not (places[one.name] / "store.db").exists():
            told = f"remit ingest CORPUS --store {places[one.name]} --labels public"
            raise NothingThere(f"{places[one.name]}: no store of {one.name}; make one first: {told}")
        questions[one.name] = _read(one.questions, data, one.most)
        held[one.name] = _read(one.held, data, one.most if one.held_most is None else one.held_most)
    return Material(questions, held, places)


def _read(files: tuple[str, ...], data: Path, most: int | None) -> tuple[Question, ...]:
    return tuple(found for file in files for found in read_questions(data / file)[:most])


def _faulty(path: Path, text: str, error: ValidationError, above: tuple[str, ...]) -> InvalidInput:
    faults = []
    for one in error.errors():
        place = (*above, *one["loc"])
        faults.append(Fault(str(path), line_of(text, place), ".".join(map(str, place)) or None, one["msg"]))
    return InvalidInput(str(faults[0]), tuple(faults))
