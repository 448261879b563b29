"""How near an answer comes to the golden ones: exact match and token F1, by the rules of the SQuAD script."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final

_ARTICLES: Final = re.compile(r"\b(a|an|the)\b")
_PUNCTUATION: Final = str.maketrans("", "", string.punctuation)


def normalised(text: str) -> str:
    """Return a text as SQuAD compares it: small letters, no ASCII punctuation, no articles, single spaces.

    >>> normalised("The  Eiffel-Tower's, a tower!")
    'eiffeltowers tower'
    """
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split())


def exact_match(given: str, golden: str) -> float:
    """Return 1 where two answers are the same once normalised, else 0."""
    return float(normalised(given) == normalised(golden))


def token_f1(given: str, golden: str) -> float:
    """Return the F1 of the tokens that two answers share, in [0, 1]; of two empty ones 1, as SQuAD 2.0 has it.

    >>> token_f1("in the year 1969", "1969")
    0.5
    """
    ours, theirs = normalised(given).split(), normalised(golden).split()
    if not ours or not theirs:
        return float(ours == theirs)
    shared = sum((Counter(ours) & Counter(theirs)).values())
    if not shared:
        return 0.0
    precision, recall = shared / len(ours), shared / len(theirs)
    return 2 * precision * recall / (precision + recall)


def best(measure: Callable[[str, str], float], given: str, golden: Sequence[str]) -> float:
    """Return the largest value of a measure over the golden answers; 0 where there are none."""
    return max((measure(given, one) for one in golden), default=0.0)
