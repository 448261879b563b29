"""The log of rollouts: JSON Lines that are only added to. A kill costs at most the line being written."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from pydantic import ValidationError

from remit.errors import Fault, InvalidInput
from remit.train.rollout import Rollout


class RolloutLog:
    """A log open for writing by one process; opening it drops a last line that a kill left torn.

    Raises:
        InvalidInput: another process writes it, or a line that is not the last is no rollout.
    """

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        self._file: BinaryIO = path.open("a+b")
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._whole()
            self.rows = {row.key: row for row in read_rollouts(path)}
        except BlockingIOError:
            self._file.close()
            raise InvalidInput(f"{path}: another process writes this log; wait for it, or name another --out") from None
        except BaseException:
            self._file.close()
            raise

    def add(self, rows: Iterable[Rollout]) -> None:
        """Write rollouts, durable when this returns; what is there already under the same key is not written again."""
        new = [row for row in rows if row.key not in self.rows]
        self._file.write(b"".join(row.model_dump_json().encode() + b"\n" for row in new))
        self._file.flush()
        os.fsync(self._file.fileno())
        self.rows.update((row.key, row) for row in new)

    def close(self) -> None:
        """Close the file and let others write it."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _whole(self) -> None:
        """Cut off what follows the last line end: a kill came in the middle of it."""
        size = self._file.seek(0, os.SEEK_END)
        end = size
        while end > 0:
            start = max(0, end - 65536)
            self._file.seek(start)
            cut = self._file.read(end - start).rfind(b"\n")
            if cut >= 0:
                end = start + cut + 1
                break
            end = start
        if end < size:
            self._file.truncate(end)


def read_rollouts(path: Path) -> Iterator[Rollout]:
    """Yield the rollouts of a log; a last line without its end is not there yet.

    Raises:
        InvalidInput: a line is no rollout; file, line and field are named.
    """
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if not line.endswith(b"\n"):
                return
            try:
                yield Rollout.model_validate_json(line)
            except ValidationError as error:
                first = error.errors()[0]
                field = ".".join(map(str, first["loc"])) or None
                fault = Fault(str(path), number, field, f"is no rollout: {first['msg']}")
                raise InvalidInput(str(fault), (fault,)) from error


def write_json_lines(path: Path, rows: Iterable[dict[str, object]]) -> int:
    """Write rows as JSON Lines, the file whole or not at all; return how many there are."""
    count = 0
    waiting = path.with_name(path.name + ".part")
    path.parent.mkdir(parents=True, exist_ok=True)
    with waiting.open("w", encoding="utf-8") as file:
        for count, row in enumerate(rows, 1):  # noqa: B007 - counted for the caller
            file.write(json.dumps(row, ensure_ascii=False, sort_keys=True) + "\n")
        file.flush()
        os.fsync(file.fileno())
    waiting.replace(path)
    return count
