"""Self-Refine (Madaan et al., 2023): answer, let the model criticise its answer, answer again with the history, until it is content.

Faithful: one model in all roles, feedback on (question, passages, answer), the stop when the feedback calls the answer correct, at most
four answers, the whole history in the rewrite. Emulated: feedback and rewrite are asked for in words of ours; the rewrite goes
through the common answer prompt, with the history as its additional instruction.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from remit.answer.draft import Draft
from remit.baselines.prompts import load
from remit.baselines.reading import verdict
from remit.baselines.system import Need
from remit.baselines.work import Work

PROMPT: Final = "self_refine.txt"


@dataclass(frozen=True, slots=True)
class SelfRefine:
    """Refines its answer; retrieval stays as it was."""

    k: int = 10
    attempts: int = 4
    max_tokens: int = 96
    paper: str = "Madaan et al. (2023), Self-Refine: Iterative Refinement with Self-Feedback"

    @property
    def name(self) -> str:
        """Its name with the number of attempts."""
        return f"self-refine attempts={self.attempts}"

    @property
    def needs(self) -> frozenset[Need]:
        """A model."""
        return frozenset({Need.CHAT})

    def answer(self, work: Work) -> Draft:
        """Return the last answer."""
        hits = work.search(work.question, self.k)
        draft = work.hold(work.draft(hits))
        history: list[str] = []
        for _ in range(1, self.attempts):
            said = work.say(
                load(PROMPT),
                max_tokens=self.max_tokens,
                hits=hits,
                question=work.question,
                answer=draft.answer or "none",
            )
            work.did("feedback")
            if verdict(said.text) is True:
                break
            history.append(f"Earlier answer: {draft.answer or 'none'}. Feedback: {' '.join(said.text.split())}")
            draft = work.hold(work.draft(hits, instruction=f"{' '.join(history)} Give a better answer."))
        return draft
