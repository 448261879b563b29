"""Which approved collections a corrective search may widen to, a few at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from remit.repair.find import in_use
from remit.repair.planner import State

_MOST: Final = 4
_TOPK: Final = {1: 10, 2: 6, 3: 4, 4: 3}
"""So many from each, that what is new and the best of what is in use fit into one ranking of 15."""


class Widening(NamedTuple):
    """Collections to search next, how many passages to take from each, and what they are called."""

    collections: tuple[str, ...]
    topk: int
    titles: str


def widenings(state: State) -> Iterator[Widening]:
    """Yield the approved collections beyond those searched so far, at most four at a time, in their declared order."""
    names = _beyond(state)
    for start in range(0, len(names), _MOST):
        some = names[start : start + _MOST]
        yield Widening(some, _TOPK[len(some)], _titles(state, some))


def _beyond(state: State) -> tuple[str, ...]:
    """Return the approved expansions of what the contract names; where it names none, the secondary ones in reach."""
    named = state.contract.collections
    declared = state.catalogue.collections
    start = named or tuple(sorted(in_use(state))) or tuple(c.name for c in declared if c.primary)
    reached = dict.fromkeys(wider for name in start for wider in state.catalogue.find(name).expands_to)
    closed = set(start) if named else {name for name in reached if name not in state.catalogue.secondary}
    allowed = state.scope.collections
    return tuple(name for name in reached if name not in closed and (allowed is None or name in allowed))


def _titles(state: State, names: tuple[str, ...]) -> str:
    """Return the titles of the collections; one that the asker may not know of is not named."""
    found = [state.catalogue.find(name) for name in names]
    titles = [(c.title or c.name) if c.discoverable else "other approved sources" for c in found]
    return ", ".join(dict.fromkeys(titles))
