"""A frozen point: the operating point together with what it needs to be used again and checked, as one file holds it."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import tomllib
from collections.abc import Iterable
from typing import Final, Literal, Self

from pydantic import ValidationError

from remit.contract.value import Value, digest_of
from remit.decide.point import OperatingPoint
from remit.errors import InvalidInput
from remit.observe.evaluator import Evaluator

_MARK: Final = 5
"""Bytes kept of each group's digest: two of a million groups look alike once in two."""


class Source(Value):
    """One file of cases that a point was tuned on: its name, its digest and how many of its cases were used."""

    name: str
    digest: str
    cases: int


class Tuned(Value):
    """The data a point was tuned on: its files, and a mark for each group, by which the same group is known again."""

    sources: tuple[Source, ...]
    groups: str

    @classmethod
    def on(cls, sources: Iterable[Source], groups: Iterable[str]) -> Self:
        """Return the record of these files and groups."""
        marks = b"".join(sorted(mark(group) for group in set(groups)))
        return cls(sources=tuple(sources), groups=base64.b85encode(marks).decode("ascii"))

    @property
    def digest(self) -> str:
        """Return the digest that the point carries."""
        return digest_of(self.model_dump(mode="json"))

    @property
    def marks(self) -> frozenset[bytes]:
        """Return the marks of the groups."""
        whole = base64.b85decode(self.groups)
        return frozenset(whole[at : at + _MARK] for at in range(0, len(whole), _MARK))


class FrozenPoint(Value):
    """An operating point, the evaluator it names and the data it was tuned on; both may be absent."""

    schema_version: Literal[1] = 1
    point: OperatingPoint
    evaluator: Evaluator | None = None
    tuned: Tuned | None = None

    def knows(self, group: str) -> bool:
        """Say whether the point was tuned on a group: it must not be scored on it."""
        return self.tuned is not None and mark(group) in self.tuned.marks


def mark(group: str) -> bytes:
    """Return the mark by which a group is known again."""
    return hashlib.sha256(group.encode("utf-8")).digest()[:_MARK]


def parsed_point(text: str, name: str) -> FrozenPoint:
    """Return the point that a file's text holds: JSON as `remit tune` writes it, or thresholds alone, in TOML or JSON.

    Raises:
        InvalidInput: it holds none, or its evaluator or its data are not those that the point was frozen with.
    """
    try:
        raw = json.loads(text) if text.lstrip().startswith("{") else tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{name}: neither JSON nor TOML ({error}); want an operating point") from error
    try:
        frozen = FrozenPoint.model_validate_json(json.dumps(raw if "point" in raw else {"point": raw}, default=str))
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"])).removeprefix("point.") or "the file"
        raise InvalidInput(f"{name}: no operating point: {field}: {first['msg']}; want thresholds in [0, 1]") from error
    _check(frozen, name)
    return frozen


def _check(frozen: FrozenPoint, name: str) -> None:
    point = frozen.point
    if (frozen.evaluator.digest if frozen.evaluator else None) != point.evaluator:
        raise InvalidInput(f"{name}: the evaluator in it is not the one that the point names: tune it again")
    try:
        same = (frozen.tuned.digest if frozen.tuned else None) == point.data
        whole = not frozen.tuned or bool(frozen.tuned.marks) or not frozen.tuned.groups
    except (ValueError, binascii.Error) as error:
        raise InvalidInput(f"{name}: tuned.groups: cannot be read: tune it again") from error
    if not (same and whole):
        raise InvalidInput(f"{name}: the data recorded in it are not those that the point was tuned on: tune it again")
