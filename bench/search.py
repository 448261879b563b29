"""Hybrid search over 5,000 generated passages beside bm25s on the same tokens, in one process, in turns.

The query's vector comes from a cache here, as the corpus' vectors are made up: this is the cost of search alone.
bm25s searches all passages and knows no scope; Remit's half-open scope reads half of them, with statistics of its own.
"""

import statistics
import sys
import time
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime

import bm25s
import numpy as np
from numpy.typing import NDArray

from remit.access.scope import Scope
from remit.contract.catalogue import Catalogue
from remit.contract.contract import RevisionWanted
from remit.contract.terms import terms
from remit.contract.value import text_digest
from remit.corpus.document import Passage, Revision, Snapshot
from remit.corpus.quantise import Quantised, quantise
from remit.corpus.store import Readable, Row
from remit.retrieve.hybrid import HybridRetriever
from remit.retrieve.lexical import field_text, query_terms
from remit.retrieve.retriever import Search

PASSAGES = 5_000
WORDS_A_PASSAGE = 120
VOCABULARY = 20_000
DIMENSION = 384
QUERIES = 60
K = 45
WANTED = RevisionWanted(at=date(2026, 6, 1))


class Generated:
    """A corpus of words drawn by Zipf's law; every other passage is for the board only."""

    def __init__(self, chance: np.random.Generator) -> None:
        self._state = Snapshot(number=1, digest=text_digest("generated"))
        self._vectors = quantise(units(chance, PASSAGES))
        self.rows = tuple(row_of(number, words(chance, WORDS_A_PASSAGE)) for number in range(PASSAGES))
        self._places = {row.passage.id: number for number, row in enumerate(self.rows)}

    def snapshot(self) -> Snapshot:
        return self._state

    def catalogue(self) -> Catalogue:
        return Catalogue()

    def readable(self, scope: Scope, *, at: date, named: str | None, snapshot: Snapshot) -> Readable:
        inside = (
            row for row in self.rows if scope.admits(row.source.labels, row.source.collection, row.source.document)
        )
        return Readable(tuple(inside), ())

    def matrix(self, passages: Sequence[str], scope: Scope) -> Quantised:
        at = [self._places[id] for id in passages]
        return Quantised(self._vectors.values[at], self._vectors.scales[at])


class Ready:
    """An encoder whose vectors are made before the clock starts."""

    name = "ready"
    dimension = DIMENSION

    def __init__(self, queries: Sequence[str], vectors: NDArray[np.float32]) -> None:
        self._vectors = dict(zip(queries, vectors, strict=True))

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.stack([self._vectors[text] for text in texts])


def words(chance: np.random.Generator, count: int) -> str:
    ranks = np.minimum(chance.zipf(1.2, count), VOCABULARY).tolist()
    return " ".join("".join(chr(ord("a") + rank // 26**place % 26) for place in range(4)) for rank in ranks)


def units(chance: np.random.Generator, count: int) -> NDArray[np.float32]:
    vectors = chance.standard_normal((count, DIMENSION)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def row_of(number: int, text: str) -> Row:
    labels = frozenset({"board"} if number % 2 else {"board", "staff"})
    source = Revision(
        document=f"d{number:05}",
        revision="1",
        title="",
        collection="generated",
        labels=labels,
        status="current",
        digest=text_digest(text),
        recorded_at=datetime(2026, 1, 1, tzinfo=UTC),
    )
    passage = Passage(
        id=f"{source.id}#0",
        document=source.document,
        revision="1",
        ordinal=0,
        section=(),
        start=0,
        end=len(text),
        text=text,
    )
    return Row(passage, source)


def milliseconds(run: Callable[[], object]) -> float:
    began = time.perf_counter()
    run()
    return 1000 * (time.perf_counter() - began)


def main() -> int:
    """Print first and median times, and the ratio of the medians."""
    chance = np.random.default_rng(7)
    corpus = Generated(chance)
    queries = [words(chance, 6) for _ in range(QUERIES)]
    retriever = HybridRetriever(corpus, Ready(queries, units(chance, QUERIES)))
    scopes = {
        share: Scope(principal="bench", labels=frozenset({label}), policy="bench")
        for share, label in (("100 %", "board"), ("50 %", "staff"))
    }
    reference = bm25s.BM25()
    tokens = [[found.term for found in terms(field_text(row))] for row in corpus.rows]
    built = milliseconds(lambda: reference.index(tokens, show_progress=False))
    print(f"bm25s: index of {PASSAGES} passages from ready tokens {built:.0f} ms")
    for share, scope in scopes.items():
        first = milliseconds(lambda: retriever.search(Search(queries[0], K, WANTED), scope, corpus.snapshot()))  # noqa: B023
        print(f"remit {share} visible: first search (terms and index) {first:.0f} ms")
    taken: dict[str, list[float]] = {name: [] for name in ("bm25s", *scopes)}
    for query in queries:
        asked = [term for term in query_terms(query, "en") if term in reference.vocab_dict]
        taken["bm25s"].append(
            milliseconds(lambda: reference.retrieve([asked], k=K, show_progress=False) if asked else None)  # noqa: B023
        )
        for share, scope in scopes.items():
            search = Search(query, K, WANTED)
            taken[share].append(milliseconds(lambda: retriever.search(search, scope, corpus.snapshot())))  # noqa: B023
    medians = {name: statistics.median(times) for name, times in taken.items()}
    print(f"bm25s, lexical only: p50 {medians['bm25s']:.2f} ms")
    for share in scopes:
        print(
            f"remit hybrid, {share} visible: p50 {medians[share]:.2f} ms, {medians[share] / medians['bm25s']:.1f} x bm25s"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
