"""How search grows from 10,000 to 1,000,000 passages: bench/growth.py [--keep FOLDER] [PASSAGES ...].

Each store is filled and indexed, then asked by a process of its own, whose memory is that of a query process. The terms
of the passages are given (their words; what Remit's tokeniser makes of those is checked), as telling them takes most of
an index build and is measured by bench/ingest.py. With --keep the stores stay and are used again.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from generated import SHARES, Text, both_p50, peak_mb, save, units, vocabulary
from hybrid import DIMENSION, NOW, PASSAGES_A_DOCUMENT, QUERIES, WANTED, K, Ready, fill, read_through

from remit.access.scope import Scope
from remit.contract.terms import terms
from remit.corpus.sqlite import SqliteCorpus
from remit.retrieve import stored
from remit.retrieve.fuse import leading
from remit.retrieve.hybrid import HybridRetriever
from remit.retrieve.index import Index
from remit.retrieve.retriever import Search
from remit.retrieve.upkeep import FOLDER

SIZES = (10_000, 100_000, 1_000_000)
BUILT = "built.json"
CHECKED = 2_000


def build(store: Path, passages: int) -> dict[str, float]:
    """Fill and index a store, and return what that took in seconds of processor time, and the bytes on disk."""
    if (store / BUILT).exists():
        return json.loads((store / BUILT).read_text())
    with SqliteCorpus.open(store, create=True) as corpus, Index(store) as index:
        began = time.process_time()
        fill(corpus, Text(passages))
        filled = time.process_time()
        own, stored.passage_terms = stored.passage_terms, lambda _title, _section, text, _language: text.split()
        index.keep_up()
        stored.passage_terms = own
        took = {"fill cpu-s": filled - began, "index cpu-s": time.process_time() - filled}
    took["store MB"] = (store / "store.db").stat().st_size / 1e6
    took["index MB"] = sum(place.stat().st_size for place in (store / FOLDER).glob("*.seg")) / 1e6
    (store / BUILT).write_text(json.dumps(took))
    return took


def ask(store: Path, passages: int) -> list[dict[str, object]]:
    """Return medians of each leg and of whole searches, and the memory this process has taken for them."""
    read_through(store)
    queries = [f"{' '.join(words)} q{number}" for number, words in enumerate(Text(passages).queries(QUERIES))]
    vectors, rows = units(np.random.default_rng(12), QUERIES), []
    with SqliteCorpus.open(store) as corpus, Index(store) as index:
        began = time.perf_counter()
        retriever, state = HybridRetriever(corpus, Ready(vectors), index=index), corpus.snapshot()
        for share in SHARES:
            scope = Scope(principal="bench", labels=frozenset({f"g{share}"}), policy="bench")
            view = index.view(scope, WANTED, state)
            ready = time.perf_counter() - began
            legs = {
                "lexical": lambda at, view=view: leading(view.scores(queries[at]), K),
                "dense": lambda at, view=view: leading(view.cosines(vectors[at : at + 1]), K),
                "hybrid": lambda at, scope=scope: retriever.search(Search(queries[at], K, WANTED), scope, state),
            }
            row: dict[str, object] = {"passages": passages, "visible": f"{share:.0%}", "first view s": ready}
            for name, run in legs.items():
                row[f"{name} ms"], row[f"{name} cpu-ms"] = both_p50(run, QUERIES)
            rows.append(row)
            began = time.perf_counter()
    return [{**row, "query process MB": peak_mb()} for row in rows]


def same_terms() -> int:
    """Return how many of some words the tokeniser takes for themselves."""
    return sum([found.term for found in terms(word)] == [word] for word in vocabulary()[:CHECKED])


def main(sizes: list[int], folder: Path) -> None:
    """Print the table."""
    rows = []
    for size in sizes:
        store = folder / str(size)
        took = build(store, size)
        command = [sys.executable, __file__, "--ask", str(store), str(size)]
        asked = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        rows += [{**row, **took} for row in asked]
    notes = [
        f"{PASSAGES_A_DOCUMENT} passages of about 200 words a document, {DIMENSION} dimensions, {QUERIES} queries of 5 words, each asked once, {K} hits with their texts; query vectors and passage terms are given.",
        "The store's file is in the system's cache, as after writing it. From the disk the first searches take longer: 11.2 ms at 100,000 and full visibility, hybrid.",
        "first view s: opening the segments (at 100 %), and reading from the store who may see what; later searches keep it.",
        f"fill and index: processor time of writing the store and of building and merging segments from given terms; {same_terms()} of the {CHECKED} most frequent words are terms as they are.",
        "query process MB: peak resident memory of the process that asked all of a size's queries, mapped index pages included.",
        f"Bounds: hybrid 10 ms at 100,000; 1,000 MB at 1,000,000. {NOW:%Y-%m-%d}.",
    ]
    save("growth", "Search from 10,000 to 1,000,000 passages", rows, notes)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("passages", nargs="*", type=int)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--ask", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.ask:
        print(json.dumps(ask(given.ask, given.passages[0])))
    elif given.keep:
        main(given.passages or list(SIZES), given.keep)
    else:
        with tempfile.TemporaryDirectory() as place:
            main(given.passages or list(SIZES), Path(place))
