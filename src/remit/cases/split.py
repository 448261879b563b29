"""Parts that share no group, whatever the seed; and a check that nothing leaks from one into another all the same."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple, Protocol

from remit.cases.nearness import Near, near_pairs
from remit.errors import InvalidInput

THRESHOLD: Final = 0.8
"""Share of common shingles from which two questions are near-duplicates."""


class Grouped(Protocol):
    """What can be split: it has an id, a question, and the groups it belongs to."""

    @property
    def id(self) -> str:
        """Its id."""

    @property
    def question(self) -> str:
        """What is asked."""

    @property
    def groups(self) -> tuple[str, ...]:
        """What it hangs together with."""


class Leak(NamedTuple):
    """A question of one part that another part gives away: by a shared group, or by a near-duplicate of it."""

    one: str
    other: str
    parts: tuple[str, str]
    why: str
    nearness: float


def families(items: Sequence[Grouped], *, threshold: float | None = THRESHOLD) -> dict[str, str]:
    """Return for each id the name of its family: all that is joined by groups, or by nearness of the questions.

    A family is the least id in it. `threshold` None joins by groups only.
    """
    parent = {item.id: item.id for item in items}

    def root(id: str) -> str:
        while parent[id] != id:
            parent[id] = parent[parent[id]]
            id = parent[id]
        return id

    def join(one: str, other: str) -> None:
        low, high = sorted((root(one), root(other)))
        parent[high] = low

    first: dict[str, str] = {}
    for item in items:
        for group in item.groups:
            join(first.setdefault(group, item.id), item.id)
    if threshold is not None:
        for near in near_pairs({item.id: item.question for item in items}, threshold=threshold):
            join(near.one, near.other)
    return {item.id: root(item.id) for item in items}


def split(
    items: Sequence[Grouped], shares: Mapping[str, float], *, seed: int, threshold: float | None = THRESHOLD
) -> dict[str, tuple[str, ...]]:
    """Return the ids of each part, as near to the shares as whole families allow.

    The same items and seed give the same parts, whatever the order of the items. Large families are placed first, each into
    the part that lacks most of its share.

    Raises:
        InvalidInput: the shares are not positive or do not sum to 1, or two items have one id.
    """
    if not shares or min(shares.values()) <= 0 or abs(sum(shares.values()) - 1) > 1e-9:  # noqa: PLR2004 -- rounding
        raise InvalidInput(f"shares must be positive and sum to 1, not {dict(shares)}")
    if len({item.id for item in items}) != len(items):
        raise InvalidInput("two items have one id: give each its own before they are split")
    held: dict[str, list[str]] = {}
    for id, family in families(items, threshold=threshold).items():
        held.setdefault(family, []).append(id)
    placed: dict[str, set[str]] = {name: set() for name in shares}
    for _, ids in sorted(held.items(), key=lambda pair: (-len(pair[1]), _drawn(pair[0], seed))):
        name = max(shares, key=lambda part: (shares[part] * len(items) - len(placed[part]), part))
        placed[name].update(ids)
    return {name: tuple(item.id for item in items if item.id in ids) for name, ids in placed.items()}


def folds(items: Sequence[Grouped], count: int, *, seed: int) -> tuple[tuple[str, ...], ...]:
    """Return the ids of `count` folds for cross-fitting, no family in two of them.

    Raises:
        InvalidInput: as `split`.
    """
    named = split(items, {f"{at:03}": 1 / count for at in range(count)}, seed=seed)
    return tuple(named[name] for name in sorted(named))


def leaks(parts: Mapping[str, Iterable[Grouped]], *, threshold: float = THRESHOLD) -> tuple[Leak, ...]:
    """Return what stands in two parts: the same id, a shared group, or questions that are near-duplicates."""
    found: list[Leak] = []
    items = [(name, item) for name, held in parts.items() for item in held]
    homes: dict[str, tuple[str, str]] = {}
    for name, item in items:
        for key in (f"id {item.id}", *(f"group {group}" for group in item.groups)):
            home, id = homes.setdefault(key, (name, item.id))
            if home != name:
                found.append(Leak(id, item.id, (home, name), f"the same {key}", 1.0))
    keyed = {f"{name}\n{item.id}": (name, item) for name, item in items}
    for near in near_pairs({key: item.question for key, (_, item) in keyed.items()}, threshold=threshold):
        (home, one), (name, other) = keyed[near.one], keyed[near.other]
        if home != name:
            found.append(Leak(one.id, other.id, (home, name), "near-duplicate questions", near.likeness))
    return tuple(found)


def _drawn(family: str, seed: int) -> str:
    return hashlib.sha256(f"{seed} {family}".encode()).hexdigest()


__all__ = ["THRESHOLD", "Grouped", "Leak", "Near", "families", "folds", "leaks", "split"]
