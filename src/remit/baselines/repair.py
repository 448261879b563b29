"""RePAIR: from the flawed response straight to a plan, with no taxonomy between; the governance of Remit is off.

Faithful: a first answer, a binary estimate of it, a plan of five operations from (question, passages, answer, estimate) for every question, and the first answer
kept where no plan is estimated better. Emulated: which planner writes plans is configured (`prompted` is the paper's prompt in our words, `encoder`
and `lm` are trained: offline, online or both is a matter of their weights). The estimate is the line's own: without a judge it is a calibrated head, a
departure that docs/papers.md reports. The plan is parsed and never executed as code.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from remit.answer.draft import Draft
from remit.baselines.plans import ran, state_of
from remit.baselines.system import Need
from remit.baselines.work import Work
from remit.contract.budget import Cost
from remit.repair.planner import Executor, Planner

ROUNDS: Final = 1


@dataclass(frozen=True, slots=True)
class Repair:
    """Plans once for every question; more rounds are an ablation."""

    planner: Planner = field(repr=False)
    executor: Executor = field(repr=False)
    label: str = "repair"
    k: int = 10
    rounds: int = ROUNDS
    chat: bool = False
    paper: str = "RePAIR (arXiv 2605.18772)"

    @property
    def name(self) -> str:
        """Its label and its planner's version."""
        return f"{self.label} ({self.planner.name.split()[0]})"

    @property
    def needs(self) -> frozenset[Need]:
        """A model where the planner is one."""
        return frozenset({Need.CHAT}) if self.chat else frozenset()

    def answer(self, work: Work) -> Draft:
        """Return the plan's answer where it is estimated better, else the first."""
        found = work.found(self.k)
        draft = work.hold(work.draft(found.hits))
        state, tried = state_of(work, found, found.hits, draft), frozenset[str]()
        for _ in range(min(self.rounds, work.budget.rounds)):
            proposal, plan = self.planner.propose(state, work.budget, tried, work.patience)
            work.budget = work.budget.spend(proposal.cost)
            work.did("plan")
            if plan is None or proposal.repeated:
                break
            tried |= {str(proposal.fingerprint)}
            done = ran(work, plan, state, self.executor)
            work.budget = work.budget.spend(Cost(rounds=1))
            if not done.accepted:
                break
            draft = work.hold(done.draft)
            state = state_of(work, found, done.ranking.hits, draft)
        return draft
