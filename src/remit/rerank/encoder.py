"""The default policy: a small head over stored vectors and words, which chooses passages one by one until it stops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isfinite
from typing import Final

import numpy as np

from remit.access.scope import Scope
from remit.contract.budget import Budget
from remit.contract.contract import Contract
from remit.corpus.document import Passage
from remit.errors import NothingThere
from remit.llm.cancel import Patience
from remit.llm.embed import Embed, Vectors
from remit.rerank.company import in_company
from remit.rerank.head import Head
from remit.rerank.plackett_luce import greedy, sample
from remit.rerank.ranking import Ranking
from remit.rerank.seen import Seen, look
from remit.retrieve.retriever import Candidates, Hit

SentenceVectors = Callable[[Sequence[Passage], Scope], Sequence[Vectors]]
"""What gives for passages in a scope one array each, a unit vector a sentence."""

MOST_CANDIDATES: Final = 45
MOST: Final = 15


class EncoderReranker:
    """Chooses greedily, so that a question can be replayed; above temperature 0 it draws, the same for the same question.

    No model is called: the question's vector is the one the search made, those of sentences are stored.
    """

    def __init__(
        self,
        embed: Embed,
        vectors: SentenceVectors,
        *,
        head: Head | None = None,
        temperature: float = 0.0,
        seed: int = 0,
        learned: frozenset[str] = frozenset(),
    ) -> None:
        """Take the encoder, what gives stored vectors, weights other than the ones shipped, and what they learned from.

        Raises:
            InvalidInput: the weights are of another version.
        """
        self._embed, self._vectors = embed, vectors
        self._head = head or Head.read()
        self.learned = learned
        self._temperature, self._seed = temperature, seed
        self._digest = self._head.digest
        drawn = f" T={temperature} seed={seed}" if temperature > 0 else ""
        self.name = f"encoder/1 {self._digest[7:19]}{drawn}"

    def rank(
        self, contract: Contract, candidates: Candidates, scope: Scope, budget: Budget, patience: Patience
    ) -> Ranking:
        """Return the passages chosen from the first 45; none where nothing was found, or nothing helps."""
        patience.check()
        seen, hits = self.see(contract, candidates, scope)
        if not hits:
            return self._ranking((), "nothing was found", None)
        if self._temperature > 0:
            words = [self._seed, *contract.claim.encode("utf-8", "surrogatepass")]
            chosen = sample(self._head, seen, np.random.default_rng(words), temperature=self._temperature)
        else:
            chosen = greedy(self._head, seen)
        kept = tuple(hits[seen.ids[row]] for row in chosen.rows)
        why = (
            f"{len(kept)} of {seen.size}: then stopping was likelier than going on"
            if kept
            else "nothing seemed to help"
        )
        if len(kept) == min(self._head.most, seen.size):
            why = f"{len(kept)} of {seen.size}, as many as may be sent"
        sent = in_company(kept, tuple(hits.values()), most=MOST)
        if len(sent) > len(kept):
            why += f"; with {len(sent) - len(kept)} that must not be missing beside them"
        return self._ranking(sent, why, chosen.log_probability)

    def see(self, contract: Contract, candidates: Candidates, scope: Scope) -> tuple[Seen, dict[str, Hit]]:
        """Return what the policy sees of the first candidates, and the candidates by passage id.

        A passage that was deleted since the search is left out.
        """
        best = sorted(map(_finite, candidates.hits), key=lambda hit: (-hit.score, hit.passage.id))
        hits = {hit.passage.id: hit for hit in reversed(best)}
        first = [hits[id] for id in dict.fromkeys(hit.passage.id for hit in best)][:MOST_CANDIDATES]
        found = self._stored(first, scope)
        question = self._embed.embed([contract.claim]) if first else np.zeros((1, self._embed.dimension), np.float32)
        kept = [hit for hit, rows in zip(first, found, strict=True) if rows is not None]
        seen = look(contract, kept, question, [rows for rows in found if rows is not None])
        given = {hit.passage.id: hit for hit in reversed(candidates.hits)}
        return seen, {hit.passage.id: given[hit.passage.id] for hit in kept}

    def _stored(self, hits: list[Hit], scope: Scope) -> list[Vectors | None]:
        try:
            return list(self._vectors([hit.passage for hit in hits], scope)) if hits else []
        except NothingThere:  # a delete came between search and vectors: what is left is ranked
            return [self._one(hit, scope) for hit in hits]

    def _one(self, hit: Hit, scope: Scope) -> Vectors | None:
        try:
            return self._vectors([hit.passage], scope)[0]
        except NothingThere:
            return None

    def _ranking(self, hits: tuple[Hit, ...], reason: str, log_probability: float | None) -> Ranking:
        return Ranking(hits=hits, policy=self.name, reason=reason, log_probability=log_probability, digest=self._digest)


def _finite(hit: Hit) -> Hit:
    """Return a hit whose scores can be reckoned with: what is no number counts as found by nobody."""
    scores = {"score": hit.score, "lexical": hit.lexical, "dense": hit.dense}
    odd = [name for name, value in scores.items() if value is not None and not isfinite(value)]
    return hit.model_copy(update={name: 0.0 if name == "score" else None for name in odd}) if odd else hit
