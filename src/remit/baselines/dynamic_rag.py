"""DynamicRAG: the reranker decides which passages reach the generator, in which order, and how many; then one answer.

Faithful: up to 45 candidates, one pass of the reranker, k between 0 and 15 by question. Which reranker it is (`encoder` or `listwise`; cloned, or trained by reinforcement)
is configured, and so is its sampling temperature: the paper's 0.2 is another row beside our 0. Different on purpose: where nothing is
chosen there is no answer; the published prompt then answers from the model's own knowledge.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from remit.answer.draft import Draft
from remit.baselines.system import Need
from remit.baselines.work import Work
from remit.rerank.ranking import Reranker


@dataclass(frozen=True, slots=True)
class DynamicRag:
    """Answers once from what a dynamic reranker chose."""

    reranker: Reranker = field(repr=False)
    label: str = "dynamicrag"
    depth: int = 45
    chat: bool = False
    paper: str = "DynamicRAG (arXiv 2505.07233)"

    @property
    def name(self) -> str:
        """Its label and its reranker's version."""
        return f"{self.label} ({self.reranker.name.split()[0]})"

    @property
    def needs(self) -> frozenset[Need]:
        """A model where the reranker is one."""
        return frozenset({Need.CHAT}) if self.chat else frozenset()

    def answer(self, work: Work) -> Draft:
        """Return the draft from the passages chosen; none chosen: no answer."""
        return work.draft(work.reranked(self.reranker, self.depth))
