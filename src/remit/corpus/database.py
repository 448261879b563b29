"""Which database holds a store's record, as `remit.toml` and the environment say; without one it is a file of the store.

::

    [database]  url = "postgresql://remit@db.example:5432/remit", schema = "remit"

The environment goes before the file: REMIT_DATABASE_URL, REMIT_DATABASE_SCHEMA, REMIT_DATABASE_PASSWORD_FILE. What neither
says, libpq takes from its own variables (PGPASSWORD, PGPASSFILE, PGSSLMODE, ...).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Self
from urllib.parse import parse_qs, urlsplit

from pydantic import SecretStr

from remit.contract.value import Value
from remit.corpus.toml_file import TomlFile, text
from remit.errors import InvalidInput, MissingPrerequisite

NAMESPACE: Final = "remit"
_NAMESPACE: Final = re.compile(r"[a-z_][a-z0-9_]{0,62}")
_SCHEMES: Final = ("postgresql", "postgres")
_SECRETS: Final = frozenset({"password", "sslpassword"})


class DatabaseChoice(Value):
    """Where the record is. `url` and `password` are never shown: not printed, logged or written.

    `namespace` is the schema of that database which holds the record: one database may hold several stores.
    """

    url: SecretStr
    namespace: str = NAMESPACE
    password: SecretStr | None = None

    @classmethod
    def of(cls, url: str, namespace: str = NAMESPACE) -> Self:
        """Return the choice that a URL makes.

        Raises:
            InvalidInput: it is no URL of PostgreSQL, or the name is none for a schema.
        """
        try:
            return cls(url=SecretStr(_url(url)), namespace=_namespace(namespace))
        except ValueError as error:
            raise InvalidInput(f"the database: {error}") from error


def database_choice(file: TomlFile, environ: Mapping[str, str]) -> DatabaseChoice | None:
    """Return what the section ``[database]`` says, with what the environment says over it; None: a file of the store.

    Raises:
        InvalidInput: the environment says what cannot be.
        MissingPrerequisite: the file with the password cannot be read.
    """
    said: dict[str, Any] = file.section(("database",), {"url": _url_without_secret, "schema": _namespace})
    stated = {name: environ.get(f"REMIT_DATABASE_{name}", "").strip() for name in ("URL", "SCHEMA", "PASSWORD_FILE")}
    url, namespace = stated["URL"] or said.get("url"), stated["SCHEMA"] or said.get("schema", NAMESPACE)
    if url is None:
        if "schema" in said:
            file.wrong(("database",), 'want url = "postgresql://...", or REMIT_DATABASE_URL')
        return None
    choice = DatabaseChoice.of(url, namespace)
    return choice.model_copy(update={"password": _secret(stated["PASSWORD_FILE"])})


def _secret(path: str) -> SecretStr | None:
    if not path:
        return None
    try:
        found = Path(path).read_text(encoding="utf-8").strip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        raise MissingPrerequisite(
            f"REMIT_DATABASE_PASSWORD_FILE: {path} cannot be read ({type(error).__name__})"
        ) from error
    return SecretStr(found)


def _url(raw: object) -> str:
    told = text(raw)
    if urlsplit(told).scheme not in _SCHEMES:
        raise ValueError(
            'want "postgresql://USER@HOST:PORT/DATABASE"'
        )  # the value is not repeated: it may hold a password
    return str(told)


def _url_without_secret(raw: object) -> str:
    parts = urlsplit(told := _url(raw))
    if parts.password or _SECRETS & parse_qs(parts.query).keys():
        raise ValueError(
            "holds a password: leave it out here, and give it as PGPASSWORD or REMIT_DATABASE_PASSWORD_FILE"
        )
    return told


def _namespace(raw: object) -> str:
    told = str(text(raw))
    if _NAMESPACE.fullmatch(told) is None:
        raise ValueError("want the name of a schema: lower-case letters, digits and _")
    return told
