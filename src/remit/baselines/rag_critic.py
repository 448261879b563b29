"""RAG-Critic (Dong et al., 2025): a critic names the errors of an answer by a taxonomy, a planner acts on the names.

Faithful: answer, critic, planner at temperature 0, plans of five operations, and the plan's answer stands where it ran. Emulated: the published critic is a trained
model with 7 first-level and 19 second-level tags; ours is the common chat model with as many tags in our own words. Its plans go
through our parser and never through `exec`; a plan that fails, or is none, keeps the first answer.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from remit.answer.draft import Draft
from remit.baselines.plans import ran, state_of
from remit.baselines.prompts import load
from remit.baselines.system import Need
from remit.baselines.work import Work
from remit.repair.parse import parse
from remit.repair.plan import Plan
from remit.repair.planner import Executor

PROMPT: Final = "rag_critic.txt"
TAXONOMY: Final[dict[str, tuple[str, ...]]] = {
    "wrong facts": ("contradicts the passages", "made up", "wrong number or date", "wrong entity"),
    "incomplete": ("a part is not answered", "too little detail", "a step of reasoning is missing"),
    "misread question": ("wrong relation", "wrong time", "wrong subject"),
    "off topic": ("answers another question", "repeats the question"),
    "wordy": ("says it twice", "adds what was not asked"),
    "incoherent": ("contradicts itself", "breaks off", "is not understandable"),
    "evidence": ("the passages do not hold it", "the right passage was not used"),
}
"""Seven first-level names of errors and nineteen second-level ones, in our words."""


@dataclass(frozen=True, slots=True)
class RagCritic:
    """Criticises by tags, plans by tags. `executor` has to take a plan's answer whatever it is (`plans.takes_the_new`)."""

    executor: Executor = field(repr=False)
    k: int = 10
    critic_tokens: int = 64
    plan_tokens: int = 200
    paper: str = "Dong et al. (2025), RAG-Critic: Leveraging Automated Critic-Guided Agentic Workflow"

    @property
    def name(self) -> str:
        """Its name."""
        return "rag-critic"

    @property
    def needs(self) -> frozenset[Need]:
        """A model."""
        return frozenset({Need.CHAT})

    def answer(self, work: Work) -> Draft:
        """Return the plan's answer, or the first where no plan ran to its end."""
        found = work.found(self.k)
        draft = work.hold(work.draft(found.hits))
        named = self._criticised(work, draft)
        if not named:
            return draft
        plan = self._planned(work, draft, named)
        if plan is None or work.budget.rounds < 1:
            return draft
        done = ran(work, plan, state_of(work, found, found.hits, draft), self.executor)
        return work.hold(done.draft) if done.accepted else draft

    def _criticised(self, work: Work, draft: Draft) -> tuple[str, ...]:
        """Return the tags that the critic names; none where it finds the answer correct."""
        told = "\n".join(f"{first}: {'; '.join(second)}" for first, second in TAXONOMY.items())
        reply = work.say(
            load(PROMPT),
            "critic",
            max_tokens=self.critic_tokens,
            hits=work.sent,
            question=work.question,
            answer=draft.answer or "none",
            taxonomy=told,
        )
        work.did("criticise")
        return tags(reply.text)

    def _planned(self, work: Work, draft: Draft, named: tuple[str, ...]) -> Plan | None:
        reply = work.say(
            load(PROMPT),
            "plan",
            max_tokens=self.plan_tokens,
            hits=work.sent,
            question=work.question,
            answer=draft.answer or "none",
            errors=", ".join(named),
        )
        work.did("plan")
        plan = parse(reply.text, work.budget)
        return plan if isinstance(plan, Plan) else None


def tags(text: str) -> tuple[str, ...]:
    """Return the tags of the taxonomy that a reply names, in the taxonomy's order."""
    said = text.lower()
    known = (tag for first, second in TAXONOMY.items() for tag in (first, *second))
    return tuple(tag for tag in known if tag in said)
