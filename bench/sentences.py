"""Reading the sentence vectors of 45 candidates from the store, as every ask does: bench/sentences.py [PASSAGES].

Beside it, the same vectors gathered from an array mapped from a file, which is what segments would give.
"""

import sys
import tempfile
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
from generated import Text, Took, both_p50, save, units
from hybrid import DIMENSION, NOW, PASSAGES_A_DOCUMENT, Ready, document

from remit.access.scope import Scope
from remit.corpus.document import Span
from remit.corpus.quantise import Quantised, quantise, restored
from remit.corpus.sqlite import SqliteCorpus
from remit.corpus.store import NewRevision

CANDIDATES = 45
SENTENCES = 10
ASKED = 200
MOST_MS = 5.0
SCOPE = Scope(principal="bench", labels=frozenset({"g1.0"}), policy="bench")


def main(passages: int, folder: Path) -> int:
    """Print the medians; 1 where the bound is missed."""
    mapped = np.memmap(folder / "all", dtype=np.int8, mode="w+", shape=(passages * SENTENCES, DIMENSION))
    scales = np.ones(passages * SENTENCES, dtype=np.float32)
    ids: list[str] = []
    with SqliteCorpus.open(folder / "store", create=True) as corpus:
        corpus.use_encoder(Ready.name, DIMENSION)
        for new in revisions(passages):
            corpus.put(new, now=NOW)
            for passage, vectors in zip(new.passages, new.sentence_vectors, strict=True):
                at = len(ids) * SENTENCES
                stored = quantise(vectors)
                mapped[at : at + SENTENCES], scales[at : at + SENTENCES] = stored.values, stored.scales
                ids.append(passage.id)
        chance = np.random.default_rng(5)
        drawn = [chance.choice(passages, CANDIDATES, replace=False) for _ in range(ASKED)]

        def store(at: int) -> object:
            return corpus.vectors([ids[place] for place in drawn[at]], SCOPE)[1]

        def array(at: int) -> object:
            rows = (drawn[at][:, None] * SENTENCES + np.arange(SENTENCES)).ravel()
            return restored(Quantised(mapped[rows], scales[rows]))

        same = all(np.array_equal(np.concatenate(store(at)), array(at)) for at in range(3))
        found: dict[str, Took] = {"the store": both_p50(store, ASKED), "a mapped array": both_p50(array, ASKED)}
    rows = [{"read from": name, "p50 ms": took.wall, "p50 cpu-ms": took.cpu} for name, took in found.items()]
    size = CANDIDATES * SENTENCES * DIMENSION
    notes = [
        f"{CANDIDATES} of {passages} passages, {ASKED} draws, {SENTENCES} sentences a passage, {DIMENSION} dimensions: {size / 1e3:.0f} kB, turned into floats.",
        f"Both give the same numbers: {same}. The store checks the scope of every passage on the way.",
        f"Bound: {MOST_MS:.0f} ms, on which docs/adr/0010 leaves them in the store.",
    ]
    save("sentences", "Sentence vectors of the candidates", rows, notes)
    return int(not same or found["the store"].wall > MOST_MS)


def revisions(passages: int) -> Iterator[NewRevision]:
    chance = np.random.default_rng(11)
    for number, lot in enumerate(Text(passages).lots(PASSAGES_A_DOCUMENT)):
        texts = [" ".join(words) for words in lot]
        whole = document(number, texts, 0.0, units(chance, len(texts)))
        told = tuple(one.model_copy(update={"sentences": spans(one.start, one.end)}) for one in whole.passages)
        vectors = tuple(units(chance, SENTENCES) for _ in texts)
        yield whole._replace(passages=told, sentence_vectors=vectors)


def spans(start: int, end: int) -> tuple[Span, ...]:
    edges = np.linspace(start, end, SENTENCES + 1).astype(int).tolist()
    return tuple(Span(*pair) for pair in pairwise(edges))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000, Path(place)))
