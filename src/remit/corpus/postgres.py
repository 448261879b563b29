"""The corpus in a PostgreSQL database: the record alone; segments, traces and queues stay in the store's directory."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any, Final, Self

import psycopg

from remit.corpus.connections import STORE_FILE, named_errors, open_connections
from remit.corpus.copying import TABLES, copy_record
from remit.corpus.database import DatabaseChoice
from remit.corpus.postgres_connections import Address, PostgresConnections, place_of
from remit.corpus.postgres_errors import named_errors as named_postgres_errors
from remit.corpus.postgres_schema import MARK, MIGRATIONS, SEALED_SINCE
from remit.corpus.postgres_session import PostgresSession
from remit.corpus.sealed_record import seal_record
from remit.corpus.sql import SqlCorpus
from remit.errors import InvalidInput, MissingPrerequisite, NothingThere

OLDEST_SERVER: Final = 14
_SETUP_SECONDS: Final = 600
_FAULTS: Final = {
    "passages have no vector": """SELECT count(*) FROM passage p WHERE NOT EXISTS
        (SELECT 1 FROM vector v WHERE v.passage_key = p.key)""",
    "live revisions have no passage": """SELECT count(*) FROM revision r WHERE r.removed_in IS NULL AND NOT EXISTS
        (SELECT 1 FROM passage p WHERE p.revision_key = r.key)""",
    "live revisions are described twice or not at all": """SELECT count(*) FROM revision r WHERE r.removed_in IS NULL
        AND 1 <> (SELECT count(*) FROM metadata m WHERE m.revision_key = r.key AND m.removed_in IS NULL)""",
    "live revisions are in no part of the snapshot digest": """SELECT count(*) FROM revision r
        WHERE r.removed_in IS NULL AND (r.state IS NULL OR NOT EXISTS (SELECT 1 FROM bucket b WHERE b.number = r.bucket))""",
}
"""What must be nought in a sound record; every table is read."""


class PostgresCorpus(SqlCorpus):
    """A record in one schema of a database. Processes on several hosts may read and write it at once."""

    connections: PostgresConnections

    @classmethod
    def open(cls, folder: Path, choice: DatabaseChoice, *, create: bool = False) -> Self:
        """Return the corpus in a database, for the store directory `folder`; both are made where missing if `create` says so.

        Raises:
            NothingThere: there is no store, or no such directory.
            InvalidInput: the directory is a file or holds a record of its own, or the schema is another program's.
            MissingPrerequisite: a newer Remit made it, the server is too old, or lets us not in.
            ProviderBusy: the server cannot be reached.
        """
        address = Address(choice)
        _prepare_folder(folder, create=create)
        _prepare(address, create=create)
        return cls(PostgresConnections(address, place_of(folder)))

    @staticmethod
    def stands(choice: DatabaseChoice) -> bool:
        """Say whether the database holds a store."""
        address = Address(choice)
        with named_postgres_errors(address.place), address.connect() as connection:
            return _applied(connection, address) is not None

    def copy_to(self, folder: Path) -> None:
        """Write the record as it stands into a new store folder, as SQLite; what is derived from it is rebuilt."""
        target = open_connections(folder, create=True)
        try:
            with self.connections.reading() as source, target.writing() as connection:
                copy_record(source.each, connection)
        finally:
            target.close()
        with named_errors(folder / STORE_FILE), closing(sqlite3.connect(folder / STORE_FILE)) as whole:
            whole.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()

    def tidy(self) -> None:
        """Bring the server's statistics up to date: until its own turn comes, it would plan for tables of no rows."""
        with self.connections.writing() as session:
            _analyse(session)

    def faults(self) -> list[str]:
        """Return what is wrong with the record: rows that others need and that are not there."""
        with self.connections.reading() as session:
            counts = {fault: session.execute(query).fetchone()[0] for fault, query in _FAULTS.items()}
        return [f"{count} {fault}" for fault, count in counts.items() if count]

    def where(self) -> str:
        """Return where the record is, with the versions of server and schema; no user, no password."""
        with self.connections.reading() as session:
            [server] = session.execute("SELECT current_setting('server_version')").fetchone()
            [version] = session.execute(f"SELECT max(version) FROM {MARK}").fetchone()  # noqa: S608 - a constant
        return f"{self.connections.place}: server {server}, schema version {version}"

    @classmethod
    def take_in(cls, file: Path, choice: DatabaseChoice) -> None:
        """Fill a record, which has to be empty, with that of a SQLite store; all of it or nothing.

        Raises:
            InvalidInput: something is there already, or a text holds what PostgreSQL cannot.
        """
        address = Address(choice)
        _prepare(address, create=True)
        with (
            named_errors(file),
            closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as source,
            cls(PostgresConnections(address, "")) as corpus,
            corpus.connections.writing() as target,
        ):
            if any(target.execute(f"SELECT 1 FROM {table} LIMIT 1").fetchone() for table in TABLES):  # noqa: S608 - constants
                raise InvalidInput(f"{address.place} holds a store already: name another schema")
            source.execute("BEGIN")
            copy_record(source.execute, target)
            for table in (name for name, columns in TABLES.items() if columns[0] == "key"):
                # What is written next gets keys that follow.
                target.execute(f"SELECT setval(pg_get_serial_sequence('{table}', 'key'), max(key)) FROM {table}")  # noqa: S608 - constants
            _analyse(target)


def _analyse(session: PostgresSession) -> None:
    # A user that owns no tables is told so by a warning; then it is left to the server.
    for table in (*TABLES, "run"):
        session.execute(f"ANALYZE {table}")


def _prepare_folder(folder: Path, *, create: bool) -> None:
    try:
        if folder.exists() and not folder.is_dir():
            raise InvalidInput(f"{folder} is a file; a store is a folder: name one with --store")
        if (folder / STORE_FILE).exists():
            raise InvalidInput(
                f"{folder} holds its record in {STORE_FILE}, and a database is named as well: take [database] and "
                "REMIT_DATABASE_URL away, or move the record with `remit backup` and `remit restore`"
            )
        if not folder.exists() and not create:
            raise NothingThere(
                f"no directory {folder}: make it, or the store with `remit ingest PATH --store {folder}`"
            )
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise MissingPrerequisite(
            f"cannot open the store at {folder} ({error.strerror}): check its permissions"
        ) from error


def _prepare(address: Address, *, create: bool) -> None:
    """Bring the record to the newest schema; the lock lets one process at a time do so."""
    with named_postgres_errors(address.place), address.connect() as connection:
        _check_server(connection, address)
        applied = _applied(connection, address)
        if applied is None and not create:
            raise NothingThere(f"no store in {address.place}: make one with `remit ingest`")
        if applied == len(MIGRATIONS):
            return
        session = PostgresSession(connection)
        session.execute(address.opening("READ COMMITTED READ WRITE", _SETUP_SECONDS))
        session.execute(address.alone)
        applied = _applied(connection, address)  # another process may have done it while this one waited
        if applied is None:
            if (
                connection.execute("SELECT 1 FROM pg_namespace WHERE nspname = %s", (address.namespace,)).fetchone()
                is None
            ):
                session.execute(f'CREATE SCHEMA "{address.namespace}"')
            session.execute(f"CREATE TABLE {MARK} (version BIGINT PRIMARY KEY)")
        for version in range((applied or 0) + 1, len(MIGRATIONS) + 1):
            connection.execute(MIGRATIONS[version - 1])
            if version == SEALED_SINCE:
                seal_record(session)
            session.execute(f"INSERT INTO {MARK} VALUES (?)", (version,))  # noqa: S608 - a constant
        session.execute("COMMIT")


def _check_server(connection: psycopg.Connection[Any], address: Address) -> None:
    if connection.info.server_version < OLDEST_SERVER * 10_000:
        raise MissingPrerequisite(f"{address.place} is older than PostgreSQL {OLDEST_SERVER}: use a newer server")
    if (encoding := connection.info.parameter_status("server_encoding")) != "UTF8":
        raise MissingPrerequisite(f"{address.place} holds text as {encoding}: make a database with ENCODING 'UTF8'")


def _applied(connection: psycopg.Connection[Any], address: Address) -> int | None:
    """Return how many migrations have been applied, or None where there is nothing of ours and of nobody else.

    Raises:
        InvalidInput: the schema holds another program's tables.
        MissingPrerequisite: a newer Remit made it.
    """
    query = """SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = %s AND c.relkind IN ('r', 'p', 'v', 'm', 'f')"""
    tables = {name for (name,) in connection.execute(query, (address.namespace,))}
    if not tables:
        return None
    if MARK not in tables:
        raise InvalidInput(f"{address.place} holds another program's tables: name another schema")
    row = connection.execute(f'SELECT coalesce(max(version), 0) FROM "{address.namespace}".{MARK}').fetchone()  # noqa: S608 - a checked name and a constant
    applied = int(row[0]) if row else 0
    if applied > len(MIGRATIONS):
        raise MissingPrerequisite(
            f"{address.place} has schema version {applied}, this Remit knows {len(MIGRATIONS)}: install a newer Remit to open it"
        )
    return applied
