"""A store's record, opened where it is: in a file of the store's directory, or in a database."""

from __future__ import annotations

from pathlib import Path

from remit.corpus.connections import STORE_FILE
from remit.corpus.database import DatabaseChoice
from remit.corpus.sql import SqlCorpus
from remit.corpus.sqlite import SqliteCorpus
from remit.errors import MissingPrerequisite


def open_corpus(folder: Path, database: DatabaseChoice | None, *, create: bool = False) -> SqlCorpus:
    """Return the record of the store in `folder`; it is made where it is missing only if `create` says so.

    Raises:
        RemitError: there is none, it cannot be reached, or it cannot be used.
    """
    if database is None:
        return SqliteCorpus.open(folder, create=create)
    needs_psycopg()
    from remit.corpus.postgres import PostgresCorpus  # noqa: PLC0415 - an extra

    return PostgresCorpus.open(folder, database, create=create)


def stands(folder: Path, database: DatabaseChoice | None) -> bool:
    """Say whether there is a record."""
    if database is None:
        return (folder / STORE_FILE).exists()
    needs_psycopg()
    from remit.corpus.postgres import PostgresCorpus  # noqa: PLC0415 - as above

    return PostgresCorpus.stands(database)


def taken_in(database: DatabaseChoice, file: Path) -> None:
    """Fill a database in which there is no store yet with the record of a file.

    Raises:
        RemitError: it holds something, cannot be reached, or cannot hold the record.
    """
    needs_psycopg()
    from remit.corpus.postgres import PostgresCorpus  # noqa: PLC0415 - as above

    PostgresCorpus.take_in(file, database)


def needs_psycopg() -> None:
    """Go on where a database can be spoken to.

    Raises:
        MissingPrerequisite: the extra is not installed.
    """
    try:
        import psycopg  # noqa: F401, PLC0415 - an extra
    except ImportError as error:
        raise MissingPrerequisite(
            "a database is named, and psycopg is not installed: pip install 'remit[postgres]'"
        ) from error
