"""Lexical search beside tantivy, with the same filter, and index building beside bm25s, from the same tokens.

bench/lexical.py [--keep FOLDER] [--build remit|tantivy|bm25s] [PASSAGES]. Tantivy's statistics are those of all passages;
ours are those of the visible ones. Each index is built by a process of its own, whose memory is its builder's. With --keep
the indexes stay and are searched again; --build makes one of them and goes no further.
"""

import argparse
import gc
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

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


def our_build(text: Text, folder: Path) -> dict[str, Any]:
    names: list[str] = []
    spent, first = 0.0, 0
    for lot in text.lots():
        took, made = seconds(lambda: our_index([lot], first, folder))  # noqa: B023
        spent, names, first = spent + took, names + made, first + len(lot)
    took, segment = seconds(lambda: our_merge(names, folder))
    return {"cpu-s": spent + took, "segment": segment}


def their_build(text: Text, folder: Path) -> dict[str, Any]:
    (folder / THEIRS).mkdir(parents=True)
    writer = their_index(folder / THEIRS).writer(heap_size=256_000_000, num_threads=1)
    groups, spent, first = text.groups(), 0.0, 0
    for lot in text.lots():
        spent += seconds(lambda: add_theirs(writer, lot, groups, first))[0]  # noqa: B023
        first += len(lot)
    return {"cpu-s": spent + seconds(lambda: (writer.commit(), writer.wait_merging_threads()))[0]}


def third_build(text: Text, _: Path) -> dict[str, Any]:
    everything = [words for lot in text.lots() for words in lot]
    return {"cpu-s": seconds(lambda: bm25s.BM25().index(everything, show_progress=False))[0]}


BUILDERS = {"remit": our_build, "tantivy": their_build, "bm25s": third_build}


def build(name: str, text: Text, folder: Path) -> None:
    """Build one index and note beside it what that took."""
    folder.mkdir(parents=True, exist_ok=True)
    told = BUILDERS[name](text, folder)
    (folder / f"{name}.json").write_text(json.dumps({**told, "MB": peak_mb()}))


def built(name: str, passages: int, folder: Path) -> dict[str, Any]:
    """Return what building an index took, by a process of its own where that was not done before."""
    told = folder / f"{name}.json"
    if not told.exists():
        command = [sys.executable, __file__, "--build", name, "--keep", str(folder), str(passages)]
        subprocess.run(command, check=True)
    found: dict[str, Any] = json.loads(told.read_text())
    return found


def main(passages: int, folder: Path) -> int:
    """Build each index, search each in turns, print the ratios; 1 where a bound is missed."""
    text = Text(passages)
    names = [name for name in BUILDERS if name != "bm25s" or passages <= MOST_FOR_BM25S]
    took = {name: built(name, passages, folder) for name in names}
    part, index = read(folder, took["remit"]["segment"]), tantivy.Index.open(str(folder / THEIRS))
    rows: list[dict[str, object]] = []
    missed = searched(text, part, index, text.groups(), rows)
    told = (f"{name} {one['cpu-s']:.1f} cpu-s and at most {one['MB']:.0f} MB" for name, one in took.items())
    notes = [
        f"{passages} passages of about 200 words, {QUERIES} queries of 5 terms, the best {K}, medians in turns, the least of five rounds: after the first, Remit remembers where the terms stand.",
        "Built from the same tokens, each in a process of its own: " + ", ".join(told) + ".",
        f"Memory of the process that searched both: at most {peak_mb():.0f} MB, mapped index pages included.",
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
    parser.add_argument("--build", choices=BUILDERS)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        if given.build:
            build(given.build, Text(given.passages), given.keep or Path(place))
            sys.exit(0)
        sys.exit(main(given.passages, given.keep or Path(place)))
