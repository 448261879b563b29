"""MetaRAG (Zhou et al., 2024): compare the answer with an expert reader's; where they differ, find out why, and act on that.

Faithful: five passages of a reranked candidate list; a second reader answers too, and a similarity of the two answers above 0.3 ends it; else
what the model knows and what the passages hold are judged apart, and the four cases lead to four acts; at most three rounds; a new
answer is taken only where it has at most ten words and is not "unknown". Emulated: the expert is the extractive answerer, the similarity a cosine
of sentence vectors (published: models trained for both), the judgements are questions to the chat model; 45 candidates, not 100.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np

from remit.answer.draft import Draft
from remit.baselines.prompts import load
from remit.baselines.reading import labelled, verdict
from remit.baselines.system import Need
from remit.baselines.work import Work, once
from remit.rerank.ranking import Ranking, Reranker
from remit.retrieve.retriever import Hit

PROMPT: Final = "meta_rag.txt"
STRICTLY: Final = "Answer strictly from the passages, whatever you believe yourself."
CHECKED: Final = (
    "Earlier answer: {answer}. Its reasoning may be wrong: check each step against the passages, then answer."
)


@dataclass(frozen=True, slots=True)
class MetaRag:
    """Monitors, judges and corrects its answer."""

    reranker: Reranker = field(repr=False)
    k: int = 5
    depth: int = 45
    rounds: int = 3
    agree: float = 0.3
    most_words: int = 10
    paper: str = "Zhou et al. (2024), Metacognitive Retrieval-Augmented Large Language Models"

    @property
    def name(self) -> str:
        """Its name with its bounds."""
        return f"metarag rounds={self.rounds} agree={self.agree}"

    @property
    def needs(self) -> frozenset[Need]:
        """A model."""
        return frozenset({Need.CHAT})

    def answer(self, work: Work) -> Draft:
        """Return the last answer that was accepted."""
        hits = work.reranked(self.reranker, self.depth)[: self.k]
        draft = work.hold(work.draft(hits))
        for _ in range(self.rounds):
            if self._agreed(work, draft, hits):
                break
            hits, instruction = self._act(work, draft, hits)
            new = work.draft(hits, instruction=instruction)
            if self.accepts(new):
                draft = work.hold(new)
        return draft

    def accepts(self, draft: Draft) -> bool:
        """Say whether a new answer may replace the old: at most `most_words` words, and not "unknown"."""
        words = (draft.answer or "").split()
        return 0 < len(words) <= self.most_words and "unknown" not in " ".join(words).lower()

    def _agreed(self, work: Work, draft: Draft, hits: tuple[Hit, ...]) -> bool:
        ranking = Ranking(hits=hits, policy="expert", reason="the same passages")
        asked = work.asked
        other = work.means.expert.draft(asked.contract, ranking, asked.scope, work.budget, work.patience)
        work.did("monitor")
        if draft.answer is None or other.answer is None:
            return False
        one, two = work.means.embed.embed([draft.answer, other.answer])
        return float(np.dot(one, two)) > self.agree

    def _act(self, work: Work, draft: Draft, hits: tuple[Hit, ...]) -> tuple[tuple[Hit, ...], str | None]:
        """Return the passages and the instruction to answer again with; a judgement that cannot be read counts as no."""
        inside = self._judged(work, "internal", ()) is True
        outside = self._judged(work, "external", hits) is True
        if outside and not inside:
            return hits, STRICTLY
        if outside:
            return hits, CHECKED.format(answer=draft.answer)
        section = "decompose" if inside else "rewrite"
        reply = work.say(load(PROMPT), section, max_tokens=48, question=work.question, answer=draft.answer or "none")
        work.did(section)
        query = labelled(reply.text, "QUERY") or work.question
        return once((*hits, *work.search(query, self.k))), None

    def _judged(self, work: Work, section: str, hits: tuple[Hit, ...]) -> bool | None:
        reply = work.say(load(PROMPT), section, max_tokens=8, hits=hits, question=work.question)
        work.did("judge")
        return verdict(reply.text)
