"""Files read ahead of an ingest by processes of their own, in order: a file that breaks its reader breaks nothing else."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import IO, BinaryIO, NamedTuple, Self, cast

from remit.corpus.folders import Source
from remit.corpus.readers import LINES, fault
from remit.corpus.reading_worker import Read, read, receive, send
from remit.corpus.stated import Stated

MOST_WORKERS = 4
AHEAD = 4
SECONDS_A_FILE = 120.0
_FEW_FILES = 32
_APART = frozenset({".pdf", ".docx", ".html", ".htm"})


class File(NamedTuple):
    """A file and what was read of it; None where its lines are to be read one by one."""

    source: Source
    read: Read | None


def workers_for(sources: Sequence[Source]) -> int:
    """Return how many processes reading these files is worth; 0: read them in this one."""
    if not sys.executable or (len(sources) < _FEW_FILES and not any(s.path.suffix.lower() in _APART for s in sources)):
        return 0
    return max(1, min(MOST_WORKERS, (os.cpu_count() or 1) - 1, len(sources)))


@contextmanager
def reading(sources: Sequence[Source], fill: Stated, workers: int) -> Iterator[Iterator[File]]:
    """Yield the files in their order, read by `workers` processes that keep a little ahead."""
    if not workers:
        yield (File(source, None if _by_lines(source) else read(source, fill)) for source in sources)
        return
    with _Pool(workers) as pool:
        yield pool.files(sources, fill)


class _Pool:
    """Threads that each wait for one process: a pipe to it that is full can hold nobody else up."""

    def __init__(self, workers: int) -> None:
        self._own = threading.local()
        self._all: set[subprocess.Popen[bytes]] = set()
        self._threads = ThreadPoolExecutor(workers, thread_name_prefix="remit-reading")
        self._ahead = workers * AHEAD

    def files(self, sources: Sequence[Source], fill: Stated) -> Iterator[File]:
        """Yield the files in their order."""
        waiting: deque[tuple[Source, Future[Read] | None]] = deque()
        for source in sources:
            waiting.append((source, None if _by_lines(source) else self._threads.submit(self._read, source, fill)))
            if len(waiting) >= self._ahead:
                yield _done(*waiting.popleft())
        while waiting:
            yield _done(*waiting.popleft())

    def _read(self, source: Source, fill: Stated) -> Read:
        process = self._own.process = getattr(self._own, "process", None) or self._started()
        try:
            send(_pipe(process.stdin), (source, fill))
            if not select.select([_pipe(process.stdout)], [], [], SECONDS_A_FILE)[0]:
                why = f"took more than {SECONDS_A_FILE:.0f} s to read: simplify or divide it"
            else:
                return cast("Read", receive(_pipe(process.stdout)))
        except (EOFError, BrokenPipeError):
            why = "its reader broke off: the file is damaged, or hostile; save it anew"
        self._own.process = None
        self._end(process)
        return Read((fault(source.name, None, why),), None, None)

    def _started(self) -> subprocess.Popen[bytes]:
        # -P: what lies in the folder one stands in, such as the documents, is no place to load code from.
        command = [sys.executable, "-P", "-c", "from remit.corpus.reading_worker import main; main()"]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # noqa: S603 - our own
        self._all.add(process)
        return process

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            try:
                _pipe(pipe).close()
            except BrokenPipeError:
                continue  # what was still to be sent has nobody to read it
        self._all.discard(process)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        # Whoever waits for one of them hears at once that it is gone.
        for process in list(self._all):
            process.kill()
        self._threads.shutdown(wait=True, cancel_futures=True)
        for process in list(self._all):
            self._end(process)


def _by_lines(source: Source) -> bool:
    return source.path.suffix.lower() == LINES


def _done(source: Source, future: Future[Read] | None) -> File:
    return File(source, None if future is None else future.result())


def _pipe(pipe: IO[bytes] | None) -> BinaryIO:
    if pipe is None:
        raise BrokenPipeError
    return cast("BinaryIO", pipe)
