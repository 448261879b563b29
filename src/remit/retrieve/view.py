"""What one scope sees at one snapshot, made ready to be searched; the last views are kept.

A view is made of its own rows and nothing else, and is found again only under the scope, the snapshots and the revision
it was made for. Between scopes only bags are shared, and a bag says nothing but what its passage says.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from functools import cached_property
from typing import Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from remit.access.scope import Filters, Scope
from remit.contract.contract import RevisionWanted
from remit.corpus.document import Snapshot
from remit.corpus.store import Corpus, Readable, Row
from remit.llm.embed import Vectors
from remit.retrieve.dense import Matrix
from remit.retrieve.lexical import Bag, Matched, Postings, Scores, bag_of
from remit.retrieve.narrow import chosen, named, within
from remit.retrieve.retriever import SetAside

Thing = TypeVar("Thing")
Inside = NDArray[np.bool_] | None


class Kept(Generic[Thing]):
    """The things used last, up to a total size."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._size = 0
        self._things: OrderedDict[Hashable, tuple[Thing, int]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], Thing], size: Callable[[Thing], int] = lambda _: 1) -> Thing:
        """Return what is kept under `key`, made now where there is none. What is larger than all is not kept."""
        with self._lock:
            if key in self._things:
                self._things.move_to_end(key)
                return self._things[key][0]
        thing = make()
        cost = size(thing)
        with self._lock:
            if key not in self._things and cost <= self._most:
                self._things[key] = (thing, cost)
                self._size += cost
            while self._size > self._most:
                self._size -= self._things.popitem(last=False)[1][1]
        return thing

    def held(self, key: Hashable) -> Thing | None:
        """Return what is kept under `key`, None where nothing is."""
        with self._lock:
            if key not in self._things:
                return None
            self._things.move_to_end(key)
            return self._things[key][0]

    def clear(self) -> None:
        """Keep nothing of what was kept so far."""
        with self._lock:
            self._things.clear()
            self._size = 0


class Searched(Protocol):
    """What one scope sees, as rows that are named by their places."""

    @property
    def size(self) -> int:
        """How many rows are visible."""

    def readable(self, filters: Filters) -> int:
        """Return how many rows, set aside or not, lie in the collections and documents that the filters name."""

    def inside(self, filters: Filters, secondary: frozenset[str]) -> Inside:
        """Return for each visible row whether the search is about it; None: all are."""

    def scores(self, query: str) -> Scores:
        """Return the BM25 score of each visible row."""

    def cosines(self, query: Vectors) -> Scores:
        """Return the cosine of each visible row with the one row of `query`."""

    def ids(self, places: Sequence[int]) -> list[str]:
        """Return the passage ids of visible rows."""

    def rows(self, places: Sequence[int]) -> list[Row]:
        """Return visible rows with their texts."""

    def aside_matches(self, query: str) -> Matched:
        """Return how each row set aside matches `query`, by statistics of their own."""

    def aside_inside(self, filters: Filters, secondary: frozenset[str]) -> Inside:
        """Return for each row set aside whether the search is about it; None: all are."""

    def set_aside(self, places: Sequence[int]) -> list[SetAside]:
        """Return what is told of rows set aside."""


class Sight(Protocol):
    """Gives what a scope sees of a corpus."""

    def view(self, scope: Scope, wanted: RevisionWanted, snapshot: Snapshot) -> Searched:
        """Return what `scope` sees, as of the newest write."""

    def keep_up(self) -> None:
        """Bring what is kept on disk up to the corpus."""


class View:
    """The rows a scope opens, held in memory with indexes made for them: exact by brute force, for any corpus."""

    def __init__(self, corpus: Corpus, readable: Readable, scope: Scope, bag: Callable[[Row], Bag]) -> None:
        self._readable = readable
        self._ids = [row.passage.id for row in readable.rows]
        self._corpus, self._scope, self._bag = corpus, scope, bag

    @property
    def size(self) -> int:
        """How many rows are visible."""
        return len(self._ids)

    def readable(self, filters: Filters) -> int:
        """Return how many rows, set aside or not, lie in the collections and documents that the filters name."""
        return named(self._readable, filters)

    def inside(self, filters: Filters, secondary: frozenset[str]) -> Inside:
        """Return for each visible row whether the search is about it."""
        return chosen(self._readable, filters, secondary)

    def scores(self, query: str) -> Scores:
        """Return the BM25 score of each visible row."""
        return self._postings.match(query).scores

    def cosines(self, query: Vectors) -> Scores:
        """Return the cosine of each visible row with the one row of `query`."""
        return self._matrix.cosines(query)

    def ids(self, places: Sequence[int]) -> list[str]:
        """Return the passage ids of visible rows."""
        return [self._ids[at] for at in places]

    def rows(self, places: Sequence[int]) -> list[Row]:
        """Return visible rows."""
        return [self._readable.rows[at] for at in places]

    def aside_matches(self, query: str) -> Matched:
        """Return how each row set aside matches `query`."""
        return self._aside.match(query)

    def aside_inside(self, filters: Filters, secondary: frozenset[str]) -> Inside:
        """Return for each row set aside whether the search is about it."""
        inside = within(filters, secondary)
        return np.array([inside(row) for row, _ in self._readable.set_aside], dtype=np.bool_)

    def set_aside(self, places: Sequence[int]) -> list[SetAside]:
        """Return what is told of rows set aside."""
        found = (self._readable.set_aside[at] for at in places)
        return [SetAside(passage=row.passage.id, revision=row.source.id, reason=reason) for row, reason in found]

    @cached_property
    def _postings(self) -> Postings:
        return Postings([self._bag(row) for row in self._readable.rows])

    @cached_property
    def _aside(self) -> Postings:
        return Postings([self._bag(row) for row, _ in self._readable.set_aside])

    @cached_property
    def _matrix(self) -> Matrix:
        return Matrix(self._corpus.matrix(self._ids, self._scope))

    @property
    def cost(self) -> int:
        """How many rows it holds."""
        return 1 + len(self._readable.rows) + len(self._readable.set_aside)


class Views:
    """Views of one corpus, of which up to `rows` rows are kept, and the bags of up to as many passages."""

    def __init__(self, corpus: Corpus, rows: int) -> None:
        self._corpus = corpus
        self._newest: Snapshot | None = None
        self._views: Kept[View] = Kept(rows)
        self._bags: Kept[Bag] = Kept(rows)

    def view(self, scope: Scope, wanted: RevisionWanted, snapshot: Snapshot) -> View:
        """Return what `scope` sees. Any write makes a new one: a delete counts at once, at older snapshots too."""
        newest = self._corpus.snapshot()
        if newest != self._newest:  # what was deleted since stays in no view
            self._views.clear()
            self._newest = newest
        asked = (scope.digest, wanted.at, wanted.named)
        key = (*asked, snapshot.number, snapshot.digest, newest.number, newest.digest)
        return self._views.get(key, lambda: self._read(scope, wanted, snapshot), lambda view: view.cost)

    def keep_up(self) -> None:
        """Nothing is kept on disk."""

    def _read(self, scope: Scope, wanted: RevisionWanted, snapshot: Snapshot) -> View:
        readable = self._corpus.readable(scope, at=wanted.at, named=wanted.named, snapshot=snapshot)
        return View(self._corpus, readable, scope, self._bag)

    def _bag(self, row: Row) -> Bag:
        passage, source = row
        span = (passage.id, passage.start, passage.end, *passage.section)
        return self._bags.get((source.digest, source.title, source.language, *span), lambda: bag_of(row))
