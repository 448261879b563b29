"""JSON that is not one object a line, walked so that each object is known by the line on which it begins."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from remit.cases.formats.reading import Row, fault, json_lines, kind_of, lines

_DECODER: Final = json.JSONDecoder()


def json_rows(path: Path) -> Iterator[Row]:
    """Yield the objects of a file that is a JSON array or JSON Lines, whichever it is."""
    first = next(lines(path), (0, ""))[1].lstrip()
    return json_array(path) if first.startswith("[") else json_lines(path)


def json_array(path: Path) -> Iterator[Row]:
    """Yield the objects of a file that is one JSON array, each with the line on which it begins.

    Raises:
        InvalidInput: the file is no such array.
    """
    scan = Scan(path, whole(path))
    scan.expect("[")
    yield from scan.objects("]")


def json_under(path: Path, name: str) -> Iterator[tuple[str, Row]]:
    """Yield the objects that a file's one JSON object holds under a name, in a list ("") or by their own names.

    Raises:
        InvalidInput: the file has no such part.
    """
    text = whole(path)
    found = re.search(rf'"{re.escape(name)}"\s*:\s*', text)
    if found is None:
        raise fault(path, 1, name, "is missing from this file")
    scan = Scan(path, text, found.end())
    if scan.next == "[":
        scan.expect("[")
        yield from (("", row) for row in scan.objects("]"))
        return
    scan.expect("{")
    while scan.next != "}":
        key = scan.value()
        scan.expect(":")
        yield str(key), scan.object()
        scan.separated("}")


class Scan:
    """A walk through JSON text that knows on which line it is."""

    def __init__(self, path: Path, text: str, at: int = 0) -> None:
        """Take the text of a file and where to begin in it."""
        self._path, self._text, self._at = path, text, at
        self._line, self._counted = 1, 0

    @property
    def next(self) -> str:
        """The next character that is not blank; nothing at the end."""
        while self._at < len(self._text) and self._text[self._at].isspace():
            self._at += 1
        return self._text[self._at : self._at + 1]

    @property
    def line(self) -> int:
        """The line that the walk has come to."""
        self._line += self._text.count("\n", self._counted, self._at)
        self._counted = self._at
        return self._line

    def expect(self, char: str) -> None:
        """Go past one character, or say that it is not there."""
        if self.next != char:
            raise fault(self._path, self.line, None, f"want {char!r} here")
        self._at += 1

    def value(self) -> Any:
        """Return the next value."""
        begins = self.next and self.line
        try:
            found, self._at = _DECODER.raw_decode(self._text, self._at)
        except (ValueError, RecursionError) as error:
            raise fault(self._path, begins or self.line, None, f"is no JSON: {error}") from error
        return found

    def object(self) -> Row:
        """Return the next value, an object."""
        line = self.line if self.next else None
        found = self.value()
        if not isinstance(found, dict):
            raise fault(self._path, line, None, f"want an object, not {kind_of(found)}")
        return Row(line or 1, found)

    def objects(self, end: str) -> Iterator[Row]:
        """Yield the objects of a list up to its end."""
        while self.next != end:
            yield self.object()
            self.separated(end)

    def separated(self, end: str) -> None:
        """Go past a comma, or see that the end has come."""
        if self.next not in {",", end}:
            raise fault(self._path, self.line, None, f"want a comma or {end!r} here")
        self._at += self.next == ","


def whole(path: Path) -> str:
    """Return the text of a file, blank lines kept so that lines count as in the file."""
    held: list[str] = []
    for number, line in lines(path):
        held.extend([""] * (number - 1 - len(held)))
        held.append(line)
    return "\n".join(held)
