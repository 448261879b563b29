"""What the reranker learns from and is measured on: questions of a set with candidates of the whole corpus, as numbers.

Stores lie in $REMIT_STORES/NAME, one a set, each made with: remit ingest DATA/NAME/corpus.jsonl --store STORES/NAME --labels
public --status current. What is worked out is kept in $REMIT_WORK, and worked out again when the code that makes it changes.
"""

from __future__ import annotations

import hashlib
import os
import pickle
from collections.abc import Sequence
from contextlib import AbstractContextManager
from datetime import date
from pathlib import Path
from typing import NamedTuple

from tqdm import tqdm

import remit.rerank
from remit.access.scope import Scope
from remit.answer.extract import Extractive
from remit.corpus.document import Passage
from remit.llm.embed import Vectors
from remit.rerank.company import in_company
from remit.rerank.seen import Seen
from remit.retrieve.retriever import Hit
from remit.train.environment import Asked, Kept, Quoting, Said
from remit.train.instances import Instance, Shelf, instances
from remit.train.questions import read_questions

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("REMIT_DATA", ROOT.parent / "shared" / "data"))
STORES = Path(os.environ.get("REMIT_STORES", ROOT.parent / "stores"))
WORK = Path(os.environ.get("REMIT_WORK", ROOT / ".work" / "rerank"))
SEEN_BY = ("candidate_features", "links", "question_features", "table", "words", "seen")


class Case(NamedTuple):
    """An instance, what the encoder policy sees of it, and the rows of its gold passages in the order found."""

    set: str
    instance: Instance
    seen: Seen
    gold: tuple[int, ...]

    @property
    def found(self) -> tuple[int, ...]:
        """The rows in the order of the search."""
        return tuple(self.seen.row(hit.passage.id) for hit in self.instance.candidates.hits)

    def documents(self, rows: tuple[int, ...]) -> list[str]:
        """Return the documents of rows, each once, in order: gold is told by document."""
        by_id = {hit.passage.id: hit.passage.document for hit in self.instance.candidates.hits}
        return list(dict.fromkeys(by_id[self.seen.ids[row]] for row in rows))

    def sent(self, rows: tuple[int, ...]) -> tuple[int, ...]:
        """Return the rows of a choice with those that go with them, as the policy sends them."""
        hits = self.candidates()
        company = in_company([hits[self.seen.ids[row]] for row in rows], tuple(hits.values()), most=15)
        return tuple(self.seen.row(hit.passage.id) for hit in company)

    def candidates(self) -> dict[str, Hit]:
        """Return the candidates by passage id, in the order found."""
        return {hit.passage.id: hit for hit in self.instance.candidates.hits}

    def asked(self, rows: tuple[int, ...]) -> Asked:
        """Return the question with the passages of rows."""
        by_id = self.candidates()
        return Asked(self.instance.contract, tuple(by_id[self.seen.ids[row]] for row in rows))


class Bench(AbstractContextManager["Bench"]):
    """A set's part opened: its cases, and the extractive answerer as environment, whose answers are kept."""

    def __init__(self, name: str, part: str, day: date | str, *, first: int | None = None) -> None:
        self.shelf = Shelf(STORES / name, day=date.fromisoformat(str(day)))
        self.name = name
        questions = read_questions(DATA / name / f"{part}.jsonl")[:first]
        told = tqdm(total=len(questions), desc=f"{name} {part}", unit="question")
        found = instances(self.shelf, questions, WORK / f"{name}-{part}.jsonl", step=told.update)
        self.cases = [self._case(one) for one in found]
        told.close()
        extractive = Quoting(Extractive(self.shelf.encoder, self.shelf), self.shelf.scope)
        self.extractive = Kept(extractive, WORK / f"{name}-{part}-extractive-{_answers_by()}.jsonl")

    def stored(self, passages: Sequence[Passage], scope: Scope) -> Sequence[Vectors]:
        """Return the vectors of passages' sentences, read from the store each time, as the line does."""
        return self.shelf.read_again(passages, scope)

    def say(self, chosen: list[tuple[Case, tuple[int, ...]]], what: str) -> list[Said]:
        """Return the extractive answers to cases from some of their rows."""
        told = tqdm(total=len(chosen), desc=f"{self.name} {what}", unit="answer")
        said = self.extractive.answers([case.asked(rows) for case, rows in chosen], step=told.update)
        told.close()
        return said

    def __exit__(self, *raised: object) -> None:
        self.shelf.close()

    def _case(self, instance: Instance) -> Case:
        seen = _kept_seen(self.shelf, instance)
        rows = tuple(seen.row(hit.passage.id) for hit in instance.candidates.hits if hit.passage.id in instance.gold)
        return Case(self.name, instance, seen, rows)


def _kept_seen(shelf: Shelf, instance: Instance) -> Seen:
    folder = WORK / "seen" / _seen_by()
    file = folder / f"{instance.question.id.replace('/', '_')}-{shelf.snapshot.digest[7:15]}.pickle"
    if file.exists():
        return pickle.loads(file.read_bytes())  # noqa: S301 - we wrote it
    seen = shelf.seen(instance)
    folder.mkdir(parents=True, exist_ok=True)
    file.write_bytes(pickle.dumps(seen))
    return seen


def _seen_by() -> str:
    folder = Path(remit.rerank.__file__).parent
    return hashlib.sha256(b"".join((folder / f"{name}.py").read_bytes() for name in SEEN_BY)).hexdigest()[:12]


def _answers_by() -> str:
    """Return the digest of the answerer's code and weights: answers of another one are not these."""
    folder = Path(remit.rerank.__file__).parents[1] / "answer"
    files = [*sorted(folder.glob("*.py")), *sorted(folder.glob("*.npz"))]
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:12]
