"""Where a plan's Retrieval looks. Its keywords narrow; what the contract or the catalogue does not approve is a failure."""

from __future__ import annotations

from itertools import chain, zip_longest
from typing import Final

from remit.access.scope import Filters
from remit.repair.bindings import Failed
from remit.repair.ops import Retrieval
from remit.repair.planner import State, StepFailure
from remit.repair.reach import Found, Reach
from remit.retrieve.retriever import Hit, Retriever

PARENTS: Final = 3
"""From how many of the first passages in use a search looks into the section above."""


def find(operation: Retrieval, query: str, state: State, reach: Reach, retriever: Retriever) -> Found | Failed:
    """Return what a search finds where the operation says."""
    collections: tuple[str, ...] | None = state.contract.collections or None
    if operation.collection is not None:
        if not approved(operation.collection, state):
            return Failed(StepFailure.COLLECTION_NOT_APPROVED)
        collections = (operation.collection,)
    filters = Filters(collections=collections, current_only=operation.revision == "current")
    if operation.section is None:
        return reach.search(retriever, query, operation.topk, filters)
    if not state.ranking.hits:
        return Failed(StepFailure.NO_PASSAGE_IN_USE)
    if operation.collection is None:
        # The passages in use may come from a collection that an earlier plan widened to; their sections stay open.
        filters = filters.model_copy(update={"collections": None})
    wider = [filters.model_copy(update=_section(parent)) for parent in parents(state)]
    found = [reach.search(retriever, query, operation.topk, narrowed) for narrowed in wider]
    return Found(_in_turn([one.hits for one in found])[: operation.topk], sum(one.refused for one in found))


def approved(collection: str, state: State) -> bool:
    """Say whether a plan may look into a collection: one that the contract names, or an approved expansion.

    Where the contract names none, that is whatever a first search looks into, and what those collections widen to.
    """
    contract, catalogue, scope = state.contract, state.catalogue, state.scope
    if scope.collections is not None and collection not in scope.collections:
        return False
    if contract.collections:
        return collection in contract.collections or collection in catalogue.expansions(contract.collections)
    first = in_use(state) | {declared.name for declared in catalogue.collections if declared.primary}
    return collection not in catalogue.secondary or collection in first | catalogue.expansions(first)


def in_use(state: State) -> frozenset[str]:
    """Return the collections of the passages in use."""
    return frozenset(hit.source.collection for hit in state.ranking.hits)


Parent = tuple[str, tuple[str, ...]]
"""A document and the heading path of a section in it; the empty path is the whole document."""


def parents(state: State) -> tuple[Parent, ...]:
    """Return the sections above the first passages in use, each once."""
    return tuple(
        dict.fromkeys((hit.passage.document, hit.passage.section[:-1]) for hit in state.ranking.hits[:PARENTS])
    )


def _section(parent: Parent) -> dict[str, tuple[str, ...] | None]:
    document, section = parent
    return {"documents": (document,), "section": section or None}


def _in_turn(found: list[tuple[Hit, ...]]) -> tuple[Hit, ...]:
    """Return the hits of several searches in turn, best of each first."""
    turns = chain.from_iterable(zip_longest(*found))
    return tuple({hit.passage.id: hit for hit in turns if hit is not None}.values())
