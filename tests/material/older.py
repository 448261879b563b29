"""A store as an older Remit wrote it: the same documents under fewer migrations."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from remit.corpus.copying import TABLES
from remit.corpus.schema import APPLICATION_ID, MIGRATIONS


def older(store: Path, folder: Path, version: int) -> Path:
    """Write the record of a store under its first `version` migrations into a new folder, and return that."""
    folder.mkdir(parents=True)
    with closing(sqlite3.connect(folder / "store.db", isolation_level=None)) as old:
        old.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        old.execute("PRAGMA journal_mode = WAL")
        old.execute("CREATE TABLE migration (version INTEGER PRIMARY KEY) STRICT")
        for number, migration in enumerate(MIGRATIONS[:version], start=1):
            old.executescript(migration)
            old.execute("INSERT INTO migration (version) VALUES (?)", (number,))
        old.execute("ATTACH ? AS present", (str(store / "store.db"),))
        there = {name for (name,) in old.execute("SELECT name FROM main.sqlite_schema WHERE type = 'table'")}
        for table in TABLES:
            if table in there:
                named = ", ".join(row[1] for row in old.execute(f"PRAGMA main.table_info({table})"))
                old.execute(f"INSERT INTO main.{table} ({named}) SELECT {named} FROM present.{table}")
    return folder
