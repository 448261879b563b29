"""TOML read with care: unknown keys and wrong types become faults that name file, line and field."""

# ruff: noqa: TRY004 - a wrong type in a file is a wrong value, told by ValueError like any other

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Callable, Mapping
from typing import Any

from remit.errors import Fault, InvalidInput

Check = Callable[[object], Any]
"""Returns the value of a key, or raises a ValueError that says what it has to be."""

_HEADER = re.compile(r"\s*(\[\[|\[)\s*([^\[\]]+?)\s*\]{1,2}\s*(?:#.*)?$")
_KEY = re.compile(r"""\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=""")
_PART = re.compile(r"""[\w-]+|"[^"]*"|'[^']*'""")
_AT_LINE = re.compile(r"\(at line (\d+), column \d+\)")


class TomlFile:
    """One TOML text and the faults found in it so far."""

    def __init__(self, file: str, text: str) -> None:
        """Parse `text`.

        Raises:
            InvalidInput: it is no TOML.
        """
        self.file = file
        self.faults: list[Fault] = []
        self._text = text
        self._data = parsed_toml(file, text)

    @property
    def data(self) -> dict[str, Any]:
        """Return all of it as it was parsed."""
        return self._data

    def known(self, *names: str) -> None:
        """Find fault with every section that is not one of `names`."""
        for name in self._data:
            if name not in names:
                self.wrong((name,), f"unknown section; known are {', '.join(names)}")

    def section(self, path: tuple[str | int, ...], checks: Mapping[str, Check]) -> dict[str, Any]:
        """Return the keys of one section that are given and right; the others become faults."""
        return self._keys(self._at(path), path, checks)

    def names(self, path: tuple[str, ...]) -> tuple[str, ...]:
        """Return the names of the sections below `path`."""
        found = self._at(path)
        if not isinstance(found, dict):
            self.wrong(path, f"want sections, such as [{'.'.join(path)}.NAME]")
            return ()
        return tuple(found)

    def count(self, name: str) -> int:
        """Return how many sections ``[[name]]`` there are."""
        found = self._data.get(name, [])
        if isinstance(found, list):
            return len(found)
        self.wrong((name,), f"want [[{name}]], with two brackets")
        return 0

    def wrong(self, path: tuple[str | int, ...], error: str) -> None:
        """Find a fault."""
        field = ".".join(str(part) for part in path)
        self.faults.append(Fault(self.file, line_of(self._text, path), field, error))

    def finish(self) -> None:
        """Go on where nothing was wrong.

        Raises:
            InvalidInput: with every fault found.
        """
        if self.faults:
            raise InvalidInput(str(self.faults[0]), tuple(self.faults))

    def _at(self, path: tuple[str | int, ...]) -> Any:
        found: Any = self._data
        for part in path:
            if isinstance(found, list) and isinstance(part, int):
                found = found[part]
            else:
                found = found.get(part, {}) if isinstance(found, dict) else {}
        return found

    def _keys(self, found: object, path: tuple[str | int, ...], checks: Mapping[str, Check]) -> dict[str, Any]:
        if not isinstance(found, dict):
            self.wrong(path, f"want a section with keys of {', '.join(checks)}")
            return {}
        values: dict[str, Any] = {}
        for key, raw in found.items():
            if key not in checks:
                self.wrong((*path, key), f"unknown key; known are {', '.join(checks)}")
                continue
            try:
                values[key] = checks[key](raw)
            except ValueError as error:
                self.wrong((*path, key), str(error))
        return values


def parsed_toml(file: str, text: str) -> dict[str, Any]:
    """Return what a TOML text says, as it was parsed.

    Raises:
        InvalidInput: it is no TOML, or nests deeper or has longer numbers than can be read.
    """
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        at = _AT_LINE.search(str(error))
        fault = Fault(file, int(at[1]) if at else None, None, f"is no TOML: {_AT_LINE.sub('', str(error)).strip()}")
        raise InvalidInput(str(fault), (fault,)) from error


def line_of(text: str, path: tuple[str | int, ...]) -> int | None:
    """Return the line on which a key or section stands, or else the nearest section around it."""
    here: tuple[str | int, ...] = ()
    counts: dict[str, int] = {}
    best: tuple[int, int | None] = (0, None)
    for number, line in enumerate(text.splitlines(), 1):
        if header := _HEADER.match(line):
            here = tuple(part.strip("\"'") for part in _PART.findall(header[2]))
            if header[1] == "[[":
                name = str(here[0])
                counts[name] = counts.get(name, -1) + 1
                here = (*here, counts[name])
            full = here
        elif key := _KEY.match(line):
            full = (*here, *(part.strip("\"'") for part in _PART.findall(key[1])))
        else:
            continue
        if full == path[: len(full)] and len(full) > best[0]:
            best = (len(full), number)
    return best[1]


def text(raw: object) -> str:
    """Return a text that is not blank."""
    if not isinstance(raw, str) or not raw.strip():
        raise ValueError("want a text in quotes")
    return raw


def texts(raw: object) -> tuple[str, ...]:
    """Return a list of texts."""
    if not isinstance(raw, list):
        raise ValueError('want a list of texts, such as ["one", "two"]')
    return tuple(map(text, raw))


def flag(raw: object) -> bool:
    """Return true or false."""
    if not isinstance(raw, bool):
        raise ValueError("want true or false")
    return raw


def whole(raw: object) -> int:
    """Return a whole number that is not negative."""
    if not isinstance(raw, int) or isinstance(raw, bool) or raw < 0:
        raise ValueError("want a whole number, 0 or more")
    return raw


def positive(raw: object) -> int:
    """Return a whole number above 0."""
    if not isinstance(raw, int) or isinstance(raw, bool) or raw < 1:
        raise ValueError("want a whole number, 1 or more")
    return raw


def number(raw: object) -> float:
    """Return a number above 0."""
    made = _finite(raw)
    if made is None or made <= 0:
        raise ValueError("want a number above 0")
    return made


def any_number(raw: object) -> float:
    """Return a number, negative or not."""
    made = _finite(raw)
    if made is None:
        raise ValueError("want a number")
    return made


def _finite(raw: object) -> float | None:
    """Return a number as a float; None where it is none, infinite, or larger than a float holds."""
    if (
        not isinstance(raw, int | float)
        or isinstance(raw, bool)
        or not -sys.float_info.max <= raw <= sys.float_info.max
    ):
        return None
    return float(raw)


def url_of(raw: object) -> str:
    """Return a URL that carries no password."""
    url = text(raw)
    if not url.startswith(("http://", "https://")):
        raise ValueError("want a URL that begins with http:// or https://")
    if "@" in url.partition("://")[2].partition("/")[0]:
        raise ValueError("put no password into the URL: name the variable that holds the key in api_key_env")
    return url
