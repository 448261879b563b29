"""A trained policy in a governed corpus: what RePAIR's state does not hold is seen to first, by the protocol's own actions."""

from __future__ import annotations

from remit.contract.budget import Budget
from remit.decide.point import OperatingPoint
from remit.llm.cancel import Patience
from remit.repair.planner import Planned, Planner, State
from remit.repair.template import GOVERNED, TemplatePlanner


class GovernedPlanner:
    """Offers the protocol's actions on revisions, sections and collections where they apply, then what the policy plans.

    The policy sees question, passages, response and the estimate (RePAIR, 3.1): not that a revision does not hold, nor which
    approved collections were not looked into.
    """

    def __init__(self, policy: Planner, point: OperatingPoint | None = None) -> None:
        """Take the policy, and the operating point below whose thresholds a reading counts as lacking."""
        self.name = f"governed {policy.name}"
        self._policy, self._protocol = policy, TemplatePlanner(point, GOVERNED)

    def propose(self, state: State, budget: Budget, tried: frozenset[str], patience: Patience) -> Planned:
        """Return the first action of the protocol that has not run, else the policy's plan."""
        planned = self._protocol.propose(state, budget, tried, patience)
        if planned.plan is None or planned.proposal.repeated:
            planned = self._policy.propose(state, budget, tried, patience)
        return planned._replace(proposal=planned.proposal.model_copy(update={"policy": self.name}))
