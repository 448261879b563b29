"""What of a store an asker may know of, before anything is asked: its collections and the documents a code may name.

A collection that is neither discoverable nor readable for the asker, and every document in it, is not there for them: a
question that names one is framed, searched and answered exactly as if it named nothing. What cannot be told apart inside
the line cannot be told apart by what leaves it (docs/adr/0004).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from remit.access.scope import Scope
from remit.contract.catalogue import Catalogue
from remit.corpus.store import Corpus


class Known(NamedTuple):
    """The collections an asker may know of, and the id of the document that a code names, or None.

    `collection` says whether there is one of a name that they may know of: a hidden one and none are the same no.
    """

    catalogue: Catalogue
    document: Callable[[str], str | None]
    collection: Callable[[str], bool]


def known(corpus: Corpus, scope: Scope) -> Known:
    """Return what the holder of `scope`, which is all that they may read, may know of."""
    whole = corpus.catalogue()
    collections = tuple(c for c in whole.collections if c.discoverable or corpus.opens(c.name, scope))

    def document(code: str) -> str | None:
        found = corpus.named(code, scope)
        readable = [one for one in found if one.readable]
        told = readable or [one for one in found if whole.find(one.collection).discoverable]
        exact = [one.document for one in told if one.document == code]
        return next(iter(exact or [one.document for one in told]), None)

    def collection(name: str) -> bool:
        return any(c.name == name for c in collections) or corpus.opens(name, scope)

    return Known(Catalogue(collections=collections), document, collection)
