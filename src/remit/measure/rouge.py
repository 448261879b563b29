"""ROUGE-L (Lin, 2004) of two texts: how long their longest common subsequence of words is."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

_NO_WORD: Final = re.compile(r"[^a-z0-9]+")


class RougeL(NamedTuple):
    """Shares of the given text and of the reference that their common subsequence makes up, and their F1."""

    precision: float
    recall: float
    f1: float


def words(text: str) -> list[str]:
    """Return the words that ROUGE counts: runs of ASCII letters and digits, in small letters, not stemmed."""
    return _NO_WORD.sub(" ", text.lower()).split()


def rouge_l(given: str, reference: str) -> RougeL:
    """Return ROUGE-L of a text against a reference; 0 where either has no word.

    >>> round(rouge_l("police killed the gunman", "police kill the gunman").f1, 2)
    0.75
    """
    ours, theirs = words(given), words(reference)
    if not ours or not theirs:
        return RougeL(0.0, 0.0, 0.0)
    common = _common(ours, theirs)
    precision, recall = common / len(ours), common / len(theirs)
    total = precision + recall
    return RougeL(precision, recall, 2 * precision * recall / total if total else 0.0)


def _common(ours: list[str], theirs: list[str]) -> int:
    """Return the length of the longest common subsequence."""
    row = [0] * (len(theirs) + 1)
    for word in ours:
        corner = 0
        for place, other in enumerate(theirs, start=1):
            corner, row[place] = row[place], corner + 1 if word == other else max(row[place], row[place - 1])
    return row[-1]
