"""Lexical search beside tantivy, with the same filter, and index building beside bm25s, from the same tokens.

bench/lexical.py [--keep FOLDER] [--build] [PASSAGES]. Tantivy's statistics are those of all passages; ours are those of
the visible ones. With --keep the indexes stay and are searched again; --build builds them and goes no further.
"""

import argparse
import gc
import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import bm25s
import numpy as np

try:
    import tantivy
except ImportError:
    print("bench/lexical.py measures beside tantivy, which is not installed: pip install -e '.[bench]'")
    sys.exit(0)
from generated import SHARES, Text, p50, peak_mb, save
from numpy.typing import NDArray

from remit.corpus.quantise import Quantised
from remit.retrieve.body import Body, Chosen
from remit.retrieve.building import Run, part_of
from remit.retrieve.fuse import leading
from remit.retrieve.merging import Source, merge
from remit.retrieve.part import Part
from remit.retrieve.segment import read, write

K = 100
QUERIES = 100
MOST_FOR_BM25S = 100_000
BUILT = "built.json"
THEIRS = "theirs"
BOUNDS = {1.0: 2.0, 0.1: 1.0, 0.01: 1.0}


def seconds(run: Callable[[], Any]) -> tuple[float, Any]:
    gc.collect()
    began = time.process_time()
    result = run()
    return time.process_time() - began, result


def our_index(lots: list[list[list[str]]], first: int, folder: Path) -> list[str]:
    names = []
    for lot in lots:
        none = Quantised(np.zeros((len(lot), 1), np.int8), np.zeros(len(lot), np.float32))
        names.append(write(part_of([Run(first, "en", range(first, first + len(lot)), lot, none)], 1), folder))
        first += len(lot)
    return names


def our_merge(names: list[str], folder: Path) -> str:
    parts = [read(folder, name) for name in names]
    return merge([Source(part, np.arange(len(part.runs))) for part in parts], folder)


def their_index(folder: Path) -> tantivy.Index:
    schema = tantivy.SchemaBuilder()
    schema.add_text_field("body", tokenizer_name="whitespace", index_option="freq")
    schema.add_text_field("group", tokenizer_name="raw", index_option="basic")
    schema.add_unsigned_field("key", stored=True)
    return tantivy.Index(schema.build(), path=str(folder))


def add_theirs(writer: tantivy.IndexWriter, lot: list[list[str]], groups: NDArray[np.float64], first: int) -> None:
    for at, words in enumerate(lot):
        held = [f"g{share}" for share in SHARES if groups[first + at] < share]
        writer.add_document(tantivy.Document(body=" ".join(words), group=held, key=first + at))


def their_query(schema: tantivy.Schema, terms: tuple[str, ...], share: float) -> tantivy.Query:
    words = [(tantivy.Occur.Should, tantivy.Query.term_query(schema, "body", term, "freq")) for term in terms]
    if share == 1.0:
        return tantivy.Query.boolean_query(words)
    group = tantivy.Query.const_score_query(tantivy.Query.term_query(schema, "group", f"g{share}", "basic"), 0.0)
    must = [(tantivy.Occur.Must, tantivy.Query.boolean_query(words)), (tantivy.Occur.Must, group)]
    return tantivy.Query.boolean_query(must)


def best(body: Body, terms: tuple[str, ...]) -> NDArray[np.int64]:
    scores = body.scored({"en": terms}).scores
    found = leading(scores, K)
    return found[np.argsort(-scores[found], kind="stable")][:K]


class Built(NamedTuple):
    """Both indexes, what building each took in seconds of processor time, and the most memory that took."""

    part: Part
    theirs: tantivy.Index
    took: dict[str, float]
    peak_mb: float


def built(text: Text, folder: Path) -> Built:
    """Return the indexes in a folder, which are built where they are not there."""
    told = folder / BUILT
    if told.exists():
        said = json.loads(told.read_text())
        return Built(read(folder, said["segment"]), tantivy.Index.open(str(folder / THEIRS)), said["took"], said["MB"])
    (folder / THEIRS).mkdir(parents=True)
    names: list[str] = []
    took = {"remit": 0.0, "tantivy": 0.0}
    index = their_index(folder / THEIRS)
    writer = index.writer(heap_size=256_000_000, num_threads=1)
    groups, first = text.groups(), 0
    everything: list[list[str]] = []
    for lot in text.lots():
        spent, made = seconds(lambda: our_index([lot], first, folder))  # noqa: B023
        took["remit"] += spent
        names += made
        took["tantivy"] += seconds(lambda: add_theirs(writer, lot, groups, first))[0]  # noqa: B023
        if text.passages <= MOST_FOR_BM25S:
            everything += lot
        first += len(lot)
    took["tantivy"] += seconds(lambda: (writer.commit(), writer.wait_merging_threads()))[0]
    spent, segment = seconds(lambda: our_merge(names, folder))
    took["remit"] += spent
    if everything:
        reference = bm25s.BM25()
        took["bm25s"] = seconds(lambda: reference.index(everything, show_progress=False))[0]
        del reference, everything
    told.write_text(json.dumps({"segment": segment, "took": took, "MB": peak_mb()}))
    return Built(read(folder, segment), index, took, peak_mb())


def main(passages: int, folder: Path, *, only_build: bool) -> int:
    """Build each index, search each in turns, print the ratios; 1 where a bound is missed."""
    text = Text(passages)
    part, index, took, peak = built(text, folder)
    if only_build:
        return 0
    gc.collect()
    rows: list[dict[str, object]] = []
    missed = searched(text, part, index, text.groups(), rows)
    notes = [
        f"{passages} passages of about 200 words, {QUERIES} queries of 5 terms, the best {K}, medians in turns, the least of five rounds: after the first, Remit remembers where the terms stand.",
        "Built from the same tokens: " + ", ".join(f"{name} {spent:.1f} cpu-s" for name, spent in took.items()) + ".",
        f"Peak memory of building, rivals included: {peak:.0f} MB.",
        "Tantivy scores by the statistics of all passages, Remit by those of the visible ones, exactly.",
    ]
    save(f"lexical-{passages // 1000}k", f"Lexical search, {passages} passages", rows, notes)
    return missed


def searched(
    text: Text, part: Part, index: tantivy.Index, groups: NDArray[np.float64], rows: list[dict[str, object]]
) -> int:
    index.reload()
    searcher, queries, missed = index.searcher(), text.queries(QUERIES), 0
    for share in SHARES:
        body = Body([Chosen(part, None if share == 1.0 else np.flatnonzero(groups < share))])
        asked = [their_query(index.schema, terms, share) for terms in queries]
        runs = {
            "remit": lambda at, body=body: best(body, queries[at]),
            "tantivy": lambda at, asked=asked: searcher.search(asked[at], K, count=False),
        }
        found = p50(runs, QUERIES)
        ratio = found["remit"].wall / found["tantivy"].wall
        rows.append(
            {
                "visible": f"{share:.0%}",
                "remit ms": found["remit"].wall,
                "tantivy ms": found["tantivy"].wall,
                "ratio": ratio,
                "remit cpu-ms": found["remit"].cpu,
                "tantivy cpu-ms": found["tantivy"].cpu,
                "cpu ratio": found["remit"].cpu / found["tantivy"].cpu,
                "bound": BOUNDS[share],
            }
        )
        missed |= ratio > BOUNDS[share]
    return int(missed)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("passages", nargs="?", type=int, default=100_000)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--build", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        sys.exit(main(given.passages, given.keep or Path(place), only_build=given.build))
