"""The corpus in one SQLite file: the record that everything else is derived from."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Self

from remit.corpus.connections import STORE_FILE, Connections, open_connections
from remit.corpus.schema import MIGRATIONS
from remit.corpus.sql import SqlCorpus


class SqliteCorpus(SqlCorpus):
    """A store folder that holds its record."""

    connections: Connections

    @classmethod
    def open(cls, folder: Path, *, create: bool = False) -> Self:
        """Return the corpus of the store in `folder`; it is made where it is missing only if `create` says so.

        Raises:
            NothingThere: there is no store.
            InvalidInput: the folder is a file, or holds another program's database.
            MissingPrerequisite: a newer Remit wrote it, or it cannot be read and written.
            CorpusDamaged: the file is no database.
        """
        return cls(open_connections(folder, create=create))

    def where(self) -> str:
        """Return the file and the version of its tables."""
        return f"{STORE_FILE}: schema version {len(MIGRATIONS)}"

    def copy_to(self, folder: Path) -> None:
        """Write the record as it stands into a new store folder; what is derived from it is rebuilt or copied beside it."""
        folder.mkdir(mode=0o700, parents=True)
        (folder / STORE_FILE).touch(mode=0o600)
        with self.connections.reading() as connection, closing(sqlite3.connect(folder / STORE_FILE)) as target:
            connection.backup(target)
