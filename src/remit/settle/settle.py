"""The last verification: citations once more against the live corpus and the scope. It can only downgrade."""

from __future__ import annotations

from typing import Protocol

from remit.access.scope import Scope
from remit.answer.draft import Draft
from remit.contract.contract import Contract
from remit.decide.decision import Decision
from remit.observe.observation import Observation
from remit.settle.outcome import Outcome


class Settle(Protocol):
    """Turns a decision into what is handed out."""

    def __call__(
        self, decision: Decision, contract: Contract, scope: Scope, seen: Observation, draft: Draft
    ) -> Outcome:
        """Return the outcome; an answer whose citations no longer hold becomes a refusal."""
