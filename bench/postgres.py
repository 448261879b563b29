"""Whole hybrid search with the record in PostgreSQL, beside SQLite on the same rows: bench/postgres.py [PASSAGES], 10,000 if none.

One filling; each query is asked of both stores in turn. The server is started here, on this machine, by the package that
the tests use; it is spoken to over TCP on loopback, and syncs its commits to disk as SQLite does.
"""

import gc
import sys
import tempfile
import time
from contextlib import ExitStack, closing
from pathlib import Path

import numpy as np
from generated import SHARES, Text, save, units
from hybrid import NOW, PASSAGES_A_DOCUMENT, QUERIES, WANTED, K, Ready, document, fill

from remit.access.scope import Scope
from remit.corpus.opening import open_corpus, taken_in
from remit.corpus.sql import SqlCorpus
from remit.retrieve.hybrid import HybridRetriever
from remit.retrieve.index import Index
from remit.retrieve.retriever import Candidates, Search

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "material"))
from postgres_server import Server, binaries  # it lies with the tests

WRITES = 40


def searching(corpus: SqlCorpus, folder: Path, opened: ExitStack) -> HybridRetriever:
    index = opened.enter_context(Index(folder, corpus.connections))
    index.keep_up()
    return HybridRetriever(corpus, Ready(units(np.random.default_rng(12), QUERIES)), index=index)


def compared(stores: dict[str, SqlCorpus], searches: dict[str, HybridRetriever], queries: list[str]) -> list[dict]:
    rows = []
    for share in SHARES:
        scope = Scope(principal="bench", labels=frozenset({f"g{share}"}), policy="bench")
        times: dict[str, list[float]] = {name: [] for name in stores}
        found: dict[str, list[Candidates]] = {name: [] for name in stores}
        for query in queries:
            for name, corpus in stores.items():
                began = time.perf_counter()
                found[name].append(searches[name].search(Search(query, K, WANTED), scope, corpus.snapshot()))
                times[name].append(1000 * (time.perf_counter() - began))
        if found["sqlite"] != found["postgres"]:
            raise SystemExit("the same rows gave other hits")
        p50 = {name: float(np.median(each[1:])) for name, each in times.items()}
        rows.append(
            {
                "visible": f"{share:.0%}",
                "SQLite p50 ms": p50["sqlite"],
                "PostgreSQL p50 ms": p50["postgres"],
                "ratio": p50["postgres"] / p50["sqlite"],
                "SQLite first ms": times["sqlite"][0],
                "PostgreSQL first ms": times["postgres"][0],
            }
        )
        gc.collect()
    return rows


def written(corpus: SqlCorpus, text: Text) -> float:
    """Return how many milliseconds one more document takes: the median of some, each on disk when it is counted."""
    lot, chance, times = next(text.lots(WRITES * PASSAGES_A_DOCUMENT)), np.random.default_rng(13), []
    for number in range(WRITES):
        texts = [" ".join(words) for words in lot[number * PASSAGES_A_DOCUMENT : (number + 1) * PASSAGES_A_DOCUMENT]]
        new = document(900_000 + number, texts, 1.0, units(chance, len(texts)))
        began = time.perf_counter()
        corpus.put(new, now=NOW)
        times.append(1000 * (time.perf_counter() - began))
    return float(np.median(times))


def main(passages: int) -> int:
    """Print both side by side."""
    text = Text(passages)
    queries = [f"{' '.join(terms)} q{number}" for number, terms in enumerate(text.queries(QUERIES))]
    with ExitStack() as opened:
        place = Path(opened.enter_context(tempfile.TemporaryDirectory()))
        server = opened.enter_context(closing(Server(binaries(), sync=True)))
        choice = server.schema()
        stores = {"sqlite": opened.enter_context(open_corpus(place / "sqlite", None, create=True))}
        fill(stores["sqlite"], text)
        began = time.perf_counter()
        taken_in(choice, place / "sqlite" / "store.db")
        copied = time.perf_counter() - began
        stores["postgres"] = opened.enter_context(open_corpus(place / "postgres", choice, create=True))
        searches = {name: searching(corpus, place / name, opened) for name, corpus in stores.items()}
        rows = compared(stores, searches, queries)
        puts = {name: written(corpus, text) for name, corpus in stores.items()}
    notes = [
        f"{passages} passages of about 200 words, {PASSAGES_A_DOCUMENT} a document; {QUERIES} queries of 5 words, {K} hits with their texts, asked of both in turn.",
        "The hits are the same, to the last bit of each score. The query's vector is given. PostgreSQL 18 on this machine, over TCP.",
        "First: the first search of a scope, which reads from the record who may see what; it comes again after each write.",
        f"One more document of {PASSAGES_A_DOCUMENT} passages, vectors given (the median of {WRITES}): SQLite {puts['sqlite']:.1f} ms, PostgreSQL {puts['postgres']:.1f} ms.",
        f"The whole record was copied from one to the other in {copied:.1f} s.",
    ]
    save(f"postgres-{passages // 1000}k", "The record in PostgreSQL, beside SQLite", rows, notes)
    return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if sys.argv[1:] else 10_000))
