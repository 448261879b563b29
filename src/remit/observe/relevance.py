"""Is the evidence about the question: a probability per passage."""

from __future__ import annotations

import math
from typing import Final

from remit.answer.draft import Draft
from remit.answer.evidence import Evidence, joint_weight, quoted
from remit.answer.facts import words_of
from remit.contract.contract import Contract
from remit.observe.observation import PassageScore, Relevance
from remit.rerank.ranking import Ranking

METHOD: Final = "sentence-weight/1"
_SLOPE, _MIDDLE = 12.0, 0.45
"""Logistic over the heaviest sentence's weight, set on the tuned questions of the sample corpus (docs/adr/0006)."""


def relevance(contract: Contract, ranking: Ranking, draft: Draft, weighed: tuple[Evidence, ...]) -> Relevance:
    """Return each passage's probability of being about the question, from its heaviest sentence.

    `best` is that of the quotations together where they weigh more than any sentence alone.
    """
    heaviest: dict[str, float] = {}
    for evidence in weighed:
        heaviest.setdefault(evidence.hit.passage.id, evidence.weight)
    scores = tuple(
        PassageScore(passage=hit.passage.id, probability=_probability(heaviest.get(hit.passage.id, 0.0)))
        for hit in ranking.hits
    )
    together = joint_weight(contract, words_of(contract, ranking), quoted(draft, weighed))
    best = max((*(score.probability for score in scores), _probability(together))) if scores else 0.0
    return Relevance(passages=scores, best=best, method=METHOD)


def _probability(weight: float) -> float:
    return round(1.0 / (1.0 + math.exp(-_SLOPE * (weight - _MIDDLE))), 6)
