"""The port to search, and what a search gives back."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from remit.access.scope import Filters, Scope
from remit.contract.contract import RevisionWanted
from remit.contract.value import Value
from remit.corpus.document import Passage, Revision, Snapshot
from remit.llm.embed import Vectors


class Hit(Value):
    """A passage found, with the revision it belongs to and how each leg scored it (None: that leg did not find it).

    `score` orders the hits. `lexical` is BM25 over the visible rows; `dense` is a cosine in [-1, 1].
    """

    passage: Passage
    source: Revision
    score: float
    lexical: float | None = None
    dense: float | None = None


class SetAside(Value):
    """A passage in the scope that matched but does not hold for the contract, and why."""

    passage: str
    revision: str
    reason: str


class Candidates(Value):
    """What one search found: hits best first, and for the trace what was set aside.

    `readable` counts the rows the scope opens whatever their validity; it is 0 exactly where the asker may read nothing
    of what the contract names.
    """

    hits: tuple[Hit, ...]
    set_aside: tuple[SetAside, ...] = ()
    readable: int
    visible: int
    snapshot: Snapshot


class Search(NamedTuple):
    """What to look for: a query, how many rows, for which revisions, narrowed by filters."""

    query: str
    k: int
    wanted: RevisionWanted
    filters: Filters = Filters()


class Retriever(Protocol):
    """Search inside a scope at one snapshot. `name` identifies method and configuration in traces."""

    name: str

    def search(self, search: Search, scope: Scope, snapshot: Snapshot) -> Candidates:
        """Return min(k, visible) hits, best first; none where the scope opens nothing."""

    def sentence_vectors(self, passage: Passage, scope: Scope) -> Vectors:
        """Return one vector per sentence of a passage in the scope, in their order."""
