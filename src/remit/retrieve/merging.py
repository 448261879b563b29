"""Several parts into one segment, without the runs that are gone; a stretch of the terms is in memory at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from remit.retrieve.part import Array, Part, packed_counts, packed_words
from remit.retrieve.segment import TYPES, Writing

POSTINGS_AT_ONCE = 1 << 22
ROWS_AT_ONCE = 1 << 16


Add = Callable[[str, Iterable[Array], int], None]


class Source(NamedTuple):
    """A part and which of its runs, by their places, are taken over."""

    part: Part
    kept: NDArray[np.int64]


class _Moved(NamedTuple):
    """A source's rows and terms as they are numbered in the merged part."""

    part: Part
    rows: NDArray[np.int64]
    """The rows taken, in order."""
    places: NDArray[np.int64]
    """For each row of the part its new one, -1 where it is left out."""
    terms: NDArray[np.int64]
    """For each term of the part its new number, which keeps their order."""


def merge(sources: Sequence[Source], folder: Path) -> str:
    """Store what is kept of some parts as one segment and return its digest."""
    writing = Writing(folder)
    return writing.finish(_pour(sources, writing.add))


def merged(sources: Sequence[Source]) -> Part:
    """Return what is kept of some parts as one, in memory."""
    arrays: dict[str, Array] = {}

    def add(name: str, chunks: Iterable[Array], columns: int) -> None:
        arrays[name] = np.concatenate(
            [np.zeros((0, columns) if columns else 0, TYPES[name]), *chunks], dtype=TYPES[name]
        )

    return Part(_pour(sources, add), arrays)


def _pour(sources: Sequence[Source], add: Add) -> tuple[str, ...]:
    """Hand over every array of what is kept, and return the languages it speaks."""
    words = sorted({part.word(at) for part, _ in sources for at in range(len(part.arrays["word_ends"]))})
    moved, languages = _moved(sources, words), tuple(dict.fromkeys(one for s in sources for one in s.part.languages))
    sizes = [(s.part.starts[1:] - s.part.starts[:-1])[s.kept] for s in sources]
    starts = np.concatenate((np.zeros(1, np.int64), np.cumsum(np.concatenate(sizes), dtype=np.int64)))
    numbers = [np.array([languages.index(one) for one in s.part.languages], dtype=np.uint16) for s in sources]
    add("runs", (part.runs[kept] for part, kept in sources), 0)
    add("starts", [starts], 0)
    add("spoken", (n[s.part.spoken[s.kept]] for n, s in zip(numbers, sources, strict=True)), 0)
    for name in ("keys", "lengths", "scales"):
        add(name, (m.part.arrays[name][m.rows] for m in moved), 0)
    add("vectors", _vectors(moved), sources[0].part.vectors.shape[1])
    _add_postings(add, moved, words)
    return languages


def _moved(sources: Sequence[Source], words: list[bytes]) -> list[_Moved]:
    number = {word: at for at, word in enumerate(words)}
    moved, before = [], 0
    for part, kept in sources:
        chosen = np.zeros(len(part.runs), dtype=np.bool_)
        chosen[kept] = True
        rows = np.flatnonzero(np.repeat(chosen, np.diff(part.starts)))
        places = np.full(part.size, -1, dtype=np.int64)
        places[rows] = np.arange(before, before + len(rows))
        before += len(rows)
        count = len(part.arrays["word_ends"])
        terms = np.fromiter((number[part.word(at)] for at in range(count)), np.int64, count)
        moved.append(_Moved(part, rows, places, terms))
    return moved


def _vectors(moved: Sequence[_Moved]) -> Iterator[Array]:
    for part, rows, _, _ in moved:
        for start in range(0, len(rows), ROWS_AT_ONCE):
            yield part.vectors[rows[start : start + ROWS_AT_ONCE]]


def _add_postings(add: Add, moved: Sequence[_Moved], words: list[bytes]) -> None:
    """Write the terms that still occur, and their postings, term by term."""
    holding = np.zeros(len(words), dtype=np.int64)
    rows: list[Array] = []
    packed: dict[str, list[Array]] = {"counts": [], "large_at": [], "large": []}
    done = 0
    # Four bytes a posting are kept until all is known; everything wider lives for one stretch.
    for start, end in _stretches(moved, len(words)):
        terms, places, counts = _stretch(moved, start, end)
        holding += np.bincount(terms, minlength=len(words))
        rows.append(places.astype(np.uint32))
        for name, array in packed_counts(counts).items():
            packed[name].append(array + done if name == "large_at" else array)
        done += len(places)
    occurring = np.flatnonzero(holding)
    for name, array in packed_words([words[at] for at in occurring]).items():
        add(name, [array], 0)
    add("bounds", [np.concatenate((np.zeros(1, np.int64), np.cumsum(holding[occurring], dtype=np.int64)))], 0)
    add("rows", rows, 0)
    for name, arrays in packed.items():
        add(name, arrays, 0)


def _stretches(moved: Sequence[_Moved], terms: int) -> Iterator[tuple[int, int]]:
    """Yield ranges of terms that have together about as many postings as fit at once, or a single larger term."""
    total = np.zeros(terms, dtype=np.int64)
    for part, _, _, numbers in moved:
        total[numbers] += np.diff(part.arrays["bounds"])
    ends, start = np.cumsum(total), 0
    while start < terms:
        before = int(ends[start - 1]) if start else 0
        end = max(start + 1, int(np.searchsorted(ends, before + POSTINGS_AT_ONCE, side="right")))
        yield start, end
        start = end


def _stretch(moved: Sequence[_Moved], start: int, end: int) -> tuple[Array, Array, Array]:
    """Return the postings of a range of terms, in order: term, row and count of each."""
    pairs, counts = [], []
    for part, _, places, numbers in moved:
        low, high = np.searchsorted(numbers, (start, end))
        bounds = part.arrays["bounds"][low : high + 1]
        found = places[part.arrays["rows"][bounds[0] : bounds[-1]]]
        terms = np.repeat(numbers[low:high], np.diff(bounds))
        kept = found >= 0
        pairs.append((terms[kept] << 32) | found[kept])
        counts.append(part.counts(int(bounds[0]), int(bounds[-1]))[kept])
    whole, count = np.concatenate(pairs), np.concatenate(counts).astype(np.int64)
    order = np.argsort(whole, kind="stable")
    whole = whole[order]
    return whole >> 32, whole & 0xFFFFFFFF, count[order]
