"""The scope: the only key that opens the corpus."""

from __future__ import annotations

from remit.access.principal import PUBLIC, Principal
from remit.contract.value import Value, digest_of


class Scope(Value):
    """What one principal may see for one contract, as a rule that stores apply to every row before they score it.

    A row is inside when it carries one of `labels` and, where `collections` or `documents` is not None, lies in them.
    `labels` never holds a blank or a wildcard, so an empty scope finds nothing. Made by `policy.authorize` alone.
    """

    principal: str
    labels: frozenset[str]
    collections: frozenset[str] | None = None
    documents: frozenset[str] | None = None
    policy: str

    @property
    def digest(self) -> str:
        """Return the digest by which caches are keyed; equal scopes of one principal have equal digests."""
        narrowed = [None if part is None else sorted(part) for part in (self.collections, self.documents)]
        return digest_of([self.principal, sorted(self.labels), *narrowed, self.policy])

    @property
    def empty(self) -> bool:
        """Say whether nothing can lie inside, whatever the corpus holds."""
        return not self.labels or self.collections == frozenset() or self.documents == frozenset()

    def admits(self, labels: frozenset[str], collection: str, document: str) -> bool:
        """Say whether a row with these labels lies inside."""
        return (
            bool(self.labels & labels)
            and (self.collections is None or collection in self.collections)
            and (self.documents is None or document in self.documents)
        )

    def widened(self) -> Scope:
        """Return everything the same principal may read, without the contract's narrowing to collections."""
        return self.model_copy(update={"collections": None, "documents": None})


def labels_of(principal: Principal) -> frozenset[str]:
    """Return the labels a principal holds by built-in rules: its groups, and `public`."""
    return frozenset(g for g in principal.groups if g and g != "*") | {PUBLIC}


class Filters(Value):
    """Narrowing that a caller or a model may ask for. It can only take rows away; unknown fields are refused."""

    collections: tuple[str, ...] | None = None
    documents: tuple[str, ...] | None = None
    section: tuple[str, ...] | None = None
    current_only: bool = False
