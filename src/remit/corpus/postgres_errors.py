"""PostgreSQL's errors as ours: what happened, at which database, what to do; never a password, never a stored text."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import psycopg

from remit.errors import CorpusDamaged, InvalidInput, MissingPrerequisite, ProviderBusy, ProviderFailed, RemitError

WAIT_SECONDS: Final = 30
"""How long a writer waits for another one."""

_REFUSED: Final = (
    "password",
    "authentication",
    "pg_hba.conf",
    "does not exist",
    "certificate",
    "SSL",
    "permission denied",
)
"""Words of the reasons for which a server that was reached lets nobody in: trying again does not help."""


@contextmanager
def named_errors(place: str) -> Iterator[None]:
    """Turn the errors of psycopg into ours; `place` names the database."""
    try:
        yield
    except psycopg.Error as error:
        raise _named(error, place) from error


def not_reached(error: psycopg.Error, place: str) -> RemitError:
    """Return what it means that no connection came about."""
    first = str(error).partition("\n")[0]
    reason = first.rpartition(": ")[2].strip() or type(error).__name__
    if any(word in reason for word in _REFUSED):
        return MissingPrerequisite(
            f"{place} lets us not in ({reason}): check user and database of the URL, and give the password as PGPASSWORD, "
            "REMIT_DATABASE_PASSWORD_FILE or in ~/.pgpass"
        )
    return ProviderBusy(
        f"{place} cannot be reached ({reason}): start the server or check host and port, then try again"
    )


def _named(error: psycopg.Error, place: str) -> RemitError:
    code = error.sqlstate or ""
    said = (error.diag.message_primary or type(error).__name__).rstrip(".")
    if code == "55P03":
        return ProviderBusy(f"another process has been writing to {place} for {WAIT_SECONDS} s: try again")
    if code == "57014":
        return ProviderBusy(f"{place} took too long for one statement: try again when it has less to do")
    if code in {"42501", "25006"}:
        return MissingPrerequisite(
            f"cannot write to {place} ({said}): give the user those rights; this write changed nothing"
        )
    if code in {"53100", "53200", "54000"} or code.startswith("58"):
        kind = InvalidInput if code == "54000" else MissingPrerequisite
        return kind(f"{place} cannot store this ({said}): this write changed nothing")
    if code in {"42P01", "42703", "42883", "3F000"} or code.startswith("XX"):
        return CorpusDamaged(f"{place} is damaged or incomplete ({said}): restore it from a backup")
    if code in {"22021", "22P05"} or (isinstance(error, psycopg.DataError) and not code):
        return InvalidInput(f"a text holds what PostgreSQL cannot ({said}): this write changed nothing")
    if isinstance(error, psycopg.OperationalError | psycopg.InterfaceError):
        return ProviderBusy(
            f"the connection to {place} was lost ({said}): nothing half is stored; the same request again is safe"
        )
    return ProviderFailed(f"{place} refused a statement ({code or type(error).__name__}: {said})")
