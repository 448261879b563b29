"""Whose file `store.db` is, and bringing it to the newest schema: each migration is applied once, in order, and recorded."""

from __future__ import annotations

import sqlite3
from contextlib import closing

from remit.corpus.schema import APPLICATION_ID, MIGRATIONS, SEALED_SINCE
from remit.corpus.sealed_record import seal_record
from remit.errors import InvalidInput, MissingPrerequisite


def is_remit(connection: sqlite3.Connection, place: str) -> bool:
    """Return True for a store of ours, False for a database in which nothing has been made yet.

    Raises:
        InvalidInput: the file is another program's database.
    """
    mark = connection.execute("PRAGMA application_id").fetchone()[0]
    if mark == APPLICATION_ID:
        return True
    tables = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
    if mark or tables:
        raise InvalidInput(f"{place} is another program's database; name an empty folder or a Remit store with --store")
    return False


def pending(connection: sqlite3.Connection, place: str) -> int:
    """Return how many migrations are still to be applied.

    Raises:
        MissingPrerequisite: the store was written by a newer Remit.
    """
    applied = 0
    if connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'migration'").fetchone():
        applied = connection.execute("SELECT coalesce(max(version), 0) FROM migration").fetchone()[0]
    if applied > len(MIGRATIONS):
        raise MissingPrerequisite(
            f"{place} has schema {applied}, this Remit knows {len(MIGRATIONS)}: install a newer Remit to open it"
        )
    return len(MIGRATIONS) - int(applied)


def migrate(connection: sqlite3.Connection, place: str) -> None:
    """Bring a store to the newest schema, in the caller's transaction."""
    todo = pending(connection, place)
    if not todo:
        return
    connection.execute("CREATE TABLE IF NOT EXISTS migration (version INTEGER PRIMARY KEY) STRICT")
    for version in range(len(MIGRATIONS) - todo + 1, len(MIGRATIONS) + 1):
        for statement in _statements(MIGRATIONS[version - 1]):
            connection.execute(statement)
        if version == SEALED_SINCE:
            seal_record(connection)
        connection.execute("INSERT INTO migration (version) VALUES (?)", (version,))
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")


def altered(connection: sqlite3.Connection) -> list[str]:
    """Return which tables, indexes and triggers are not those that the migrations make."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as fresh:
        migrate(fresh, "memory")
        wanted, found = _schema(fresh), _schema(connection)
    names = sorted({name for name, _ in wanted ^ found})
    return [f"{name} is not made as it was" for name in names]


def _schema(connection: sqlite3.Connection) -> set[tuple[str, str]]:
    rows = connection.execute("SELECT name, coalesce(sql, '') FROM sqlite_schema WHERE name NOT LIKE 'sqlite_stat%'")
    return {(name, "".join(sql.split())) for name, sql in rows}


def _statements(script: str) -> list[str]:
    # `executescript` commits first; statement by statement the migration stays inside the transaction.
    statements, current = [], ""
    for line in script.splitlines(keepends=True):
        current += line
        if sqlite3.complete_statement(current):
            statements.append(current)
            current = ""
    return statements
