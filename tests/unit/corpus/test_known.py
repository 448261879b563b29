"""What an asker may know of before anything is asked."""

from __future__ import annotations

from remit.access.scope import Scope
from remit.contract.catalogue import Catalogue, Collection
from remit.corpus.known import known
from remit.corpus.store import Named

NOBODY = Scope(principal="x", labels=frozenset(), policy="t")
WHOLE = Catalogue(
    collections=(
        Collection(name="open", discoverable=True),
        Collection(name="mine"),
        Collection(name="board", aliases=("the executive papers",)),
    )
)


class Store:
    """A store in which the asker reads the collection "mine", and TQ-1 of it."""

    def __init__(self, *documents: Named) -> None:
        """Hold these documents."""
        self._documents = documents

    def catalogue(self) -> Catalogue:
        """Give the three collections."""
        return WHOLE

    def opens(self, collection: str, scope: Scope) -> bool:
        """Open one collection."""
        return collection == "mine" and scope is NOBODY

    def named(self, name: str, scope: Scope) -> tuple[Named, ...]:
        """Find by name in any case."""
        return tuple(one for one in self._documents if one.document.casefold() == name.casefold() and scope is NOBODY)


def told(*documents: Named, code: str = "TQ-1") -> str | None:
    """Return the document that a code names for the asker."""
    return known(Store(*documents), NOBODY).document(code)  # type: ignore[arg-type]


def test_a_collection_is_known_where_it_is_discoverable_or_readable() -> None:
    """A collection that is neither discoverable nor readable is not there, aliases included."""
    catalogue = known(Store(), NOBODY).catalogue  # type: ignore[arg-type]
    assert [collection.name for collection in catalogue.collections] == ["open", "mine"]


def test_a_hidden_document_is_not_there() -> None:
    """A document that may not be read and lies in no discoverable collection is named by no code."""
    assert told(Named("TQ-1", "board", readable=False)) is None


def test_a_discoverable_document_is_named_though_it_may_not_be_read() -> None:
    """Where the owner lets people know of a collection, its documents can be named and denied."""
    assert told(Named("TQ-1", "open", readable=False)) == "TQ-1"


def test_a_readable_document_goes_before_a_hidden_one_of_another_case() -> None:
    """Of ids that differ in case alone the readable one is meant, and among readable ones the one that was typed."""
    hidden, readable = Named("tq-1", "open", readable=False), Named("TQ-1", "mine", readable=True)
    assert told(hidden, readable, code="tq-1") == "TQ-1"
    both = (readable, Named("tq-1", "mine", readable=True))
    assert [told(*both, code=code) for code in ("TQ-1", "tq-1", "Tq-1")] == ["TQ-1", "tq-1", "TQ-1"]
