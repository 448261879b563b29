"""Hybrid search over a store, from the SQLite file and its segments: bench/hybrid.py [--keep FOLDER] [PASSAGES ...].

10,000 passages if none are named. With --keep the stores stay and are asked again; those of bench/growth.py are of the same kind.
Everything but the vectors of the queries is measured: visibility from the store, both legs, fusion, reading the hits.
"""

import argparse
import gc
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, date, datetime
from pathlib import Path

import numpy as np
from generated import SHARES, Text, both_p50, save, units
from numpy.typing import NDArray

from remit.access.scope import Scope
from remit.contract.contract import RevisionWanted
from remit.contract.value import text_digest
from remit.corpus.document import Passage, Revision, Span
from remit.corpus.sqlite import SqliteCorpus
from remit.corpus.store import NewRevision
from remit.retrieve.hybrid import HybridRetriever
from remit.retrieve.index import Index
from remit.retrieve.retriever import Search

NOW = datetime(2026, 11, 30, tzinfo=UTC)
WANTED = RevisionWanted(at=date(2026, 11, 30))
DIMENSION = 384
PASSAGES_A_DOCUMENT = 20
QUERIES = 150
K = 45
MOST_MS = 10.0
BOUND_FOR = 100_000


class Ready:
    """An encoder whose vectors are made before the clock starts."""

    name = "ready"
    dimension = DIMENSION

    def __init__(self, vectors: NDArray[np.float32]) -> None:
        self._vectors = vectors

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._vectors[[int(text.rpartition("q")[2]) for text in texts]]


def document(number: int, texts: list[str], share: float, vectors: NDArray[np.float32]) -> NewRevision:
    whole, spans, start = "\n".join(texts), [], 0
    for text in texts:
        spans.append(Span(start, start + len(text)))
        start += len(text) + 1
    source = Revision(
        document=f"d{number:06}",
        revision="1",
        title="",
        collection="generated",
        labels=frozenset(f"g{one}" for one in SHARES if share < one),
        status="current",
        digest=text_digest(whole),
        recorded_at=NOW,
    )
    passages = tuple(
        Passage(
            id=f"{source.id}#{at}",
            document=source.document,
            revision="1",
            ordinal=at,
            section=(),
            start=span.start,
            end=span.end,
            text=text,
            sentences=(span,),
        )
        for at, (span, text) in enumerate(zip(spans, texts, strict=True))
    )
    return NewRevision(source, whole, passages, vectors, tuple(vectors[at : at + 1] for at in range(len(texts))))


def fill(corpus: SqliteCorpus, text: Text) -> None:
    corpus.use_encoder(Ready.name, DIMENSION)
    groups, chance, number = text.groups(), np.random.default_rng(11), 0
    for lot in text.lots(5_000):
        vectors = units(chance, len(lot))
        for at in range(0, len(lot), PASSAGES_A_DOCUMENT):
            texts = [" ".join(words) for words in lot[at : at + PASSAGES_A_DOCUMENT]]
            corpus.put(document(number, texts, groups[number], vectors[at : at + len(texts)]), now=NOW)
            number += 1


def built(passages: int, folder: Path) -> None:
    """Fill and index a store, where that was not done before."""
    with SqliteCorpus.open(folder, create=True) as corpus, Index(folder) as index:
        if corpus.snapshot().number < passages // PASSAGES_A_DOCUMENT:
            fill(corpus, Text(passages))
            index.keep_up()


def read_through(folder: Path) -> None:
    """Read a store's file once: one that was written long ago is then asked as a new one is."""
    with (folder / "store.db").open("rb") as file:
        while file.read(1 << 20):
            pass


def measured(passages: int, folder: Path) -> list[dict[str, object]]:
    text = Text(passages)
    # A number behind the words names the query's vector; no passage holds it.
    queries = [f"{' '.join(terms)} q{number}" for number, terms in enumerate(text.queries(QUERIES))]
    rows: list[dict[str, object]] = []
    read_through(folder)
    with SqliteCorpus.open(folder) as corpus, Index(folder) as index:
        retriever = HybridRetriever(corpus, Ready(units(np.random.default_rng(12), QUERIES)), index=index)
        for share in SHARES:
            scope = Scope(principal="bench", labels=frozenset({f"g{share}"}), policy="bench")
            began = time.perf_counter()
            retriever.search(Search(queries[0], K, WANTED), scope, corpus.snapshot())
            first = time.perf_counter() - began

            def run(at: int, scope: Scope = scope) -> object:
                return retriever.search(Search(queries[at], K, WANTED), scope, corpus.snapshot())

            wall, processor = both_p50(run, QUERIES)
            row = {"passages": passages, "visible": f"{share:.0%}", "p50 ms": wall, "p50 cpu-ms": processor}
            rows.append({**row, "first after a write ms": 1000 * first})
            gc.collect()
    return rows


def main(sizes: Sequence[int], folder: Path) -> int:
    """Print the growth; 1 where the bound is missed."""
    rows = []
    for size in sizes:
        built(size, folder / str(size))
        rows += measured(size, folder / str(size))
    notes = [
        f"{PASSAGES_A_DOCUMENT} passages of about 200 words a document, {QUERIES} queries of 5 words, {K} hits with their texts; the query's vector is given.",
        "The store's file is in the system's cache, as after writing it.",
        "Each query is asked once. Texts found before are kept up to a bound, so a store this small gets faster as it is asked.",
        "cpu-ms leave out the time that other programs took; the bound is on the clock.",
        "The first search of a scope after a write reads from the store who may see what; the next ones keep it.",
        f"Bound: {MOST_MS:.0f} ms at 100,000 passages.",
    ]
    save(f"hybrid-{max(sizes) // 1000}k", "Hybrid search over a store", rows, notes)
    return int(any(row["passages"] == BOUND_FOR and float(str(row["p50 ms"])) > MOST_MS for row in rows))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("passages", nargs="*", type=int)
    parser.add_argument("--keep", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        sys.exit(main(given.passages or [10_000], given.keep or Path(place)))
