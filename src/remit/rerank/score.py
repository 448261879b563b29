"""Pointwise policies: each candidate is scored by itself, the ones above a threshold are sent, best first."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol

import numpy as np

from remit.access.scope import Scope
from remit.contract.budget import Budget
from remit.contract.contract import Contract
from remit.errors import ProviderFailed
from remit.llm.cancel import Patience
from remit.llm.encode import Encode, Pair
from remit.measure.bertscore import ReadsTokens, States
from remit.rerank.ranking import Ranking, Reranker
from remit.retrieve.retriever import Candidates, Hit

MOST_CANDIDATES = 45


class Scorer(Protocol):
    """What scores passages for a question. `name` says which method and weights; the scale is its own."""

    name: str

    def score(self, question: str, hits: Sequence[Hit], patience: Patience) -> Sequence[float]:
        """Return one score a hit, higher for a better one, each from question and passage alone."""


class CrossEncoder:
    """A model that reads question and passage together."""

    def __init__(self, encode: Encode) -> None:
        """Take the model, such as ``remit.adapters.transformers.TransformersEncode``."""
        self.name = f"cross-encoder {encode.name}"
        self._encode = encode

    def score(self, question: str, hits: Sequence[Hit], patience: Patience) -> Sequence[float]:
        """Return the model's scores; patience is looked at before each pair."""
        found: list[float] = []
        for hit in hits:
            patience.check()
            found += self._encode.encode([Pair(question, shown(hit))]).tolist()
        return found


class MaxSim:
    """Late interaction (Khattab and Zaharia, 2020): each token of the question takes its nearest token of the passage."""

    def __init__(self, encoder: ReadsTokens) -> None:
        """Take an encoder that gives the states of tokens, such as the packaged one."""
        self.name = f"maxsim {encoder.name}"
        self._encoder = encoder

    def score(self, question: str, hits: Sequence[Hit], patience: Patience) -> Sequence[float]:
        """Return the mean over the question's tokens of their largest cosine; patience is looked at before each passage."""
        asked = self._states(question)
        found = []
        for hit in hits:
            patience.check()
            said = self._states(shown(hit))
            found.append(float((asked @ said.T).max(axis=1).mean()) if len(asked) and len(said) else 0.0)
        return found

    def _states(self, text: str) -> States:
        states = np.asarray(self._encoder.read_pair(text, "").states, dtype=np.float32)
        lengths = np.linalg.norm(states, axis=1, keepdims=True) if len(states) else np.ones((0, 1), dtype=np.float32)
        return np.asarray(states / np.where(lengths > 0, lengths, 1.0), dtype=np.float32)


class Score:
    """Sends the passages that score at least `threshold`, at most `most` of them; equal ones by passage id.

    Scores that tell nothing, because all are equal or one is no number, are a warning, and `fallback` ranks.
    """

    def __init__(self, scorer: Scorer, fallback: Reranker, *, threshold: float = -math.inf, most: int = 15) -> None:
        self._scorer, self._fallback, self._threshold = scorer, fallback, threshold
        self._most = max(0, min(most, 15))
        self.name = f"score/1 {scorer.name} threshold={threshold} most={self._most}"

    def rank(
        self, contract: Contract, candidates: Candidates, scope: Scope, budget: Budget, patience: Patience
    ) -> Ranking:
        """Return the passages above the threshold among the first 45.

        Raises:
            Cancelled: the asker went away, or the time is up.
        """
        patience.check()
        hits = tuple({hit.passage.id: hit for hit in candidates.hits}.values())[:MOST_CANDIDATES]
        try:
            scores = list(self._scorer.score(contract.claim, hits, patience)) if hits else []
        except ProviderFailed as error:
            return self._instead(contract, candidates, scope, budget, patience).model_copy(
                update={"policy": self.name, "warnings": (str(error),)}
            )
        if told := _untold(scores):
            return self._instead(contract, candidates, scope, budget, patience).model_copy(
                update={"policy": self.name, "warnings": (told,)}
            )
        order = sorted(zip(scores, hits, strict=True), key=lambda one: (-one[0], one[1].passage.id))
        kept = tuple(hit for score, hit in order if score >= self._threshold)
        reason = f"{len(kept)} of {len(hits)} score at least {self._threshold}"
        return Ranking(hits=kept[: self._most], policy=self.name, reason=reason)

    def _instead(
        self, contract: Contract, candidates: Candidates, scope: Scope, budget: Budget, patience: Patience
    ) -> Ranking:
        ranking = self._fallback.rank(contract, candidates, scope, budget, patience)
        return ranking.model_copy(update={"reason": f"without scores: {ranking.reason}"})


def shown(hit: Hit) -> str:
    """Return what of a hit a scorer reads: its title and its text, as the encoder read them."""
    return f"{hit.source.title}\n{hit.passage.text}"


def _untold(scores: Sequence[float]) -> str:
    """Return why scores tell nothing, or nothing where they do."""
    if not all(map(math.isfinite, scores)):
        return "a score is no number"
    if len(scores) > 1 and len(set(scores)) == 1:
        return "all scores are equal"
    return ""
