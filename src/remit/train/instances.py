"""Instances: questions with their candidates as a store finds them, kept on disk so that no search is made twice."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple, Self

from remit.access.policy import GroupLabels, authorize
from remit.access.principal import Principal
from remit.access.scope import Scope
from remit.contract.catalogue import Catalogue
from remit.contract.contract import Contract
from remit.contract.frame import Given, frame
from remit.contract.value import digest_of
from remit.corpus.document import Passage, Snapshot
from remit.corpus.store import Row
from remit.engine import Remit
from remit.llm.embed import Embed, Vectors
from remit.parts import encoder_of
from remit.rerank.seen import Seen, look
from remit.retrieve.retriever import Candidates, Hit
from remit.settings import Settings
from remit.train.questions import Question

DEPTH = 45
"""Candidates of a question, as the paper has it."""


class Instance(NamedTuple):
    """A question framed as the line frames it, with its candidates; `gold` are the passages among them that hold it.

    `wanted` counts the gold documents there are, found or not.
    """

    question: Question
    contract: Contract
    candidates: Candidates
    gold: frozenset[str]
    wanted: int


class Shelf:
    """A store opened to learn from: its rows by id, the vectors of their sentences, and its encoder.

    `asker` reads with the groups given; `day` is the day on which revisions must hold. Use it as a context manager.
    """

    def __init__(self, store: Path, *, day: date, groups: Sequence[str] = (), settings: Settings | None = None) -> None:
        self.settings = settings or Settings.load(None, {})
        self.encoder: Embed = encoder_of(self.settings)
        self._remit = Remit.open(store, settings=self.settings)
        self._corpus = self._remit.corpus
        self._asker = Principal(id="training", groups=tuple(groups))
        self._day = day
        contract = self.contract("?")
        self.scope: Scope = authorize(self._asker, contract, GroupLabels(), self._corpus.catalogue()).widened()
        self.snapshot: Snapshot = self._corpus.snapshot()
        readable = self._corpus.readable(self.scope, at=day, named=None, snapshot=self.snapshot)
        self.rows: dict[str, Row] = {row.passage.id: row for row in readable.rows}
        self._sentences: dict[str, Vectors] = {}

    def contract(self, question: str) -> Contract:
        """Return a question as the line frames it."""
        return frame(question, Given(today=self._day), Catalogue(), lambda _: None)

    def search(self, question: str, k: int = DEPTH) -> Candidates:
        """Return the best `k` passages."""
        return self._remit.search(question, principal=self._asker, k=k, as_of=self._day)

    def sentence_vectors(self, passage: Passage, scope: Scope) -> Vectors:
        """Return one vector per sentence of a passage; they are read once."""
        if passage.id not in self._sentences:
            self.vectors([passage], scope)
        return self._sentences[passage.id]

    def vectors(self, passages: Sequence[Passage], scope: Scope) -> list[Vectors]:
        """Return the vectors of the sentences of passages."""
        missing = [passage.id for passage in passages if passage.id not in self._sentences]
        if missing:
            self._sentences.update(zip(missing, self._corpus.vectors(missing, scope)[1], strict=True))
        return [self._sentences[passage.id] for passage in passages]

    def read_again(self, passages: Sequence[Passage], scope: Scope) -> Sequence[Vectors]:
        """Return the vectors of the sentences of passages, from the store and not from what was read before."""
        return self._corpus.vectors([passage.id for passage in passages], scope)[1]

    def seen(self, instance: Instance) -> Seen:
        """Return what the encoder policy sees of an instance."""
        hits = instance.candidates.hits
        question = self.encoder.embed([instance.contract.claim])
        return look(instance.contract, hits, question, self.vectors([hit.passage for hit in hits], self.scope))

    def close(self) -> None:
        """Close the store."""
        self._remit.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()


def instances(
    shelf: Shelf, questions: Iterable[Question], kept: Path, *, step: Callable[[], object] = lambda: None
) -> Iterator[Instance]:
    """Yield the questions with their candidates; searches are kept in the file `kept` and go on after an interruption.

    What is kept is of one snapshot, encoder and depth; of another it is left alone and searched anew.
    """
    about = digest_of([shelf.snapshot.digest, shelf.encoder.name, DEPTH])
    found = {line["id"]: line["hits"] for line in _lines(kept) if line.get("about") == about}
    kept.parent.mkdir(parents=True, exist_ok=True)
    with kept.open("a", encoding="utf-8") as file:
        for question in questions:
            if question.id not in found:
                hits = [[hit.passage.id, hit.score, hit.lexical, hit.dense] for hit in shelf.search(question.text).hits]
                file.write(json.dumps({"id": question.id, "about": about, "hits": hits}) + "\n")
                file.flush()
                found[question.id] = hits
            step()
            yield _instance(shelf, question, found[question.id])


def _instance(shelf: Shelf, question: Question, kept: list[list[Any]]) -> Instance:
    hits = tuple(
        Hit(passage=row.passage, source=row.source, score=score, lexical=lexical, dense=dense)
        for id, score, lexical, dense in kept
        if (row := shelf.rows.get(id)) is not None
    )
    gold = frozenset(hit.passage.id for hit in hits if {hit.passage.document, hit.passage.id} & question.gold)
    count = len(shelf.rows)
    candidates = Candidates(hits=hits, readable=count, visible=count, snapshot=shelf.snapshot)
    return Instance(question, shelf.contract(question.text), candidates, gold, len(question.gold))


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the objects of a JSONL file; a last line that was cut off by a kill is left out."""
    if not path.exists():
        return
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            yield json.loads(line)
        except ValueError:
            continue
