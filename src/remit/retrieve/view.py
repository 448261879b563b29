"""What one scope sees at one snapshot, made ready to be searched; the last views are kept.

A view is made of its own rows and nothing else, and is found again only under the scope, the snapshots and the revision
it was made for. Between scopes only bags are shared, and a bag says nothing but what its passage says.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from functools import cached_property
from typing import Generic, TypeVar

from remit.access.scope import Scope
from remit.contract.contract import RevisionWanted
from remit.corpus.document import Snapshot
from remit.corpus.store import Corpus, Readable, Row
from remit.retrieve.dense import Matrix
from remit.retrieve.lexical import Bag, Postings, bag_of

Thing = TypeVar("Thing")


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

    def clear(self) -> None:
        """Keep nothing of what was kept so far."""
        with self._lock:
            self._things.clear()
            self._size = 0


class View:
    """The rows a scope opens, the index over the visible ones, and the one over those set aside."""

    def __init__(self, corpus: Corpus, readable: Readable, scope: Scope, bag: Callable[[Row], Bag]) -> None:
        self.readable = readable
        self.ids = [row.passage.id for row in readable.rows]
        self._corpus, self._scope, self._bag = corpus, scope, bag

    @property
    def rows(self) -> tuple[Row, ...]:
        """The visible rows."""
        return self.readable.rows

    @cached_property
    def copies(self) -> int:
        """How many visible rows repeat a text of the same document, in this or another revision."""
        return len(self.ids) - len({(passage.document, passage.text) for passage, _ in self.readable.rows})

    @cached_property
    def postings(self) -> Postings:
        """The terms of the visible rows: statistics are theirs alone."""
        return Postings([self._bag(row) for row in self.readable.rows])

    @cached_property
    def aside(self) -> Postings:
        """The terms of the rows set aside."""
        return Postings([self._bag(row) for row, _ in self.readable.set_aside])

    @cached_property
    def matrix(self) -> Matrix:
        """The vectors of the visible rows."""
        return Matrix(self._corpus.matrix(self.ids, self._scope))


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
        return self._views.get(key, lambda: self._read(scope, wanted, snapshot), _size)

    def _read(self, scope: Scope, wanted: RevisionWanted, snapshot: Snapshot) -> View:
        readable = self._corpus.readable(scope, at=wanted.at, named=wanted.named, snapshot=snapshot)
        return View(self._corpus, readable, scope, self._bag)

    def _bag(self, row: Row) -> Bag:
        passage, source = row
        span = (passage.id, passage.start, passage.end, *passage.section)
        return self._bags.get((source.digest, source.title, source.language, *span), lambda: bag_of(row))


def _size(view: View) -> int:
    return 1 + len(view.readable.rows) + len(view.readable.set_aside)
