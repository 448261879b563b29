"""The collections of a store, as their owner declares them: titles, who may know of them, and where a search may widen."""

from __future__ import annotations

from collections.abc import Iterable

from remit.contract.value import Value


class Collection(Value):
    """One collection.

    `discoverable`: askers who may not read it may still learn that it exists. `primary`: searched at first, where the
    question names no collection. `expands_to`: collections a corrective search may widen to.
    """

    name: str
    title: str = ""
    aliases: tuple[str, ...] = ()
    discoverable: bool = False
    primary: bool = True
    expands_to: tuple[str, ...] = ()


class Catalogue(Value):
    """All declared collections. One that is not declared is primary, expands to nothing and is not discoverable."""

    collections: tuple[Collection, ...] = ()

    def find(self, name: str) -> Collection:
        """Return the collection of that name, with the cautious defaults where it was not declared."""
        return next((c for c in self.collections if c.name == name), Collection(name=name))

    def expansions(self, names: Iterable[str]) -> frozenset[str]:
        """Return the approved collections beyond `names`."""
        start = frozenset(names)
        return frozenset(wider for name in start for wider in self.find(name).expands_to) - start

    @property
    def secondary(self) -> frozenset[str]:
        """Return the collections that a first search leaves out."""
        return frozenset(c.name for c in self.collections if not c.primary)
