"""A process that reads files for an ingest: sources come in on stdin, what was read goes out on stdout."""

from __future__ import annotations

import hashlib
import os
import pickle
import resource
import signal
import sys
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast

from remit.corpus.folders import Source
from remit.corpus.frontmatter import SIDECAR
from remit.corpus.prepare import Draft, read_drafts
from remit.corpus.readers import fault
from remit.corpus.stated import Stated
from remit.errors import InvalidInput

LENGTH_BYTES = 8
MOST_MEMORY = 4 << 30


class Read(NamedTuple):
    """What a file holds. `stamp` and `digest` are those of the file as it was read, None where it changed meanwhile."""

    drafts: tuple[Draft | InvalidInput, ...]
    stamp: str | None
    digest: str | None


def read(source: Source, fill: Stated) -> Read:
    """Return the documents of one file."""
    before = stamp_of(source.path)
    drafts = tuple(read_drafts(source, fill))
    digest = digest_of_file(source.path)
    same = before is not None and before == stamp_of(source.path)
    return Read(drafts, before if same else None, digest if same else None)


def stamp_of(path: Path) -> str | None:
    """Return size and times of a file and its sidecar; None where it cannot be looked at."""
    try:
        found = [path.stat()]
        sidecar = path.with_name(path.name + SIDECAR)
        found += [sidecar.stat()] if sidecar.exists() else []
    except OSError:
        return None
    return " ".join(f"{s.st_size}:{s.st_mtime_ns}:{s.st_ctime_ns}:{s.st_ino}" for s in found)


def last_change(path: Path) -> float:
    """Return when a file, its times or its sidecar last changed, in seconds since 1970."""
    sidecar = path.with_name(path.name + SIDECAR)
    return max(max(s.st_mtime, s.st_ctime) for s in (p.stat() for p in (path, sidecar) if p.exists()))


def digest_of_file(path: Path) -> str | None:
    """Return a digest of a file and its sidecar; None where it cannot be read."""
    digest = hashlib.sha256()
    try:
        for one in (path, path.with_name(path.name + SIDECAR)):
            if one is path or one.exists():
                with one.open("rb") as file:
                    digest.update(hashlib.file_digest(file, "sha256").digest())
    except OSError:
        return None
    return digest.hexdigest()


def send(pipe: BinaryIO, value: object) -> None:
    """Write one value to the other side."""
    content = pickle.dumps(value)
    pipe.write(len(content).to_bytes(LENGTH_BYTES, "big") + content)
    pipe.flush()


def receive(pipe: BinaryIO) -> object:
    """Return the next value from the other side.

    Raises:
        EOFError: it is gone.
    """
    size = int.from_bytes(_exactly(pipe, LENGTH_BYTES), "big")
    return pickle.loads(_exactly(pipe, size))  # noqa: S301 - from a process of our own


def _exactly(pipe: BinaryIO, size: int) -> bytes:
    content = pipe.read(size)
    if len(content) < size:
        raise EOFError
    return content


def main() -> None:
    """Read files until stdin ends."""
    _bound_memory()
    # Ctrl-C reaches the whole group: only the ingest itself decides what follows.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a library prints must not mix with what is sent
    while True:
        try:
            asked = receive(sys.stdin.buffer)
        except EOFError:
            return
        source, fill = cast("tuple[Source, Stated]", asked)
        try:
            found = read(source, fill)
        except MemoryError:
            why = f"takes more than {MOST_MEMORY >> 30} GB of memory to read: simplify or divide it"
            found = Read((fault(source.name, None, why),), None, None)
        send(out, found)


def _bound_memory() -> None:
    """See to it that a small file which unpacks to a large one ends its reader, and not the machine."""
    if sys.platform == "linux":  # elsewhere the limit is refused, or counts for nothing
        _, most = resource.getrlimit(resource.RLIMIT_AS)
        limit = MOST_MEMORY if most == resource.RLIM_INFINITY else min(MOST_MEMORY, most)
        resource.setrlimit(resource.RLIMIT_AS, (limit, most))
