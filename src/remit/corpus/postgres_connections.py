"""Connections to a record in PostgreSQL: opened with care, lent to one thread at a time, replaced where they were lost."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import psycopg
from psycopg import conninfo
from psycopg.pq import TransactionStatus

from remit.corpus.database import DatabaseChoice
from remit.corpus.idle import Idle
from remit.corpus.postgres_errors import WAIT_SECONDS, named_errors, not_reached
from remit.corpus.postgres_session import PostgresSession, holds
from remit.corpus.sessions import Looked
from remit.errors import InvalidInput, MissingPrerequisite

PLACE_FILE: Final = "place"
"""The file of a store directory with a name of its own: segments are files, and each directory has others."""

_READ_SECONDS: Final = 120
_WRITE_SECONDS: Final = 1800
_IDLE_SECONDS: Final = 900
"""A statement, and a transaction in which nothing happens, end after so long: no lock outlives whoever holds it by more."""

_DEFAULTS: Final = {
    "client_encoding": "utf8",
    "connect_timeout": 10,
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
}


class Address:
    """Where a record is, and how to get there. Only `place` is ever shown."""

    def __init__(self, choice: DatabaseChoice) -> None:
        """Read the choice.

        Raises:
            InvalidInput: the URL cannot be read; it is not repeated, since it may hold a password.
        """
        try:
            said = conninfo.conninfo_to_dict(choice.url.get_secret_value())
        except psycopg.Error:
            said = {"host": "@"}
        host, port = str(said.get("host") or ""), str(said.get("port") or "")
        if "@" in host or not set(port) <= set("0123456789,"):
            raise InvalidInput(
                "the database's URL cannot be read: write postgresql://USER@HOST:PORT/DATABASE, and %40 for @ in a password"
            )
        if choice.password is not None:
            said["password"] = choice.password.get_secret_value()
        self.namespace = choice.namespace
        self._arguments: dict[str, Any] = {**_DEFAULTS, "fallback_application_name": "remit", **said}
        where = ":".join(part for part in (host or "PGHOST", port) if part)
        self.place = f"PostgreSQL at {where}, database {said.get('dbname') or 'PGDATABASE'}, schema {self.namespace}"

    def connect(self) -> psycopg.Connection[Any]:
        """Return a new connection. Nothing is prepared: so it works through a pooler too, and each plan fits its values.

        Raises:
            ProviderBusy: nobody is there.
            MissingPrerequisite: whoever is there lets us not in.
        """
        try:
            return psycopg.connect("", autocommit=True, prepare_threshold=None, **self._arguments)
        except psycopg.Error as error:
            raise not_reached(error, self.place) from error

    def opening(self, mode: str, seconds: int, place: str = "") -> str:
        """Return what opens a transaction, in one message; `place` names the directory whose segments are meant."""
        return f"""BEGIN ISOLATION LEVEL {mode}; SET LOCAL search_path TO "{self.namespace}";
            SET LOCAL statement_timeout TO '{seconds}s'; SET LOCAL lock_timeout TO '{WAIT_SECONDS}s';
            SET LOCAL idle_in_transaction_session_timeout TO '{_IDLE_SECONDS}s'; SET LOCAL remit.place TO '{place}'"""

    @property
    def alone(self) -> str:
        """Return what waits until no other transaction of this record has said the same."""
        return f"SELECT pg_advisory_xact_lock(hashtext('remit'), hashtext('{self.namespace}'))"


class PostgresConnections:
    """Connections to one record. Several threads, processes and hosts may read and write at once."""

    def __init__(self, address: Address, place: str) -> None:
        self._address = address
        self._reading = address.opening("REPEATABLE READ READ ONLY", _READ_SECONDS, place)
        # The lock comes before the first look: with READ COMMITTED each statement sees all that earlier writers left.
        # A commit is on disk when it is acknowledged, whatever the server's default is.
        self._writing = f"""{address.opening("READ COMMITTED READ WRITE", _WRITE_SECONDS, place)}; {address.alone};
            SELECT set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') = 'off'"""
        self._idle: Idle[psycopg.Connection[Any]] = Idle()
        self.looked = Looked()

    @property
    def place(self) -> str:
        """Return where the record is, in words, without user and password."""
        return self._address.place

    @contextmanager
    def reading(self) -> Iterator[PostgresSession]:
        """Lend a session inside one read transaction: every query in it sees the same committed state."""
        with self._lent(self._reading) as connection:
            yield PostgresSession(connection)
            connection.execute("ROLLBACK")

    @contextmanager
    def writing(self) -> Iterator[PostgresSession]:
        """Lend a session inside the only write transaction there is, committed at the end of the block, or not at all."""
        with self._lent(self._writing) as connection:
            yield PostgresSession(connection)
            connection.execute("COMMIT")

    def shorten_log(self) -> None:
        """Leave it to the server: its vacuum frees what was deleted, and its log is its own."""

    def torn(self, connection: Any, tables: Iterable[str]) -> list[str]:
        """Leave it to the server, which has sums of its own over its pages."""
        return []

    def reindex(self, connection: Any) -> None:
        """Leave it to whoever runs the server."""

    def can_hold(self, text: str) -> bool:
        """Say whether a text can stand in the record at all."""
        return holds(text)

    def close(self) -> None:
        """Close every connection that is not lent."""
        self._idle.close()

    @contextmanager
    def _lent(self, opening: str) -> Iterator[psycopg.Connection[Any]]:
        with named_errors(self.place):
            connection = self._opened(opening)
            try:
                yield connection
            except BaseException:
                _roll_back(connection)
                raise
            finally:
                if not connection.closed:
                    self._idle.give(connection)

    def _opened(self, opening: str) -> psycopg.Connection[Any]:
        """Return a connection with an open transaction; one that was lost while it lay idle is replaced."""
        if (connection := self._idle.take()) is not None:
            try:
                return _begun(connection, opening)
            except psycopg.OperationalError as error:
                if error.sqlstate is not None and not error.sqlstate.startswith(_LOST):
                    raise
                self.close()  # the others were lost with it
        return _begun(self._address.connect(), opening)


_LOST: Final = ("08", "57P")
"""How the codes begin by which a server says that it is going away; without a code, it has gone."""


def _begun(connection: psycopg.Connection[Any], opening: str) -> psycopg.Connection[Any]:
    try:
        connection.execute(opening.encode())
    except BaseException:
        connection.close()
        raise
    return connection


def _roll_back(connection: psycopg.Connection[Any]) -> None:
    """End what is open; a connection on which that cannot be done is closed, and the server ends it."""
    try:
        if connection.info.transaction_status in {TransactionStatus.INTRANS, TransactionStatus.INERROR}:
            connection.execute("ROLLBACK")
        elif connection.info.transaction_status != TransactionStatus.IDLE:
            connection.close()
    except psycopg.Error:
        connection.close()


def place_of(folder: Path) -> str:
    """Return the name of a store directory of its own; it is given one where it has none.

    Raises:
        MissingPrerequisite: nothing can be written there.
    """
    file = folder / PLACE_FILE
    try:
        if not file.exists():
            name = uuid.uuid4().hex
            (mine := folder / f".{PLACE_FILE}-{name}").write_text(name, encoding="ascii")
            with suppress(FileExistsError):  # another process was quicker
                file.hardlink_to(mine)
            mine.unlink()
        return uuid.UUID(hex=file.read_text(encoding="ascii").strip()).hex
    except (OSError, ValueError) as error:
        raise MissingPrerequisite(
            f"{file} cannot be read or made ({type(error).__name__}): check the directory's permissions"
        ) from error
