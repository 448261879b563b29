"""A trained policy in a governed corpus: what RePAIR's state does not hold is seen to first, by the protocol's own actions."""

from __future__ import annotations

from remit.contract.budget import Budget, Cost
from remit.decide.point import OperatingPoint
from remit.decide.proposal import Proposal
from remit.llm.cancel import Patience
from remit.repair.planner import Planned, Planner, State
from remit.repair.template import GOVERNED, TemplatePlanner


class GovernedPlanner:
    """Offers the protocol's actions on revisions, sections and collections where they apply, then what the policy plans.

    The policy sees question, passages, response and the estimate (RePAIR, 3.1): not that a revision does not hold, nor which
    approved collections were not looked into, nor which reading fell short. So a policy that would leave a draft alone may be
    asked about one that the controller will not release: with `rest`, its plans follow then.
    """

    def __init__(self, policy: Planner, point: OperatingPoint | None = None, *, rest: Planner | None = None) -> None:
        """Take the policy, and the operating point below whose thresholds a reading counts as lacking."""
        planners: tuple[Planner, ...] = (TemplatePlanner(point, GOVERNED), policy)
        self._planners = planners if rest is None else (*planners, rest)
        told = f"governed {policy.name}"
        self.learned: frozenset[str] = getattr(policy, "learned", frozenset())
        self.name = told if rest is None else f"{told}, then {rest.name}"

    def propose(self, state: State, budget: Budget, tried: frozenset[str], patience: Patience) -> Planned:
        """Return the first plan that has not run: of the protocol, of the policy, of the rest; else the last one's word."""
        cost, planned = Cost(), Planned(Proposal(plan=None, policy=self.name), None)
        for planner in self._planners:
            planned = planner.propose(state, budget.spend(cost), tried, patience)
            cost = cost.plus(planned.proposal.cost)
            if planned.plan is not None and not planned.proposal.repeated:
                break
        return planned._replace(proposal=planned.proposal.model_copy(update={"policy": self.name, "cost": cost}))
