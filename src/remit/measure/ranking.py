"""How good a ranking is against gold ids: nDCG and recall; and apart from those, whether an answer's words were found at all.

"Recall" by answer string, as many papers report it, is `hit_by_answer` here: it is 1 wherever the words stand, in a gold
passage or not, and is never called recall.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from math import fsum, log2

from remit.measure.text import normalised


def ndcg(ranked: Sequence[str], gold: AbstractSet[str], k: int = 10) -> float | None:
    """Return nDCG@k (Jarvelin and Kekalainen, 2002) of distinct ids with gain 1 for gold; None where there is no gold."""
    if not gold:
        return None
    gained = fsum(1 / log2(place + 2) for place, id in enumerate(_distinct(ranked)[:k]) if id in gold)
    most = fsum(1 / log2(place + 2) for place in range(min(len(gold), k)))
    return gained / most if most else 0.0


def recall(ranked: Sequence[str], gold: AbstractSet[str], k: int) -> float | None:
    """Return the share of the gold ids among the first k distinct ones; None where there is no gold."""
    return len(gold & set(_distinct(ranked)[:k])) / len(gold) if gold else None


def hit_by_answer(texts: Sequence[str], golden: Sequence[str], k: int) -> float:
    """Return 1 where one of the first k texts contains a golden answer, both normalised as SQuAD has it, else 0."""
    wanted = [f" {words} " for words in map(normalised, golden) if words]
    return float(any(one in f" {normalised(text)} " for text in texts[:k] for one in wanted))


def _distinct(ranked: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(ranked))
