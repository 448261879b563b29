"""Going over to another encoder: its vectors are made beside the old ones, and one transaction takes all of them over.

Until then the old ones serve; afterwards only the new ones are there. So no search ever meets vectors of two encoders.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from itertools import islice
from typing import NamedTuple

from remit.corpus.quantise import quantise
from remit.corpus.sealing import UNSEALED, vector_seal
from remit.corpus.sessions import Session, Sessions
from remit.corpus.sql_rows import COLUMNS, FROM_LIVE, passages_of, to_stored
from remit.corpus.sql_write import commit_snapshot, stored_vectors
from remit.corpus.taking import vectors_of
from remit.llm.embed import Embed

BATCH = 64
"""Revisions in one transaction."""


class Progress(NamedTuple):
    """How many passages have vectors of the new encoder, of how many."""

    done: int
    total: int


def reembed(
    connections: Sessions, embed: Embed, *, now: datetime, step: Callable[[Progress], None] | None = None
) -> int:
    """Give every passage vectors of `embed` in place of those it has; return how many passages that were.

    What was interrupted goes on where it was. Revisions that come in meanwhile are taken along: the last look for them
    and the change itself are one transaction.
    """
    with connections.writing() as connection:
        current = connection.execute("SELECT name, dimension FROM encoder").fetchone()
        if current == (embed.name, embed.dimension):
            return 0
        coming = connection.execute("SELECT name, dimension FROM next_encoder").fetchone()
        if coming != (embed.name, embed.dimension):
            connection.execute("DELETE FROM next_vector")
            connection.execute("DELETE FROM next_encoder")
            connection.execute("INSERT INTO next_encoder VALUES (1, ?, ?)", (embed.name, embed.dimension))
    while True:
        with connections.reading() as connection:
            waiting = list(islice(_waiting(connection), BATCH))
        if not waiting:
            with connections.writing() as connection:
                if next(_waiting(connection), None) is None:
                    return _taken_over(connection, embed, now)
            continue
        for key in waiting:
            _stage(connections, key, embed)
            if step is not None:
                step(_progress(connections))


def _waiting(connection: Session) -> Iterator[int]:
    query = """SELECT DISTINCT p.revision_key FROM passage p
        WHERE NOT EXISTS (SELECT 1 FROM next_vector n WHERE n.passage_key = p.key) ORDER BY p.revision_key"""
    return (key for (key,) in connection.execute(query))


def _stage(connections: Sessions, key: int, embed: Embed) -> None:
    """Make the vectors of one revision outside a transaction, and store them if it is still as it was."""
    with connections.reading() as connection:
        found = connection.execute(
            f"SELECT {COLUMNS} {FROM_LIVE} AND m.removed_in IS NULL AND r.key = ?",
            (key,),
        ).fetchone()
        if found is None:
            return
        stored = to_stored(found)
        passages = passages_of(connection, {key: stored.revision})[key]
    whole, each = vectors_of(stored.revision.title, passages, embed)
    rows = quantise(whole)
    with connections.writing() as connection:
        keys = dict(
            connection.execute(
                """SELECT p.ordinal, p.key FROM passage p JOIN metadata m ON m.revision_key = p.revision_key
                WHERE p.revision_key = ? AND m.removed_in IS NULL AND m.title = ?""",
                (key, stored.revision.title),
            )
        )
        if len(keys) != len(passages):
            return  # it was deleted or renamed meanwhile: the next look finds what there is now
        connection.executemany(
            """INSERT INTO next_vector (passage_key, vector, scale, sentence_vectors, sentence_scales, seal)
            VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (passage_key) DO UPDATE SET
            vector = excluded.vector, scale = excluded.scale, sentence_vectors = excluded.sentence_vectors,
            sentence_scales = excluded.sentence_scales, seal = excluded.seal""",
            [
                (*row, vector_seal((*row, UNSEALED)))
                for at, passage in enumerate(passages)
                for row in [(keys[passage.ordinal], *stored_vectors(rows, at, each[at]))]
            ],
        )


def _progress(connections: Sessions) -> Progress:
    with connections.reading() as connection:
        counts = "SELECT (SELECT count(*) FROM next_vector), (SELECT count(*) FROM passage)"
        return Progress(*connection.execute(counts).fetchone())


def _taken_over(connection: Session, embed: Embed, now: datetime) -> int:
    """Put the new vectors in place of the old ones; runs, and with them segments and views, become others."""
    count = int(connection.execute("SELECT count(*) FROM next_vector").fetchone()[0])
    connection.execute("DELETE FROM vector")
    connection.execute(
        "INSERT INTO vector SELECT passage_key, vector, scale, sentence_vectors, sentence_scales FROM next_vector"
    )
    connection.execute(
        "UPDATE passage SET vector_seal = (SELECT n.seal FROM next_vector n WHERE n.passage_key = passage.key)"
    )
    connection.execute("DELETE FROM next_vector")
    connection.execute("DELETE FROM next_encoder")
    if connection.execute("UPDATE encoder SET name = ?, dimension = ?", (embed.name, embed.dimension)).rowcount == 0:
        connection.execute("INSERT INTO encoder VALUES (1, ?, ?)", (embed.name, embed.dimension))
    commit_snapshot(connection, set(), f"vectors of {embed.name}", now)  # views of the old vectors are dropped
    return count
