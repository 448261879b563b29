"""A store's documents: opened under its settings, filled, emptied, closed."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, nullcontext
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, Final, Self

from remit.corpus.control import CONTROL_FILE
from remit.corpus.document import Snapshot
from remit.corpus.ingest import Report, Step, ingest
from remit.corpus.opening import open_corpus, stands
from remit.corpus.sql import SqlCorpus
from remit.corpus.stated import Stated
from remit.errors import NothingThere
from remit.parts import Parts, encoder_of
from remit.settings import Settings

UTC_NOW: Final = partial(datetime.now, UTC)
MANY: Final = 20
"""After how many new revisions a database looks at its tables again; after fewer it is not worth the time."""


def several(paths: str | Path | Sequence[str | Path]) -> list[Path]:
    """Return one path or several as a list; a text is one path, not its letters."""
    return [Path(paths)] if isinstance(paths, str | Path) else [Path(path) for path in paths]


class Library:
    """An open store. Clock, ids and environment come in as arguments, so that a test can say what they are."""

    def __init__(
        self,
        store: Path,
        settings: Settings,
        corpus: SqlCorpus,
        *,
        now: Callable[[], datetime] = UTC_NOW,
        new_id: Callable[[], object] = uuid.uuid4,
    ) -> None:
        self.settings, self.store, self.corpus, self.now, self._new_id = settings, store, corpus, now, new_id
        self._opened = ExitStack()
        self._opened.callback(corpus.close)
        self.parts = Parts(store, settings, corpus, self._opened)

    @classmethod
    def open(
        cls,
        store: str | Path,
        *,
        settings: Settings | None = None,
        config: Path | None = None,
        environ: Mapping[str, str] | None = None,
        make: bool = False,
        **given: Any,
    ) -> Self:
        """Return the store in a directory, under its remit.toml or other settings; `make` makes one where there is none.

        Raises:
            RemitError: there is no store, a newer Remit wrote it, or the settings are wrong.
        """
        folder = Path(store)
        environ, own = os.environ if environ is None else environ, folder / CONTROL_FILE
        settings = settings or Settings.load(config or own, environ, optional=config is None)
        return cls(folder, settings, open_corpus(folder, settings.database, create=make), **given)

    def ingest(
        self,
        paths: str | Path | Sequence[str | Path],
        *,
        fill: Stated | None = None,
        step: Callable[[Step], None] | None = None,
    ) -> Report:
        """Bring documents in; `fill` says what files leave out, `step` is told after each file. Report what was done."""
        files, said, control = several(paths), fill or Stated(), self.settings.control
        done = ingest(files, self.corpus, self.parts.encoder, now=self.now(), control=control, fill=said, step=step)
        if done.revisions >= MANY:
            self.corpus.tidy()
        return self.parts.retriever.caught_up(done)

    @classmethod
    def preview(
        cls,
        paths: Sequence[str | Path],
        *,
        store: str | Path,
        config: Path | None = None,
        fill: Stated | None = None,
    ) -> Report:
        """Return what an ingest would do, also where there is no store yet; nothing is written and none is made."""
        folder = Path(store)
        settings = Settings.load(config or folder / CONTROL_FILE, os.environ, optional=config is None)
        there = stands(folder, settings.database)
        with open_corpus(folder, settings.database) if there else nullcontext() as corpus:
            files, said, control = [Path(path) for path in paths], fill or Stated(), settings.control
            return ingest(files, corpus, encoder_of(settings), now=UTC_NOW(), control=control, fill=said, dry_run=True)

    @staticmethod
    def exists(store: str | Path, *, config: Path | None = None) -> bool:
        """Say whether there is a store, in a directory or in the database that its settings name."""
        folder = Path(store)
        settings = Settings.load(config or folder / CONTROL_FILE, os.environ, optional=config is None)
        return stands(folder, settings.database)

    def delete(self, document: str, *, revision: str | None = None) -> int:
        """Hide a document, or one revision of it, from every later request; return how many revisions that were.

        Raises:
            NothingThere: there is none.
        """
        count = self.corpus.delete(document, now=self.now(), revision=revision)
        if not count:
            named = document if revision is None else f"{document}@{revision}"
            raise NothingThere(f"{named}: no such document in this store")
        return count

    def left_replaced(self, document: str, *, revision: str | None = None) -> tuple[str, ...]:
        """Return the revisions that stay replaced by a document that was deleted, or by one revision of it."""
        whole = f"{document}@" if revision is None else f"{document}@{revision}"
        gone = self.corpus.replaced_by_deleted().items()
        return tuple(id for id, by in gone if (by.startswith(whole) if revision is None else by == whole))

    def snapshot(self) -> Snapshot:
        """Return the newest state of the corpus."""
        return self.corpus.snapshot()

    def close(self) -> None:
        """Close the store's files and let go of the models."""
        self._opened.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()
