"""Question sets with their gold passages, for the measurements beside this file. They are read from a checkout's shared/data."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime
from functools import cached_property, lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from remit.access.scope import Scope
from remit.adapters.minilm import MiniLm
from remit.contract.catalogue import Catalogue
from remit.contract.contract import Contract
from remit.contract.frame import Given, frame
from remit.contract.value import text_digest
from remit.corpus.document import Passage, Revision
from remit.corpus.sentences import sentences
from remit.rerank.ranking import Ranking
from remit.retrieve.retriever import Hit

DATA = Path(__file__).resolve().parents[1].parent / "shared" / "data"
CACHE = Path("/tmp/remit-bench")  # noqa: S108 - vectors that can be made again
TODAY = date(2026, 11, 30)
EVERYONE = Scope(principal="bench", labels=frozenset({"public"}), policy="bench")


class Case(NamedTuple):
    """A question with its golden answers, and the ranking that holds its gold passages and nothing else."""

    id: str
    contract: Contract
    golden: list[str]
    ranking: Ranking
    line: dict


def lines(name: str, part: str) -> list[dict]:
    """Return the lines of one file of a set."""
    text = (DATA / name / f"{part}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


@lru_cache(maxsize=8)
def passages(name: str) -> dict[str, Hit]:
    """Return the passages of a set by their ids."""
    return {line["id"]: _hit(line) for line in lines(name, "corpus")}


def cases(name: str, part: str) -> Iterator[Case]:
    """Yield the questions of a set that have gold passages."""
    held = passages(name)
    for line in lines(name, part):
        hits = tuple(held[id] for id in line["metadata"]["gold"])
        contract = frame(line["question"], Given(today=TODAY), Catalogue(), lambda _: None)
        yield Case(line["id"], contract, line["golden_answers"], Ranking(hits=hits, policy="gold", reason="gold"), line)


def _hit(line: dict) -> Hit:
    title = line["title"]
    text = line["contents"].removeprefix(f"{title}\n")
    source = Revision(
        document=line["id"],
        revision="1",
        title=title,
        collection="bench",
        labels=("public",),
        status="current",
        authority="authoritative",
        digest=text_digest(text),
        recorded_at=datetime(2026, 11, 30, tzinfo=UTC),
    )
    spans = tuple(sentences(text, 0, len(text)))
    passage = Passage(
        id=f"{source.id}#0",
        document=line["id"],
        revision="1",
        ordinal=0,
        section=(),
        start=0,
        end=len(text),
        text=text,
        sentences=spans,
    )
    return Hit(passage=passage, source=source, score=1.0)


class Encoder:
    """The default encoder with vectors kept outside of the repository; it also serves sentence vectors, as a retriever does."""

    dimension = 384

    def __init__(self, name: str) -> None:
        self._path = CACHE / f"{name}.npz"
        self._kept: dict[str, np.ndarray] = {}
        if self._path.exists():
            stored = np.load(self._path)
            self._kept = dict(zip(stored["keys"].tolist(), stored["vectors"], strict=True))
        self._known = len(self._kept)

    @cached_property
    def _model(self) -> MiniLm:
        return MiniLm()

    @property
    def name(self) -> str:
        return self._model.name

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """Return one unit vector a text."""
        return np.stack([self._vector(text) for text in texts]) if texts else np.zeros((0, 384), dtype=np.float32)

    def sentence_vectors(self, passage: Passage, _: Scope) -> np.ndarray:
        """Return one vector a sentence of a passage."""
        return self.embed([passage.quote(span) for span in passage.sentences])

    def _vector(self, text: str) -> np.ndarray:
        key = hashlib.sha256(text.encode()).hexdigest()[:24]
        if key not in self._kept:
            self._kept[key] = self._model.embed([text])[0]
        return self._kept[key]

    def keep(self) -> None:
        """Write the vectors down."""
        if len(self._kept) > self._known:
            CACHE.mkdir(parents=True, exist_ok=True)
            np.savez(self._path, keys=np.array(list(self._kept)), vectors=np.stack(list(self._kept.values())))
            self._known = len(self._kept)
