"""What each encoder and each fusion finds on nq, hotpotqa and musique, and what it costs. Bound: fusion beats both legs.

Reads ../shared/data (or the folder in REMIT_DATA) and says so where it is not there. Fusion weights were chosen on the
training questions of nq and hotpotqa; the tables show the dev questions, and musique, which nothing was chosen on. Vectors
are kept in REMIT_BENCH_CACHE, by encoder and text: the first run takes minutes. `--write` renews bench/results/encoders.md.
"""

import argparse
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from tempfile import gettempdir

import bm25s
import numpy as np
from question_sets import DATA, DEPTH, Found, Part, checked, gain, part_of
from snowballstemmer import stemmer

from remit.adapters.minilm import MiniLm
from remit.adapters.static import StaticEncoder
from remit.contract.terms import terms
from remit.corpus.encoding import LEXICAL_WEIGHTS
from remit.corpus.quantise import quantise
from remit.llm.embed import Embed
from remit.retrieve.dense import Matrix
from remit.retrieve.fuse import Leg, best, rarest, reciprocal_rank, weighted
from remit.retrieve.lexical import K1, B, Bag, Postings, query_terms

ROOT = Path(__file__).resolve().parents[1]
CACHE = Path(os.environ.get("REMIT_BENCH_CACHE", Path(gettempdir()) / "remit-bench-vectors"))
RESULTS = ROOT / "bench" / "results" / "encoders.md"
CHOSEN_ON = {
    "minilm": (("nq", "train"), ("hotpotqa", "train")),
    "static": (("nq", "tuning"), ("hotpotqa", "tuning")),  # the fifth of train that its weights did not learn from
}
SHOWN = (("nq", "dev"), ("hotpotqa", "dev"), ("musique", "train"))
ENCODERS: dict[str, Callable[[], Embed]] = {"minilm": MiniLm, "static": StaticEncoder}
GRID = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.6, 0.8, 1.2)
MEGABYTES = {"minilm": 22.0, "static": 7.9}
SAME = 0.005
HEAD = """# Encoders and fusion

`bench/encoders.py --write` on two shared x86-64 cores: read speeds as ratios. Intervals are 95 %, paired bootstrap.
How the choices were made: [ADR 0013](../../docs/adr/0013-encoders.md).

## What it costs
"""
CHOICE = """## How the fusion weights were chosen

nDCG@10, and its gain over the better leg, by what a term that one row holds adds to a cosine. The rule: the weight whose
interval, on the set where it is worse, begins highest.
"""
TIMED = """
import json, sys, time
from remit.adapters.table import adapter
texts, encoder = json.load(sys.stdin), adapter(sys.argv[1])()
encoder.embed(["ready"])
began = time.process_time()
encoder.embed(texts)
print(len(texts) / (time.process_time() - began))
"""


@cache
def encoder(kind: str) -> Embed:
    """Return an encoder, made once."""
    return ENCODERS[kind]()


def vectors(kind: str, texts: Sequence[str]) -> np.ndarray:
    """Return the vectors of some texts, from the cache where it has them."""
    embed = encoder(kind)
    digest = sha256("\0".join((embed.name, *texts)).encode("utf-8", "replace")).hexdigest()[:24]
    path = CACHE / f"{digest}.npy"
    if not path.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        np.save(path, embed.embed(texts))
    return np.load(path)


@cache
def postings(name: str) -> Postings:
    """Return the lexical index of a set's corpus."""
    counts = [Counter(found.term for found in terms(text)) for text in part_of(name, "train").texts]
    return Postings([Bag("en", tuple(one), tuple(one.values()), one.total()) for one in counts])


@cache
def lexical(name: str, split: str) -> list[np.ndarray]:
    """Return BM25 scores by question and passage."""
    return [postings(name).match(question).scores for question in part_of(name, split).questions]


@cache
def dense(name: str, split: str, kind: str) -> list[np.ndarray]:
    """Return cosines by question and passage, as the store computes them."""
    part = part_of(name, split)
    matrix = Matrix(quantise(vectors(kind, part.texts)))
    return [matrix.cosines(row[None, :]) for row in vectors(kind, part.questions)]


def found(part: Part, scores: Iterable[np.ndarray]) -> Found:
    """Return the best ten by some scores."""
    return Found([[part.ids[at] for at in best(row, part.ids, DEPTH)] for row in scores])


def fused(name: str, split: str, kind: str, weight: float) -> Found:
    """Return what Remit's fusion finds."""
    part = part_of(name, split)
    size = len(part.ids)
    legs = zip(lexical(name, split), dense(name, split, kind), strict=True)
    return found(part, (weighted([Leg(words, weight / rarest(size)), Leg(near)], size) for words, near in legs))


def ranks(name: str, split: str, kind: str) -> Found:
    """Return what plain reciprocal-rank fusion finds."""
    part = part_of(name, split)
    legs = zip(lexical(name, split), dense(name, split, kind), strict=True)
    scores = (reciprocal_rank([Leg(np.where(words > 0, words, np.nan)), Leg(near)], part.ids) for words, near in legs)
    return found(part, scores)


def reference(part: Part, *, own_terms: bool) -> Found:
    """Return what bm25s finds: from our terms, or with its own tokens, stop words and an English stemmer."""
    if own_terms:
        corpus = [[one.term for one in terms(text)] for text in part.texts]
        asked = [list(query_terms(question, "en")) for question in part.questions]
    else:
        stem = stemmer("english").stemWords
        corpus = bm25s.tokenize(part.texts, stopwords="en", stemmer=stem, return_ids=False, show_progress=False)
        asked = bm25s.tokenize(part.questions, stopwords="en", stemmer=stem, return_ids=False, show_progress=False)
    index = bm25s.BM25(method="lucene", k1=K1, b=B)
    index.index(corpus, show_progress=False)
    rows = []
    for words in asked:
        scores = index.get_scores([word for word in words if word in index.vocab_dict])
        rows.append(np.where(scores > 0, scores, np.nan).astype(np.float64))
    return found(part, rows)


def speed(kind: str, texts: Sequence[str]) -> float:
    """Return texts a second of one core, in a process of its own that has no more than one thread."""
    one = dict.fromkeys(("RAYON_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    done = subprocess.run(
        [sys.executable, "-c", TIMED, kind],
        input=json.dumps(texts),
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **one},
    )
    return float(done.stdout)


def systems(name: str, split: str) -> dict[str, Found]:
    """Return what every system finds for one part."""
    part = part_of(name, split)
    table = {
        "BM25": found(part, (np.where(row > 0, row, np.nan) for row in lexical(name, split))),
        "bm25s, our terms": reference(part, own_terms=True),
        "bm25s, its own tokens": reference(part, own_terms=False),
    }
    for kind in ENCODERS:
        table[kind] = found(part, dense(name, split, kind))
        table[f"{kind} + BM25, reciprocal ranks"] = ranks(name, split, kind)
        table[f"{kind} + BM25, Remit's fusion"] = fused(name, split, kind, LEXICAL_WEIGHTS[kind])
    return table


def choice(kind: str) -> list[str]:
    """Return the table that an encoder's fusion weight was chosen by."""
    parts = CHOSEN_ON[kind]
    told = [f"| weight, {kind} | " + " | ".join(" ".join(part) for part in parts) + " |", "|---|---|---|"]
    for weight in GRID:
        cells = []
        for name, split in parts:
            part = part_of(name, split)
            ours = fused(name, split, kind, weight).ndcg(part)
            legs = (found(part, lexical(name, split)).ndcg(part), found(part, dense(name, split, kind)).ndcg(part))
            mean, low, high = gain(ours, max(legs, key=np.mean))
            cells.append(f"{ours.mean():.3f} ({mean:+.3f} [{low:+.3f}, {high:+.3f}])")
        mark = " **chosen**" if weight == LEXICAL_WEIGHTS[kind] else ""
        told.append(f"| {weight}{mark} | " + " | ".join(cells) + " |")
    return told


def quality() -> tuple[list[str], list[str]]:
    """Return the tables of what is found, and what misses its bound."""
    told, missed = [], []
    for name, split in SHOWN:
        part = part_of(name, split)
        table = systems(name, split)
        checked(part, table["minilm + BM25, Remit's fusion"])
        note = ", untouched" if name == "musique" else ""
        told += ["", f"### {part.name}{note}: {len(part.questions)} questions, {len(part.ids)} passages", ""]
        told += ["| | nDCG@10 | R@5 | R@10 | nDCG@10 over the better leg |", "|---|---|---|---|---|"]
        points = {system: one.ndcg(part) for system, one in table.items()}
        for system, one in table.items():
            legs = [points["BM25"], points[system.partition(" ")[0]]] if "+" in system else []
            over = ""
            if legs:
                mean, low, high = gain(points[system], max(legs, key=np.mean))
                over = f"{mean:+.3f} [{low:+.3f}, {high:+.3f}]"
                if "Remit" in system and mean <= 0:
                    missed.append(f"{part.name}: {system} is no better than its better leg ({mean:+.3f})")
            recalls = [one.recall(part, k).mean() for k in (5, 10)]
            told.append(f"| {system} | {points[system].mean():.3f} | {recalls[0]:.3f} | {recalls[1]:.3f} | {over} |")
        ours, theirs = table["BM25"], table["bm25s, our terms"]
        apart = [points["BM25"].mean() - theirs.ndcg(part).mean()]
        apart.append(ours.recall(part, 10).mean() - theirs.recall(part, 10).mean())
        if max(map(abs, apart)) > SAME:
            missed.append(f"{part.name}: BM25 is {apart} from bm25s, more than {SAME}")
    return told, missed


def costs() -> list[str]:
    """Return the table of what each encoder costs, on a hundred passages and their sentences."""
    passages = part_of("nq", "dev").texts[:100]
    sentences = [one for text in passages for one in text.split(". ") if one.strip()]
    told = ["| | dimension | passages/s a core | sentences/s a core | MB of weights |", "|---|---|---|---|---|"]
    for kind, megabytes in MEGABYTES.items():
        times = 1 if kind == "minilm" else 20
        rates = f"{speed(kind, passages * times):,.0f} | {speed(kind, sentences * times):,.0f}"
        told.append(f"| {kind} | {encoder(kind).dimension} | {rates} | {megabytes:.1f} |")
    return told


def main() -> int:
    """Print the tables and return 1 where a bound is missed."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--write", action="store_true", help="write bench/results/encoders.md too")
    said = options.parse_args()
    if not (DATA / "nq" / "corpus.jsonl").exists():
        print(f"skipped: no question sets at {DATA}; name their folder in REMIT_DATA")
        return 0
    tables, missed = quality()
    text = "\n".join(
        (HEAD, *costs(), "", "## What is found", *tables, "", CHOICE, *choice("minilm"), "", *choice("static"), "")
    )
    print(text, *missed, sep="\n")
    if said.write:
        RESULTS.write_text(text, encoding="utf-8")
    return int(bool(missed))


if __name__ == "__main__":
    sys.exit(main())
