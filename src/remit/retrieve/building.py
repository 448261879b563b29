"""From terms to a part: an inverted index of some runs, in memory."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from remit.corpus.quantise import Quantised
from remit.retrieve.part import Array, Part, packed_counts, packed_words, word_of


class Run(NamedTuple):
    """What one filling of a revision holds: for each passage its key and its terms, and all their vectors."""

    key: int
    language: str
    passages: Sequence[int]
    terms: Sequence[Sequence[str]]
    vectors: Quantised


class _Numbers(dict[str, int]):
    """Numbers for the terms of a language, given at first sight; `words` is shared by all languages."""

    def __init__(self, language: str, words: list[bytes]) -> None:
        super().__init__()
        self._language, self._words = language, words

    def __missing__(self, term: str) -> int:
        number = self[term] = len(self._words)
        self._words.append(word_of(self._language, term))
        return number


def part_of(runs: Iterable[Run], dimension: int) -> Part:
    """Return the index of some runs; their vectors have `dimension` numbers each."""
    words: list[bytes] = []
    numbers: dict[str, _Numbers] = {}
    flat, lengths, taken = array("I"), array("I"), []
    for run in runs:
        number = numbers.setdefault(run.language, _Numbers(run.language, words)).__getitem__
        for terms in run.terms:
            flat.extend(map(number, terms))
            lengths.append(len(terms))
        taken.append(run)
    languages = tuple(numbers)
    spoken = [languages.index(run.language) for run in taken]
    arrays: dict[str, Array] = {
        "runs": np.array([run.key for run in taken], dtype=np.int64),
        "spoken": np.array(spoken, dtype=np.uint16),
        "starts": np.cumsum([0, *(len(run.passages) for run in taken)], dtype=np.int64),
        "keys": np.array([key for run in taken for key in run.passages], dtype=np.int64),
        "lengths": np.array(lengths, dtype=np.uint32),
        "vectors": np.concatenate([np.zeros((0, dimension), np.int8), *(run.vectors.values for run in taken)]),
        "scales": np.concatenate([np.zeros(0, np.float32), *(run.vectors.scales for run in taken)]),
    }
    return Part(languages, arrays | _inverted(np.frombuffer(flat, np.uint32), arrays["lengths"], words))


def _inverted(flat: NDArray[np.uint32], lengths: NDArray[np.uint32], words: list[bytes]) -> dict[str, Array]:
    """Return the postings of the numbered terms of all rows, one row's terms after the other's."""
    order = sorted(range(len(words)), key=words.__getitem__)
    ranks = np.empty(len(words), dtype=np.int64)
    ranks[order] = np.arange(len(words))
    # One number for a term in a row: sorting them puts the postings in order, and equal neighbours are counts.
    pairs = ranks[flat] << 32
    pairs |= np.repeat(np.arange(len(lengths), dtype=np.int64), lengths)
    pairs.sort()
    first = np.flatnonzero(np.concatenate((np.ones(min(1, len(pairs)), np.bool_), pairs[1:] != pairs[:-1])))
    found = pairs[first]
    counts = np.diff(np.append(first, len(pairs)))
    holding = np.bincount(found >> 32, minlength=len(words))
    return {
        **packed_words([words[at] for at in order]),
        "bounds": np.concatenate((np.zeros(1, np.int64), np.cumsum(holding, dtype=np.int64))),
        "rows": (found & 0xFFFFFFFF).astype(np.uint32),
        **packed_counts(counts),
    }
