"""Does every passage in use lie inside the scope, asked again and apart from the search that found it."""

from __future__ import annotations

from typing import Final

from remit.access.scope import Scope
from remit.observe.observation import Authorization
from remit.rerank.ranking import Ranking, inside, outside
from remit.retrieve.retriever import Candidates

METHOD: Final = "scope/1"


def authorization(scope: Scope, found: Candidates, ranking: Ranking) -> Authorization:
    """Return how many rows the scope opens, and of each ranked passage whether it lies inside."""
    readable = 0 if scope.empty else found.readable
    within = tuple(hit.passage.id for hit in inside(ranking, scope).hits)
    return Authorization(readable=readable, outside=outside(ranking, scope), inside=within, method=METHOD)
