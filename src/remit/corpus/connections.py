"""Connections to `store.db`: opened with care, lent to one thread at a time, errors named."""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from remit.corpus.document import encodable
from remit.corpus.idle import Idle
from remit.corpus.migrating import altered, is_remit, migrate, pending
from remit.corpus.sessions import Looked
from remit.errors import CorpusDamaged, InvalidInput, MissingPrerequisite, NothingThere, ProviderBusy

STORE_FILE = "store.db"
BUSY_SECONDS = 30.0
_OPENING_TRIES = 100
_OPENING_PAUSE = 0.05
_SHORT_WAIT_MS = 200
_UNREADABLE = (json.JSONDecodeError, UnicodeDecodeError, ValidationError)
_NO_UTF8 = "Could not decode to UTF-8"
_BROKEN = ("SQLITE_NOTADB", "SQLITE_CORRUPT", "SQLITE_CONSTRAINT", "SQLITE_MISMATCH", "SQLITE_SCHEMA", "SQLITE_TOOBIG")
"""What SQLite says of rows, indexes or tables that are not as Remit wrote them. Our statements are the same each time and
keep the constraints: one that is refused (SQLITE_ERROR too) has met other tables, or rows that no write has left."""


class Connections:
    """Connections to one store. Several threads and processes may read and write at once."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._idle: Idle[sqlite3.Connection] = Idle()
        self.looked = Looked()

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Lend a connection inside one read transaction: every query in it sees the same committed state."""
        with self._lent() as connection:
            connection.execute("BEGIN")
            try:
                yield connection
            finally:
                _roll_back(connection)

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Lend a connection inside one write transaction, committed at the end of the block, or not at all."""
        with self._lent() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                _roll_back(connection)
                raise

    def shorten_log(self) -> None:
        """Copy the write-ahead log into the store and empty it, so that deleted text does not linger there.

        Where somebody is still reading from it, that is left to a later write.
        """
        with self._lent() as connection:
            connection.execute(f"PRAGMA busy_timeout = {_SHORT_WAIT_MS}")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            connection.execute(f"PRAGMA busy_timeout = {BUSY_SECONDS * 1000:.0f}")

    def torn(self, connection: Any, tables: Iterable[str]) -> list[str]:
        """Return what SQLite finds wrong with some tables and their indexes, or with the whole file."""
        named = list(tables)
        if named:
            return [fault for one in named for fault in integrity(connection, one)]
        return [*integrity(connection), *altered(connection)]

    def reindex(self, connection: Any) -> None:
        """Make every index anew from its table, inside a write."""
        connection.execute("REINDEX")

    def can_hold(self, text: str) -> bool:
        """Say whether a text can stand in the store at all."""
        return encodable(text)

    def close(self) -> None:
        """Close every connection that is not lent."""
        self._idle.close()

    @contextmanager
    def _lent(self) -> Iterator[sqlite3.Connection]:
        with named_errors(self._file):
            connection = self._idle.take() or connect(self._file, "rw")
            try:
                yield connection
            finally:
                self._idle.give(connection)


def integrity(connection: sqlite3.Connection, table: str | None = None) -> list[str]:
    """Return what SQLite finds wrong with a table and its indexes, or with the whole file."""
    rows = connection.execute("PRAGMA integrity_check" if table is None else f"PRAGMA integrity_check({table})")
    return [" ".join(str(row[0]).removeprefix("*** in database main ***").split()) for row in rows if row[0] != "ok"]


def _roll_back(connection: sqlite3.Connection) -> None:
    # Some errors have closed the transaction already; a second ROLLBACK would hide them behind its own.
    if connection.in_transaction:
        connection.execute("ROLLBACK")


def open_connections(folder: Path, *, create: bool) -> Connections:
    """Return connections to the store in `folder`, brought to the newest schema.

    Raises:
        NothingThere: there is no store and `create` is false; nothing is made.
        InvalidInput: the folder is a file, or holds another program's database.
        MissingPrerequisite: a newer Remit wrote the store, or it cannot be opened or written.
        CorpusDamaged: the file is no database.
    """
    file = folder / STORE_FILE
    try:
        if folder.exists() and not folder.is_dir():
            raise InvalidInput(f"{folder} is a file; a store is a folder: name one with --store")
        if not file.exists():
            if not create:
                raise NothingThere(f"no store at {folder}: make one with `remit ingest PATH --store {folder}`")
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            # A folder that is there already may be open to others; the documents in it are not.
            file.touch(mode=0o600)
    except OSError as error:
        raise MissingPrerequisite(
            f"cannot open the store at {folder} ({error.strerror}): check its permissions"
        ) from error
    with named_errors(file):
        _prepare(file, create=create)
    return Connections(file)


def _prepare(file: Path, *, create: bool) -> None:
    connection = connect(file, "rwc" if create else "rw")
    try:
        # One transaction: another process may be making this very store between two looks at it.
        connection.execute("BEGIN")
        ours, todo = is_remit(connection, str(file)), pending(connection, str(file))
        connection.execute("COMMIT")
        if not ours and not create:
            raise NothingThere(
                f"{file} holds nothing ({file.stat().st_size} bytes): its first ingest was interrupted, or the file was emptied: "
                "ingest again, or restore a backup"
            )
        if not todo:
            _check_log(connection, file)
        if todo:
            _in_wal(connection)
            connection.execute("BEGIN IMMEDIATE")
            # Another process may have migrated it while this one waited: `migrate` looks again.
            migrate(connection, str(file))
            connection.execute("COMMIT")
    finally:
        connection.close()


def _check_log(connection: sqlite3.Connection, file: Path) -> None:
    """Go on where the log beside the store is read: in a file that says it has none, what the log holds would be lost."""
    log = file.with_name(f"{file.name}-wal")
    if connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal" and log.exists() and log.stat().st_size:
        raise _damaged(file)


def _in_wal(connection: sqlite3.Connection) -> None:
    # The switch to WAL does not wait for locks by itself: two processes may make one store at once.
    for _ in range(_OPENING_TRIES):
        try:
            connection.execute("PRAGMA journal_mode = WAL").fetchone()
        except sqlite3.OperationalError as error:
            if error.sqlite_errorname != "SQLITE_BUSY":
                raise
            time.sleep(_OPENING_PAUSE)
        else:
            return
    raise ProviderBusy("another process is making this store: try again")


def connect(file: Path, mode: str) -> sqlite3.Connection:
    """Return a connection as every part of the store uses it; `mode` is SQLite's (`rw` never creates)."""
    connection = sqlite3.connect(
        f"{file.absolute().as_uri()}?mode={mode}",
        uri=True,
        timeout=BUSY_SECONDS,
        isolation_level=None,
        check_same_thread=False,
    )
    try:
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA secure_delete = ON")
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA journal_size_limit = 67108864")
    except sqlite3.Error:
        connection.close()
        raise
    return connection


@contextmanager
def named_errors(file: Path) -> Iterator[None]:
    """Turn SQLite's errors into ours, each saying what to do."""
    try:
        yield
    except _UNREADABLE as error:  # what a byte that has changed makes of a stored list, number or text
        raise _damaged(file) from error
    except sqlite3.Error as error:
        code: str = getattr(error, "sqlite_errorname", "") or ""
        if code.startswith(_BROKEN) or code == "SQLITE_ERROR" or _NO_UTF8 in str(error):
            raise _damaged(file) from error
        if code.startswith("SQLITE_BUSY"):
            raise ProviderBusy(
                f"another process has been writing to {file} for {BUSY_SECONDS:.0f} s: try again"
            ) from error
        if code == "SQLITE_FULL" or code.startswith("SQLITE_IOERR"):
            raise MissingPrerequisite(
                f"cannot write {file} ({error}): free some space or check the disk, and run it again; what is stored already "
                "stays, this write is not in it"
            ) from error
        if code.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM")):
            where = file.parent if os.access(file, os.R_OK) else file
            raise MissingPrerequisite(
                f"cannot use {file} ({error}): SQLite needs to read and write {where}, even to answer; give that permission"
            ) from error
        raise


def _damaged(file: Path) -> CorpusDamaged:
    return CorpusDamaged(
        f"{file} is damaged or no Remit store: see with `remit verify` what can be mended; else restore it from a backup, or "
        "ingest into a new folder"
    )
