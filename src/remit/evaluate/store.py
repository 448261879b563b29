"""The results of a run on disk: one JSON line each, appended as they come, so that a killed run goes on where it was."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

from pydantic import ValidationError

from remit.errors import InvalidInput
from remit.evaluate.result import Result

_ODD = re.compile(r"[^\w.+-]+")


class Kept:
    """The results of one set under one system. What was torn by a kill is asked again; nothing else is."""

    def __init__(self, folder: Path, set_name: str, system: str) -> None:
        """Read what is there already."""
        self.path = folder / f"{set_name}--{_ODD.sub('-', system)}.jsonl"
        self._found = {(one.digest, one.point): one for one in read_results(self.path)} if self.path.exists() else {}
        folder.mkdir(parents=True, exist_ok=True)
        # A line that a kill tore is left out of what is written on.
        whole = "".join(f"{one.model_dump_json()}\n" for one in self._found.values())
        if self.path.exists() and self.path.read_text(encoding="utf-8") != whole:
            self.path.write_text(whole, encoding="utf-8")
        self._file = self.path.open("a", encoding="utf-8")

    def find(self, digest: str, point: str) -> Result | None:
        """Return the result of a case under a point, or None where it is yet to be asked."""
        return self._found.get((digest, point))

    def add(self, result: Result) -> None:
        """Write one result; it is handed to the system when this returns."""
        self._file.write(f"{result.model_dump_json()}\n")
        self._file.flush()
        self._found[result.digest, result.point] = result

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()


def read_results(path: Path) -> Iterator[Result]:
    """Yield the results of a file; a last line that was torn is left out.

    Raises:
        InvalidInput: a line before the last is no result.
    """
    lines = path.read_text(encoding="utf-8").split("\n")
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            yield Result.model_validate_json(line)
        except ValidationError as error:
            if number < len(lines):
                raise InvalidInput(
                    f"{path}:{number}: is no result of this version; take the file away and run again"
                ) from error
