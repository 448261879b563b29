"""Bringing the segments up to the store, at the end of an ingest: by one process at a time, and never on a query.

A segment is on disk under its digest before the transaction that names it, and is unlinked after the one that drops it.
So a kill leaves at worst a file that nothing names, which the next upkeep removes; whoever has a dropped segment mapped
goes on reading it.
"""

from __future__ import annotations

import fcntl
import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import log
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from remit.corpus.sessions import Session, Sessions
from remit.errors import CorpusDamaged
from remit.retrieve.building import part_of
from remit.retrieve.merging import Source, merge
from remit.retrieve.part import Part
from remit.retrieve.segment import leftovers, path_of, read, write
from remit.retrieve.stored import dimension_of, runs_of

FOLDER = "segments"
LOCK = "building.lock"
_log = logging.getLogger(__name__)


class Sizes(NamedTuple):
    """How large segments are.

    A new one holds up to `batch` passages (a longer revision stays whole). So many as `fanout` of about one size, of which
    the smallest is `smallest`, become one. One of which the share `dead` is gone is written again without it.
    """

    batch: int = 50_000
    fanout: int = 4
    smallest: int = 1_000
    dead: float = 0.25


class Segment(NamedTuple):
    """A sound segment with its name."""

    name: str
    part: Part


def named_segments(connections: Sessions) -> list[str]:
    """Return the digests of the segments that the store names, largest first."""
    with connections.reading() as connection:
        rows = connection.execute("SELECT digest FROM segment ORDER BY passages DESC, digest").fetchall()
    return [name for (name,) in rows]


def keep_up(connections: Sessions, folder: Path, sizes: Sizes = Sizes()) -> bool:  # noqa: B008 - frozen
    """Build what is missing, drop what is damaged or gone, merge what is small; False: another process is at it."""
    folder.mkdir(mode=0o700, exist_ok=True)
    with _alone(folder) as alone:
        if not alone:
            return False
        _sweep(connections, folder)
        segments = _sound(connections, folder)
        for keys in _batches(connections, segments, sizes.batch):
            segments.append(_built(connections, folder, keys))
        while doomed := _to_merge(segments, _live(connections), sizes):
            segments = _merged(connections, folder, segments, doomed)
        _sweep(connections, folder)
    return True


class Condition(NamedTuple):
    """What a store's index is like: passages in sound segments and in all, and what is wrong with each other segment."""

    indexed: int
    passages: int
    faults: tuple[str, ...]


def condition(store: Path, connections: Sessions) -> Condition:
    """Return what the index of the store in a folder is like; every byte of it is read, and nothing is written."""
    parts, faults = [], []
    for name in named_segments(connections):
        try:
            parts.append(read(store / FOLDER, name))
        except CorpusDamaged as error:
            faults.append(str(error))
    query = "SELECT n.key, (SELECT count(*) FROM passage p WHERE p.revision_key = n.revision_key) FROM run n"
    with connections.reading() as connection:
        rows = np.array(connection.execute(query).fetchall(), dtype=np.int64).reshape(-1, 2)
    held = np.zeros(len(rows), dtype=np.bool_)
    for part in parts:
        held |= part.places(rows[:, 0]) >= 0
    return Condition(int(rows[held, 1].sum()), int(rows[:, 1].sum()), tuple(faults))


@contextmanager
def _alone(folder: Path) -> Iterator[bool]:
    """Hold the builder's lock, if nobody has it; the system lets go of it whatever becomes of this process."""
    with (folder / LOCK).open("wb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True


def _sweep(connections: Sessions, folder: Path) -> None:
    for place in leftovers(folder, named_segments(connections)):
        place.unlink(missing_ok=True)


def _sound(connections: Sessions, folder: Path) -> list[Segment]:
    """Return the segments that can be read; the others are named no more, so that their runs are built again."""
    segments = []
    for name in named_segments(connections):
        try:
            segments.append(Segment(name, read(folder, name)))
        except CorpusDamaged as error:
            _log.warning("%s", error)
            with connections.writing() as connection:
                connection.execute("DELETE FROM segment WHERE digest = ?", (name,))
    return segments


def _batches(connections: Sessions, segments: Sequence[Segment], batch: int) -> list[list[int]]:
    """Return the keys of the runs that are in no segment, in lots."""
    query = (
        "SELECT n.key, (SELECT count(*) FROM passage p WHERE p.revision_key = n.revision_key) FROM run n ORDER BY n.key"
    )
    with connections.reading() as connection:
        rows = connection.execute(query).fetchall()
    runs = np.array([key for key, _ in rows], dtype=np.int64)
    missing = np.ones(len(runs), dtype=np.bool_)
    for _, part in segments:
        missing &= part.places(runs) < 0
    batches: list[list[int]] = []
    room = 0
    for at in np.flatnonzero(missing).tolist():
        key, passages = rows[at]
        if passages > room:
            batches.append([])
            room = batch
        batches[-1].append(key)
        room -= passages
    return batches


def _built(connections: Sessions, folder: Path, keys: Sequence[int]) -> Segment:
    with connections.reading() as connection:
        part = part_of(runs_of(connection, keys, {}), dimension_of(connection))
    name = write(part, folder)
    with connections.writing() as connection:
        _name(connection, name, part.size)
    return Segment(name, read(folder, name))


def _live(connections: Sessions) -> NDArray[np.int64]:
    with connections.reading() as connection:
        return np.array([key for (key,) in connection.execute("SELECT key FROM run")], dtype=np.int64)


def _to_merge(segments: Sequence[Segment], live: NDArray[np.int64], sizes: Sizes) -> dict[str, Source]:
    """Return which segments become one, with what is kept of each; none where all is well."""
    tiers: dict[int, dict[str, Source]] = {}
    for name, part in segments:
        source = Source(part, np.flatnonzero(np.isin(part.runs, live)))
        left = int(np.diff(part.starts)[source.kept].sum())
        if left < part.size * (1 - sizes.dead) or not left:
            return {name: source}
        tiers.setdefault(int(log(max(left / sizes.smallest, 1), sizes.fanout)), {})[name] = source
    return next((tier for _, tier in sorted(tiers.items()) if len(tier) >= sizes.fanout), {})


def _merged(
    connections: Sessions, folder: Path, segments: Sequence[Segment], doomed: dict[str, Source]
) -> list[Segment]:
    left = sum(len(source.kept) for source in doomed.values())
    fresh = _opened(folder, merge(list(doomed.values()), folder)) if left else []
    names = [name for name, _ in fresh]
    gone = [old for old in doomed if old not in names]
    with connections.writing() as connection:
        for name, part in fresh:
            _name(connection, name, part.size)
        connection.executemany("DELETE FROM segment WHERE digest = ?", [(old,) for old in gone])
    for old in gone:
        path_of(folder, old).unlink(missing_ok=True)
    return [*(one for one in segments if one.name not in doomed), *fresh]


def _opened(folder: Path, name: str) -> list[Segment]:
    return [Segment(name, read(folder, name))]


def _name(connection: Session, name: str, passages: int) -> None:
    connection.execute("INSERT INTO segment VALUES (?, ?) ON CONFLICT DO NOTHING", (name, passages))
