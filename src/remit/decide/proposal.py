"""What a planner proposes, as far as a decision needs to know it."""

from __future__ import annotations

from typing import Literal

from remit.contract.budget import Cost
from remit.contract.value import Value


class Proposal(Value):
    """A plan on offer, or the reason there is none.

    `plan` is the plan's canonical text. `fingerprint` digests operations, arguments, passage ids in use and snapshot;
    `repeated` says that this question has run it before. `expects` names the new evidence it should bring.
    """

    kind: Literal["proposal"] = "proposal"
    plan: str | None
    fingerprint: str | None = None
    repeated: bool = False
    action: str = ""
    expects: str = ""
    policy: str
    log_probability: float | None = None
    cost: Cost = Cost()

    @property
    def new(self) -> bool:
        """Say whether there is a plan that has not run yet."""
        return self.plan is not None and not self.repeated
