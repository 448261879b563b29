"""Is the evidence about the question: a calibrated probability per passage, and how far the best of it speaks of what is asked."""

from __future__ import annotations

import math
from typing import Final

from remit.answer.draft import Draft
from remit.answer.evidence import Evidence, joint_weight, quoted
from remit.answer.facts import words_of
from remit.contract.contract import Contract
from remit.observe.observation import PassageScore, Relevance
from remit.rerank.ranking import Ranking

METHOD: Final = "sentence-weight/2"
FITTED: Final = (-7.212, 5.633, 6.711)
"""Logistic regression on `signals`, intercept first, of the passages that questions were answered from: bench/relevance.py."""
CALIBRATION: Final = "nq, hotpotqa, 2wiki: train"
_SLOPE, _MIDDLE = 12.0, 0.45
"""Logistic over the heaviest sentence's weight, set on the tuned questions of the sample corpus (docs/adr/0006)."""


def relevance(
    contract: Contract,
    ranking: Ranking,
    draft: Draft,
    weighed: tuple[Evidence, ...],
    *,
    beside: Ranking | None = None,
) -> Relevance:
    """Return each passage's probability of being one to answer from, and how far the best evidence is about the question.

    `best` comes from the heaviest sentence, or from the quotations together where they weigh more than any sentence alone.
    Words count by how rare they are in `beside`, the passages that `weighed` was weighed among; the ranking unless given.
    """
    heaviest: dict[str, float] = {}
    for evidence in weighed:
        heaviest.setdefault(evidence.hit.passage.id, evidence.weight)
    scores = tuple(
        PassageScore(
            passage=hit.passage.id,
            probability=_logistic(FITTED[0] + FITTED[1] * cosine + FITTED[2] * place),
            about=_about(heaviest.get(hit.passage.id, 0.0)),
        )
        for hit, (cosine, place) in zip(ranking.hits, signals(ranking, weighed), strict=True)
    )
    together = joint_weight(contract, words_of(contract, beside or ranking), quoted(draft, weighed))
    best = max((*(score.about or 0.0 for score in scores), _about(together))) if scores else 0.0
    return Relevance(passages=scores, best=best, calibration=CALIBRATION, method=METHOD)


def signals(ranking: Ranking, weighed: tuple[Evidence, ...]) -> tuple[tuple[float, float], ...]:
    """Return for each ranked passage the cosine of its closest sentence to the question, and one over its place."""
    closest: dict[str, float] = {}
    for evidence in weighed:
        id = evidence.hit.passage.id
        closest[id] = max(evidence.cosine, closest.get(id, 0.0))
    return tuple((closest.get(hit.passage.id, 0.0), 1.0 / place) for place, hit in enumerate(ranking.hits, start=1))


def _about(weight: float) -> float:
    return _logistic(_SLOPE * (weight - _MIDDLE))


def _logistic(score: float) -> float:
    return round(1.0 / (1.0 + math.exp(-score)), 6)
