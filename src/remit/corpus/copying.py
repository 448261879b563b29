"""A record copied from one database into an empty one, row by row; what is derived (runs, segments) is made anew there."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any, Final

from remit.corpus.sessions import Session

TABLES: Final = {
    "snapshot": ("number", "digest", "at", "what"),
    "bucket": ("number", "digest"),
    "encoder": ("one", "name", "dimension"),
    "collection": ("name", "declared", "seal"),
    "revision": (
        *("key", "document", "revision", "text", "digest", "recorded_at", "bucket", "state", "created_in"),
        "removed_in",
    ),
    "metadata": (
        *("key", "revision_key", "title", "collection", "status", "valid_from", "valid_to", "authority", "applies_to"),
        *("language", "source", "recorded_at", "created_in", "removed_in", "seal"),
        "revision_seal",
    ),
    "label": ("metadata_key", "label"),
    "supersession": ("metadata_key", "position", "target"),
    "passage": (
        *(
            "key",
            "id",
            "revision_key",
            "ordinal",
            "section",
            "start_at",
            "end_at",
            "kind",
            "sentences",
            "total",
            "seal",
        ),
        "vector_seal",
    ),
    "vector": ("passage_key", "vector", "scale", "sentence_vectors", "sentence_scales"),
    "job": ("key", "paths", "started", "total", "done", "finished"),
    "file": ("key", "id", "stamp", "digest"),
    "file_revision": ("file_key", "document", "revision", "state", "automatic"),
    "next_encoder": ("one", "name", "dimension"),
    "next_vector": ("passage_key", "vector", "scale", "sentence_vectors", "sentence_scales", "seal"),
}
"""The tables of the record with their columns, each after those it refers to."""
_AT_ONCE: Final = 500


def copy_record(rows: Callable[[str], Iterable[Any]], target: Session) -> None:
    """Write every row of the record into an empty one; `rows` gives those of a statement, in the reader's transaction."""
    for table, columns in TABLES.items():
        named, marks = ", ".join(columns), ", ".join("?" * len(columns))
        found = iter(rows(f"SELECT {named} FROM {table}"))  # noqa: S608 - our own constants
        while some := list(islice(found, _AT_ONCE)):
            target.executemany(f"INSERT INTO {table} ({named}) VALUES ({marks})", some)  # noqa: S608 - as above
