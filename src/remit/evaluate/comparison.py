"""A comparison: which systems on which questions, under one budget. Read from TOML.

::

    name = "headline"
    seed = 1
    today = 2026 - 11 - 30
    reference = "vanilla k=10"  # what the others are compared with; the first system if left out
    [limits]  # of each question, the same for all: rounds, model_calls, tokens, seconds, price
    [run]  # of the whole run: workers = 2, seconds, model_calls, tokens, price
    [chat]  # as in remit.toml; left out: the extractive answerer
    [likeness]  # kind = "bertscore", path, layer; or "token-match"; left out: not measured
    [[sets]]
    name = "nq"
    questions = "data/nq/dev.jsonl"  # relative to this file
    format = "flashrag"  # any of cases/formats/table.py, or "cases" for files of `remit cases build`
    store = "stores/nq"  # left out: made from the set's own texts, beside the results
    apart_from = ["data/nq/train.jsonl"]  # questions that leak into these are left out, and counted
    limit = 100  # so many questions, whole families first by seed; texts = 600 bounds the store made
    asker = "reader"
    [[systems]]
    system = "crag"  # baselines/table.py; its options beside it
    k = 10
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, ValidationError, field_validator, model_validator

from remit.adapters.minilm import MiniLm
from remit.baselines.table import options_of
from remit.cases.formats.table import FORMATS
from remit.contract.budget import Limits
from remit.contract.value import Value, digest_of
from remit.corpus.control import read_toml
from remit.corpus.toml_file import TomlFile, line_of
from remit.errors import Fault, InvalidInput, MissingPrerequisite
from remit.llm.ledger import Price
from remit.measure.bertscore import BertScore, Similarity, TokenMatch
from remit.settings import ChatKind, ChatSettings

CASES: str = "cases"
"""The format of our own cases."""

Name = Annotated[str, Field(min_length=1, max_length=80, pattern=r"^[^\n\r|]+$")]
Count = Annotated[int, Field(ge=1)]


class QuestionSet(Value):
    """One set of questions, and the store they are asked of."""

    name: Annotated[str, Field(pattern=r"^[\w.-]+$")]
    questions: str
    format: str = "flashrag"
    store: str | None = None
    apart_from: tuple[str, ...] = ()
    limit: Count | None = None
    texts: Count | None = None
    asker: str = "reader"

    @field_validator("format")
    @classmethod
    def _known(cls, value: str) -> str:
        if value not in {*FORMATS, CASES}:
            raise ValueError(f"{value!r} is no format; known are {', '.join((*FORMATS, CASES))}")
        return value

    @model_validator(mode="after")
    def _stored(self) -> Self:
        if self.format == CASES and self.store is None:
            raise ValueError("cases are asked of the store they were built with: give store = ...")
        return self


class Entry(Value):
    """One system with its options; `label` is what tables call it."""

    system: str
    label: Name | None = None
    options: Mapping[str, Any] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _taken(self) -> Self:
        try:
            known = options_of(self.system)
        except InvalidInput as error:
            raise ValueError(str(error)) from error
        for option in self.options:
            if option not in known:
                raise ValueError(f"{self.system} has no option {option!r}; known are {', '.join(known)}")
        return self


class RunLimits(Value):
    """What a whole run may take; None: as much as it needs. `workers` are processes."""

    workers: Annotated[int, Field(ge=1, le=64)] = 2
    seconds: Annotated[float, Field(gt=0)] | None = None
    model_calls: Count | None = None
    tokens: Count | None = None
    price: Annotated[float, Field(gt=0)] | None = None


class ChatModel(Value):
    """The chat model of an experiment, as `[chat]` of remit.toml has it; a key comes from the environment alone.

    A GGUF file without a path is the one that REMIT_CHAT_GGUF names.
    """

    kind: ChatKind
    url: str | None = None
    model: str | None = None
    path: str | None = None
    context: int = 4096
    threads: int = 1
    max_tokens: int = 256
    logprobs: bool = True
    abstains: bool = False
    price: Price | None = None

    def settings(self, folder: Path, key: str | None, gguf: str | None) -> ChatSettings:
        """Return the settings, with paths from `folder`.

        Raises:
            MissingPrerequisite: no GGUF file is named.
        """
        said = self.model_dump(exclude={"path", "price"})
        named = self.path or gguf
        if self.kind == "gguf" and named is None:
            raise MissingPrerequisite("the experiment's [chat] names no file: give path = ..., or set REMIT_CHAT_GGUF")
        path = None if named is None else folder / Path(named).expanduser()
        return ChatSettings.model_validate({**said, "path": path, "price": self.price, "key": key})


class Likeness(Value):
    """How near an answer is to a golden one by their tokens' states: BERTScore with the weights of a folder, or the stand-in.

    The stand-in compares the states of the packaged encoder. It is another number, and is not called BERTScore.
    """

    kind: Literal["token-match", "bertscore"] = "token-match"
    path: str | None = None
    layer: Count | None = None

    @model_validator(mode="after")
    def _weighed(self) -> Self:
        if self.kind == "bertscore" and (self.path is None or self.layer is None):
            raise ValueError("BERTScore needs path = a folder of weights, and the layer that its paper chose for them")
        return self

    def made(self, folder: Path) -> Similarity:
        """Return the measure, with paths from `folder`."""
        if self.kind == "bertscore":
            return BertScore(folder / Path(str(self.path)).expanduser(), layer=int(self.layer or 0))
        return TokenMatch(MiniLm())


class Comparison(Value):
    """A whole experiment of systems on sets."""

    name: Annotated[str, Field(pattern=r"^[\w.-]+$")]
    seed: int = 1
    today: date
    reference: str | None = None
    about: str = ""
    limits: Limits = Limits()
    run: RunLimits = RunLimits()
    chat: ChatModel | None = None
    likeness: Likeness | None = None
    sets: Annotated[tuple[QuestionSet, ...], Field(min_length=1)]
    systems: Annotated[tuple[Entry, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _named_apart(self) -> Self:
        names = [one.name for one in self.sets]
        if len(set(names)) != len(names):
            raise ValueError("two sets have the same name")
        return self

    @property
    def digest(self) -> str:
        """Return the digest of all that decides on results; how many workers make them does not."""
        return digest_of(self.model_dump(mode="json", exclude={"run", "about", "reference"}))


def is_comparison(path: Path) -> bool:
    """Say whether a file is of this kind: its systems are called by `system`."""
    held = TomlFile(str(path), read_toml(path)).data.get("systems")
    return isinstance(held, list) and any(isinstance(one, dict) and "system" in one for one in held)


def read_comparison(path: Path) -> Comparison:
    """Return the comparison of a file.

    Raises:
        NothingThere: there is no such file.
        InvalidInput: with a fault that names line and field for each thing wrong.
    """
    text = read_toml(path)
    raw = dict(TomlFile(str(path), text).data)
    systems = raw.get("systems")
    if isinstance(systems, list):
        raw["systems"] = [_entry(one) for one in systems]
    try:
        return Comparison.model_validate(raw)
    except ValidationError as error:
        faults = tuple(_fault(path, text, one["loc"], one["msg"]) for one in error.errors())
        raise InvalidInput(str(faults[0]), faults) from error


def _entry(said: Any) -> Any:
    if not isinstance(said, dict):
        return said
    own = {name: said[name] for name in ("system", "label") if name in said}
    return {**own, "options": {name: value for name, value in said.items() if name not in own}}


def _fault(path: Path, text: str, place: tuple[int | str, ...], told: str) -> Fault:
    shown = tuple(part for part in place if part != "options")
    return Fault(str(path), line_of(text, shown), ".".join(map(str, shown)) or None, told)
