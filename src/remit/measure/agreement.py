"""How far raters agree beyond chance: Cohen's kappa, and its mean over pairs of raters, weighted by what they share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple


class Agreement(NamedTuple):
    """`kappa` is None where it is not defined: nothing was rated twice, or everybody always says the same one thing.

    `percent` is the share of pairs of verdicts on one item that are equal, `items` how many items have two or more.
    """

    kappa: float | None
    percent: float | None
    items: int


def cohen_kappa(first: Sequence[Hashable], second: Sequence[Hashable]) -> float | None:
    """Return Cohen's kappa of two raters on the same items; None where chance alone would make them agree always.

    ``(p - e) / (1 - e)``: `p` is the share of items on which they agree, `e` what their own frequencies would give.
    """
    count = len(first)
    if not count or count != len(second):
        return None
    agreed = sum(one == other for one, other in zip(first, second, strict=True)) / count
    mine, others = Counter(first), Counter(second)
    expected = sum(mine[label] * others[label] for label in mine) / count**2
    return None if expected == 1 else (agreed - expected) / (1 - expected)


def agreement(ratings: Mapping[Hashable, Mapping[str, Hashable]]) -> Agreement:
    """Return how far raters agree, from each item's verdicts by rater."""
    rated = [verdicts for verdicts in ratings.values() if len(verdicts) > 1]
    equal = [verdicts[a] == verdicts[b] for verdicts in rated for a, b in combinations(sorted(verdicts), 2)]
    people = sorted({rater for verdicts in rated for rater in verdicts})
    weighted, shared = 0.0, 0
    for a, b in combinations(people, 2):
        both = [(verdicts[a], verdicts[b]) for verdicts in rated if a in verdicts and b in verdicts]
        kappa = cohen_kappa([one for one, _ in both], [other for _, other in both])
        if kappa is not None:
            weighted, shared = weighted + kappa * len(both), shared + len(both)
    percent = sum(equal) / len(equal) if equal else None
    return Agreement(weighted / shared if shared else None, percent, len(rated))
