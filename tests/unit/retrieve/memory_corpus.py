"""A corpus in memory behind the same port as the store, and an encoder that hashes words: a reference to test against."""

from collections.abc import Sequence
from datetime import UTC, date, datetime
from hashlib import sha256

import numpy as np

from remit.access.scope import Scope
from remit.contract.catalogue import Catalogue
from remit.contract.contract import RevisionWanted
from remit.contract.value import digest_of, text_digest
from remit.corpus.document import Passage, Revision, Snapshot, Span
from remit.corpus.quantise import Quantised, quantise, restored
from remit.corpus.standing import set_aside
from remit.corpus.store import Readable, Row
from remit.errors import NothingThere

DAY = date(2026, 6, 1)
WANTED = RevisionWanted(at=DAY)


class HashEmbed:
    """Gives each text the sum of one random direction a word; shared words make near vectors."""

    name = "hash/1"
    dimension = 32

    def __init__(self):
        self.calls = 0

    def embed(self, texts: Sequence[str]):
        """Return one unit vector a text."""
        self.calls += len(texts)
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for at, text in enumerate(texts):
            for word in text.casefold().split():
                seed = int.from_bytes(sha256(word.encode("utf-8", "replace")).digest()[:8])
                vectors[at] += np.random.default_rng(seed).standard_normal(self.dimension).astype(np.float32)
            if (length := np.linalg.norm(vectors[at])) > 0:
                vectors[at] /= length
        return vectors


class MemoryCorpus:
    """Rows in a list."""

    def __init__(self, catalogue: Catalogue | None = None):
        self.declared = catalogue or Catalogue()
        self.embedder = HashEmbed()
        self.rows: list[Row] = []
        self.reads = 0
        self._vectors: dict[str, Quantised] = {}
        self._sentences: dict[str, Quantised] = {}

    def add(self, document: str, *texts: str, revision: str = "1", section: tuple[str, ...] = (), **metadata):
        """Put a revision with one passage a text; `metadata` are fields of Revision."""
        given = {"title": document, "collection": "manuals", "labels": {"staff"}, "status": "current", **metadata}
        source = Revision(
            document=document,
            revision=revision,
            digest=text_digest("\n".join(texts)),
            recorded_at=datetime(2026, 1, 1, tzinfo=UTC),
            **given,
        )
        for number, text in enumerate(texts):
            passage = Passage(
                id=f"{source.id}#{number}",
                document=document,
                revision=revision,
                ordinal=number,
                section=section,
                start=0,
                end=len(text),
                text=text,
                sentences=(Span(0, len(text)),),
            )
            self.rows.append(Row(passage, source))
            self._vectors[passage.id] = quantise(self.embedder.embed([f"{source.title} {text}"]))
            self._sentences[passage.id] = quantise(self.embedder.embed([text]))
        return self

    def delete(self, document: str):
        """Take a document away."""
        self.rows = [row for row in self.rows if row.source.document != document]

    def snapshot(self):
        """Return a state that changes with every write."""
        held = [[row.passage.id, row.source.model_dump(mode="json")] for row in self.rows]
        return Snapshot(number=len(self.rows), digest=digest_of(held))

    def catalogue(self):
        """Return what was declared."""
        return self.declared

    def readable(self, scope: Scope, *, at: date, named: str | None, snapshot: Snapshot):
        """Return the rows in the scope, and those set aside."""
        self.reads += 1
        rows, aside = [], []
        for row in self.rows:
            source = row.source
            if not scope.admits(source.labels, source.collection, source.document):
                continue
            reason = set_aside(source, None, at)
            if named is not None and reason not in {"draft", "withdrawn"}:
                reason = None if named == source.revision else reason or "other revision"
            rows.append(row) if reason is None else aside.append((row, reason))
        return Readable(tuple(rows), tuple(aside))

    def revisions(self, document: str, scope: Scope, *, snapshot: Snapshot):
        """Return the revisions of a document in the scope."""
        return tuple(
            {row.source.id: row.source for row in self._inside(scope) if row.source.document == document}.values()
        )

    def collection_of(self, document: str):
        """Return the collection of a document."""
        return next((row.source.collection for row in self.rows if row.source.document == document), None)

    def text(self, revision: str, scope: Scope):
        """Return the text of a revision with a single passage."""
        return next((row.passage.text for row in self._inside(scope) if row.source.id == revision), None)

    def vectors(self, passages: Sequence[str], scope: Scope):
        """Return vectors of passages and of their sentences."""
        sentences = tuple(restored(self._sentences[id]) for id in self._allowed(passages, scope))
        return restored(self.matrix(passages, scope)), sentences

    def matrix(self, passages: Sequence[str], scope: Scope):
        """Return the stored integers and scales of passages."""
        found = [self._vectors[id] for id in self._allowed(passages, scope)]
        values = [one.values for one in found] or [np.zeros((0, self.embedder.dimension), np.int8)]
        return Quantised(
            np.concatenate(values), np.concatenate([np.zeros(0, np.float32), *(one.scales for one in found)])
        )

    def _inside(self, scope: Scope):
        return [row for row in self.rows if scope.admits(row.source.labels, row.source.collection, row.source.document)]

    def _allowed(self, passages: Sequence[str], scope: Scope):
        inside = {row.passage.id for row in self._inside(scope)}
        if not inside.issuperset(passages):
            raise NothingThere("no such passage")
        return passages


def scope_of(*labels: str, **narrowed) -> Scope:
    """Return the scope of someone with these labels."""
    return Scope(principal="someone", labels=frozenset(labels), policy="test", **narrowed)
