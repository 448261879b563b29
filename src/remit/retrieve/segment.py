"""A segment: a part of the index in a file that is written once, named by its digest, and mapped into memory.

The file is the arrays, each at a multiple of 64 bytes, then a table of contents in JSON, its length, and a mark. The
table holds a digest of each array, and the name of the file is the digest of the table: so a file that is short, or in
which a byte has changed, is found out before anything of it is used.
"""

from __future__ import annotations

import hashlib
import json
import os
import uuid
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from remit.errors import CorpusDamaged
from remit.retrieve.part import Array, Part

VERSION = 1
SUFFIX = ".seg"
UNFINISHED = ".tmp"
_MARK = b"REMITSEG"
_ALIGNED = 64
_CHUNK = 1 << 22
TYPES = {
    "runs": "<i8",
    "starts": "<i8",
    "spoken": "<u2",
    "keys": "<i8",
    "lengths": "<u4",
    "scales": "<f4",
    "vectors": "|i1",
    "words": "|u1",
    "word_ends": "<i8",
    "bounds": "<i8",
    "rows": "<u4",
    "counts": "|u1",
    "large_at": "<i8",
    "large": "<u4",
}


class Writing:
    """A segment on its way to disk: arrays are added one by one, in chunks if they are large, then it is named."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._place = folder / f"{uuid.uuid4().hex}{UNFINISHED}"
        self._file = self._place.open("wb")
        self._table: dict[str, dict[str, Any]] = {}

    def add(self, name: str, chunks: Iterable[Array], columns: int = 0) -> None:
        """Write an array that comes in pieces; `columns` is the length of its rows where it has two dimensions."""
        self._file.write(b"\0" * (-self._file.tell() % _ALIGNED))
        start, digest, type_ = self._file.tell(), hashlib.sha256(), np.dtype(TYPES[name])
        for chunk in chunks:
            data = np.ascontiguousarray(chunk, dtype=type_).data.cast("B") if chunk.size else b""
            digest.update(data)
            self._file.write(data)
        items = (self._file.tell() - start) // type_.itemsize
        shape = [items // columns if columns else 0, columns] if name == "vectors" else [items]
        self._table[name] = {"at": start, "shape": shape, "sha256": digest.hexdigest()}

    def finish(self, languages: Sequence[str]) -> str:
        """Return the digest of the segment, which is on disk under that name."""
        table = {"version": VERSION, "languages": list(languages), "arrays": self._table}
        contents = json.dumps(table, sort_keys=True).encode()
        with self._file:
            self._file.write(contents + len(contents).to_bytes(8, "little") + _MARK)
            self._file.flush()
            os.fsync(self._file.fileno())
        digest = hashlib.sha256(contents).hexdigest()
        self._place.replace(path_of(self._folder, digest))
        _sync(self._folder)
        return digest


def write(part: Part, folder: Path) -> str:
    """Store a part and return the digest that is its name."""
    writing = Writing(folder)
    for name in TYPES:
        whole = part.arrays[name]
        writing.add(name, [whole], whole.shape[1] if whole.ndim > 1 else 0)
    return writing.finish(part.languages)


def read(folder: Path, digest: str) -> Part:
    """Return the part in a segment, mapped into memory; every byte has been looked at.

    Raises:
        CorpusDamaged: it is missing, short, changed, or of another version.
    """
    place = path_of(folder, digest)
    try:
        with place.open("rb") as file:
            contents, end = _contents(file.fileno(), digest, place)
            table = json.loads(contents)
            if table["version"] != VERSION or set(table["arrays"]) != set(TYPES):
                raise _damaged(place, "was written by another version of Remit")
            for name, entry in table["arrays"].items():
                # Read, not mapped: pages that no search needs then do not count as this process's memory.
                if _digest(file.fileno(), entry["at"], _bytes(name, entry), end) != entry["sha256"]:
                    raise _damaged(place, f"has other {name} than were written")
            mapped = np.memmap(file, dtype=np.uint8, mode="r")
    except OSError as error:
        raise _damaged(place, f"cannot be read ({error.strerror})") from error
    return Part(table["languages"], {name: _array(mapped, name, entry) for name, entry in table["arrays"].items()})


def path_of(folder: Path, digest: str) -> Path:
    """Return where a segment lies."""
    return folder / f"{digest}{SUFFIX}"


def written_at(folder: Path, digest: str) -> int:
    """Return when a segment was last written, in nanoseconds; 0 where it is not there."""
    place = path_of(folder, digest)
    return place.stat().st_mtime_ns if place.exists() else 0


def leftovers(folder: Path, named: Iterable[str]) -> Iterator[Path]:
    """Yield the files that a killed builder has left, or that no store names any more."""
    kept = {path_of(folder, digest).name for digest in named}
    for place in folder.iterdir():
        if place.suffix in {SUFFIX, UNFINISHED} and place.name not in kept:
            yield place


def _contents(file: int, digest: str, place: Path) -> tuple[bytes, int]:
    size, tail = os.fstat(file).st_size, 8 + len(_MARK)
    foot = os.pread(file, tail, max(0, size - tail))
    length = int.from_bytes(foot[:8], "little")
    if len(foot) < tail or foot[8:] != _MARK or length > size - tail:
        raise _damaged(place, "is cut short")
    end = size - tail - length
    contents = os.pread(file, length, end)
    if hashlib.sha256(contents).hexdigest() != digest:
        raise _damaged(place, "has another table of contents than its name says")
    return contents, end


def _digest(file: int, start: int, size: int, end: int) -> str:
    digest, last = hashlib.sha256(), min(start + size, end)
    for at in range(start, last, _CHUNK):
        digest.update(os.pread(file, min(_CHUNK, last - at), at))
    return digest.hexdigest()


def _bytes(name: str, entry: dict[str, Any]) -> int:
    return int(np.prod(entry["shape"], dtype=np.int64)) * np.dtype(TYPES[name]).itemsize


def _array(mapped: Array, name: str, entry: dict[str, Any]) -> Array:
    start, size = entry["at"], _bytes(name, entry)
    plain = np.asarray(mapped)[start : start + size]
    return plain.view(TYPES[name]).reshape(entry["shape"])


def _sync(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _damaged(place: Path, what: str) -> CorpusDamaged:
    return CorpusDamaged(f"the segment {place.name} {what}: it is left out, and built again at the next ingest")
