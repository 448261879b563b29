"""One transaction in PostgreSQL, spoken to in the SQL of `sessions`: what SQLite says otherwise is translated here."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

import psycopg

from remit.corpus.document import encodable
from remit.corpus.sessions import Rows

_TYPES: Final[Mapping[str, str]] = {
    "collections": "text[]",
    "documents": "text[]",
    "ids": "text[]",
    "keys": "bigint[]",
    "labels": "text[]",
    "limit": "bigint",
    "number": "bigint",
    "runs": "bigint[]",
}
"""What named parameters hold, where it is no text: PostgreSQL wants to know before it sees a value."""
_LISTS: Final = frozenset(name for name, type_ in _TYPES.items() if type_.endswith("[]"))

_EACH: Final = re.compile(r"\bIN \(SELECT value FROM json_each\((:\w+)\)\)")
_GROUPED: Final = re.compile(r"\bjson_group_array\(([\w.]+)\)")
_NAMED: Final = re.compile(r"(?<!:):(\w+)")
_AT_ONCE: Final = 1000
"""How many rows a long read fetches at a time."""


def holds(text: str) -> bool:
    """Say whether PostgreSQL can hold a text: no half of a surrogate pair, and no zero character."""
    return "\0" not in text and encodable(text)


@lru_cache(maxsize=512)
def translated(sql: str) -> str:
    """Return a statement as PostgreSQL and psycopg have it.

    >>> translated("SELECT json_group_array(l) FROM t WHERE a IN (SELECT value FROM json_each(:keys)) AND b = ?")
    "SELECT coalesce(json_agg(l), '[]')::text FROM t WHERE a = ANY (%(keys)s::bigint[]) AND b = %s"
    """
    sql = _EACH.sub(r"= ANY (\1)", sql.replace("%", "%%"))
    sql = _GROUPED.sub(r"coalesce(json_agg(\1), '[]')::text", sql)
    return _NAMED.sub(lambda found: f"%({found[1]})s::{_TYPES.get(found[1], 'text')}", sql).replace("?", "%s")


def _bound(parameters: Any) -> Any:
    """Return parameters with their lists as arrays; a text that no row can hold is left out of a list: it equals none."""
    if not isinstance(parameters, Mapping):
        return parameters
    return {
        name: _array(value) if name in _LISTS and value is not None else value for name, value in parameters.items()
    }


def _array(value: str) -> list[Any]:
    return [one for one in json.loads(value) if not isinstance(one, str) or holds(one)]


class PostgresSession:
    """An open transaction on one connection."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self._connection = connection

    def execute(self, sql: str, parameters: Any = (), /) -> Rows:
        """Return the rows of a statement."""
        return self._connection.execute(_query(sql), _bound(parameters))

    def executemany(self, sql: str, parameters: Iterable[Any], /) -> None:
        """Run a statement once for each set of parameters."""
        with self._connection.cursor() as cursor:
            cursor.executemany(_query(sql), parameters)

    def each(self, sql: str) -> Iterator[Any]:
        """Yield the rows of a long read, fetched as they are used."""
        with self._connection.cursor(name="each") as cursor:
            cursor.itersize = _AT_ONCE
            yield from cursor.execute(_query(sql))


def _query(sql: str) -> bytes:
    return translated(sql).encode()
