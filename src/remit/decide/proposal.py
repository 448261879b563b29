"""What a planner proposes, as far as a decision needs to know it."""

from __future__ import annotations

from typing import Literal

from remit.contract.budget import Cost
from remit.contract.value import Value
from remit.observe.observation import Estimate, Unmeasured


class Proposal(Value):
    """A plan on offer, or the reason there is none.

    `plan` is the plan's canonical text. `fingerprint` digests operations, arguments, passage ids in use and snapshot;
    `repeated` says that this question has run it before. `expects` names the new evidence it should bring. `estimate` is what
    a judge said of the draft where the planner was told by one.
    """

    kind: Literal["proposal"] = "proposal"
    plan: str | None
    fingerprint: str | None = None
    repeated: bool = False
    action: str = ""
    expects: str = ""
    policy: str
    log_probability: float | None = None
    estimate: Estimate | Unmeasured | None = None
    cost: Cost = Cost()

    @property
    def new(self) -> bool:
        """Say whether there is a plan that has not run yet."""
        return self.plan is not None and not self.repeated
