"""Files of questions read row by row, so that whatever is wrong is told with its file, line and field."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple, Self, TypeVar

from remit.errors import Fault, InvalidInput, NothingThere

T = TypeVar("T")

MOST_FAULTS: Final = 50
"""Faults that are told of one file; a file in another format has one a line."""


class Wrong(Exception):
    """A field of a row is not as the format has it."""

    def __init__(self, name: str | None, error: str) -> None:
        super().__init__(error)
        self.name, self.error = name, error


class Row(NamedTuple):
    """One record and where it stands; the readers below take a field or say what is wrong with it."""

    line: int
    data: dict[str, Any]
    inside: str = ""

    def text(self, name: str, *, empty: bool = False) -> str:
        """Return a text; blank only where that is allowed. Numbers are read as texts: ids often are."""
        value = self._taken(name)
        if isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        if not isinstance(value, str):
            raise Wrong(self._path(name), f"want a text, not {kind_of(value)}")
        if not value.strip() and not empty:
            raise Wrong(self._path(name), "is blank")
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a list of texts; a single text is a list of one."""
        value = self._taken(name)
        listed = [value] if isinstance(value, str) else value
        if not isinstance(listed, list) or not all(isinstance(one, str | int | float) for one in listed):
            raise Wrong(self._path(name), f"want a list of texts, not {kind_of(value)}")
        return tuple(str(one) for one in listed)

    def listed(self, name: str) -> list[Any]:
        """Return a list."""
        value = self._taken(name)
        if not isinstance(value, list):
            raise Wrong(self._path(name), f"want a list, not {kind_of(value)}")
        return value

    def rows(self, name: str) -> list[Self]:
        """Return a list of objects, each as a row of its own."""
        found = []
        for at, value in enumerate(self.listed(name)):
            place = f"{self._path(name)}[{at}]"
            if not isinstance(value, dict):
                raise Wrong(place, f"want an object, not {kind_of(value)}")
            found.append(self._replace(data=value, inside=place))
        return found

    def row(self, name: str) -> Self:
        """Return an object as a row of its own."""
        value = self._taken(name)
        if not isinstance(value, dict):
            raise Wrong(self._path(name), f"want an object, not {kind_of(value)}")
        return self._replace(data=value, inside=self._path(name))

    def has(self, name: str) -> bool:
        """Say whether a field is there and not null."""
        return self.data.get(name) is not None

    def _taken(self, name: str) -> Any:
        if not self.has(name):
            raise Wrong(self._path(name), "is missing")
        return self.data[name]

    def _path(self, name: str) -> str:
        return f"{self.inside}.{name}" if self.inside else name


def read(path: Path, rows: Iterable[Row], make: Callable[[Row], T]) -> list[T]:
    """Return what is made of each row.

    Raises:
        InvalidInput: with a fault for each row that cannot be used, `MOST_FAULTS` of them at most.
    """
    made: list[T] = []
    faults: list[Fault] = []
    for row in rows:
        try:
            made.append(make(row))
        except Wrong as wrong:
            faults.append(Fault(str(path), row.line, wrong.name, wrong.error))
            if len(faults) == MOST_FAULTS:
                break
    if faults:
        raise InvalidInput(f"{path}: {len(faults)} of its rows cannot be used; the first: {faults[0]}", tuple(faults))
    return made


def unique(path: Path, found: Iterable[T], key: Callable[[T], str]) -> tuple[T, ...]:
    """Return what was found.

    Raises:
        InvalidInput: two of them have one id, so that results could not be told apart.
    """
    seen: set[str] = set()
    kept = tuple(found)
    for one in kept:
        if key(one) in seen:
            raise fault(path, None, "id", f"{key(one)!r} stands twice: give each its own")
        seen.add(key(one))
    return kept


def lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines of a text file that are not blank, numbered from 1; a ``.gz`` file is read as what is in it.

    Raises:
        NothingThere: there is no such file.
        InvalidInput: it is no UTF-8, or cannot be read.
    """
    number = 0
    try:
        with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as file:
            for octets in file:
                number += 1
                line = octets.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
                if line.strip():
                    yield number, line
    except FileNotFoundError as error:
        raise NothingThere(f"{path}: no such file") from error
    except UnicodeDecodeError as error:
        raise fault(path, number, None, "is no UTF-8: save it as UTF-8") from error
    except (OSError, EOFError) as error:
        raise fault(path, number or None, None, f"cannot be read ({error})") from error


def json_lines(path: Path) -> Iterator[Row]:
    """Yield the objects of a JSON Lines file.

    Raises:
        InvalidInput: a line is no JSON object.
    """
    for number, line in lines(path):
        try:
            found = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise fault(path, number, None, f"is no JSON: {error}") from error
        if not isinstance(found, dict):
            raise fault(path, number, None, f"want an object, not {kind_of(found)}")
        yield Row(number, found)


def fault(path: Path, line: int | None, name: str | None, error: str) -> InvalidInput:
    """Return the error of a file that cannot be used."""
    found = Fault(str(path), line, name, error)
    return InvalidInput(str(found), (found,))


def kind_of(value: object) -> str:
    """Return what a JSON value is, in words."""
    names = {
        dict: "an object",
        list: "a list",
        str: "a text",
        bool: "true or false",
        int: "a number",
        float: "a number",
    }
    return "null" if value is None else names.get(type(value), type(value).__name__)
