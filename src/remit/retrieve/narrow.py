"""Filters: which of the visible rows a search is about. They only take rows away, after everything is scored."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from remit.access.scope import Filters
from remit.corpus.document import Revision
from remit.corpus.store import Readable, Row


def within(filters: Filters, secondary: frozenset[str]) -> Callable[[Row], bool]:
    """Return the test of one row by collection, document and section.

    Secondary collections stay out unless the filters name collections or documents: what is named is meant.
    """
    collections = None if filters.collections is None else frozenset(filters.collections)
    documents = None if filters.documents is None else frozenset(filters.documents)
    section = filters.section or ()
    left_out = secondary if collections is None and documents is None else frozenset[str]()

    def inside(row: Row) -> bool:
        return (
            row.source.collection not in left_out
            and (collections is None or row.source.collection in collections)
            and (documents is None or row.source.document in documents)
            and row.passage.section[: len(section)] == section
        )

    return inside


def chosen(readable: Readable, filters: Filters, secondary: frozenset[str]) -> NDArray[np.bool_]:
    """Return for each visible row whether the search is about it.

    `current_only` takes away what the validity reading would fault: undated revisions beside others of their document,
    and those that conflict.
    """
    if not secondary and filters == Filters():
        return np.ones(len(readable.rows), dtype=np.bool_)
    inside = within(filters, secondary)
    doubtful = doubtful_revisions(readable) if filters.current_only else frozenset[str]()
    kept = (inside(row) and row.source.id not in doubtful for row in readable.rows)
    return np.fromiter(kept, np.bool_, len(readable.rows))


def named(readable: Readable, filters: Filters) -> int:
    """Return how many rows, set aside or not, lie in the collections and documents that the filters name."""
    opened = (*readable.rows, *(row for row, _ in readable.set_aside))
    inside = within(Filters(collections=filters.collections, documents=filters.documents), frozenset())
    return sum(map(inside, opened))


def doubtful_revisions(readable: Readable) -> frozenset[str]:
    """Return the visible revisions of which the record cannot say that they are the current one of their document."""
    aside = {row.source.document for row, _ in readable.set_aside}
    return doubtful_among({row.source.id: row.source for row in readable.rows}.values(), aside)


def doubtful_among(sources: Iterable[Revision], aside: Collection[str]) -> frozenset[str]:
    """Return which of the visible revisions may not be the current one; `aside` are documents with others set aside.

    They are undated beside others, or hold for the same things as another one while neither replaces the other.
    """
    visible: defaultdict[str, list[Revision]] = defaultdict(list)
    for source in sources:
        visible[source.document].append(source)
    doubtful = set()
    for document, found in visible.items():
        dated = [source for source in found if not source.undated]
        if len(found) > 1 or document in aside:
            doubtful |= {source.id for source in found if source.undated}
        pairs = (pair for pair in combinations(dated, 2) if _alike(*pair))
        doubtful |= {source.id for pair in pairs for source in pair}
    return frozenset(doubtful)


def _alike(one: Revision, other: Revision) -> bool:
    if one.id in other.supersedes or other.id in one.supersedes:
        return False
    mine, others = dict(one.applies_to), dict(other.applies_to)
    return not any(set(mine[key]).isdisjoint(others[key]) for key in mine.keys() & others.keys())
