"""Iter-RetGen (Shao et al., 2023): the last answer joins the question as the next query, three times.

Faithful: question and answer as one query, a fixed number of iterations, each answer from the newest passages alone. What differs:
published iterations generate reasoning with the answer; here an answer is as short as the common answer prompt has it, and its quotation joins the query.
"""

from __future__ import annotations

from dataclasses import dataclass

from remit.answer.draft import Draft
from remit.baselines.system import Need
from remit.baselines.work import Work


@dataclass(frozen=True, slots=True)
class IterRetGen:
    """Retrieves with what it generated."""

    k: int = 5
    iterations: int = 3
    paper: str = "Shao et al. (2023), Enhancing Retrieval-Augmented LLMs with Iterative Retrieval-Generation Synergy"

    @property
    def name(self) -> str:
        """Its name with its iterations."""
        return f"iter-retgen iterations={self.iterations} k={self.k}"

    @property
    def needs(self) -> frozenset[Need]:
        """Nothing beyond the common parts."""
        return frozenset()

    def answer(self, work: Work) -> Draft:
        """Return the draft of the last iteration."""
        query, draft = work.question, Draft(answer=None, method=self.name, why="no iteration was made")
        for _ in range(self.iterations):
            draft = work.hold(work.draft(work.search(query, self.k)))
            said = " ".join(claim.text for claim in draft.claims) or draft.answer or ""
            query = f"{work.question} {said}".strip()
        return draft
