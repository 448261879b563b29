"""Progress of an ingest, on stderr."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tqdm import tqdm

from remit.corpus.ingest import Step
from remit.serve import words


@contextmanager
def progress() -> Iterator[Callable[[Step], None]]:
    """Yield what shows each file as it is done, on stderr and only where that is a terminal."""
    with tqdm(unit="file", file=sys.stderr, disable=not sys.stderr.isatty(), leave=False) as bar:

        def step(done: Step) -> None:
            bar.total = done.total
            bar.set_postfix_str(words.plain(Path(done.file).name), refresh=False)
            bar.update(done.done - bar.n)

        yield step
