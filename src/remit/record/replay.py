"""Replay: decide again from what was recorded, and say where the outcome differs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from remit.contract.budget import Budget
from remit.decide.decision import Decision
from remit.decide.point import OperatingPoint
from remit.decide.proposal import Proposal
from remit.decide.rules import decide
from remit.observe.observation import Observation
from remit.record.trace import Entry


class Difference(NamedTuple):
    """The first decision that came out otherwise; `again` is None where what it rested on is not in the trace."""

    number: int
    recorded: Decision
    again: Decision | None


class Replay(NamedTuple):
    """How many decisions were made again, and the first difference, if there is one."""

    decisions: int
    difference: Difference | None

    @property
    def same(self) -> bool:
        """Say whether every recorded decision came out again."""
        return self.difference is None


def replay(entries: Iterable[Entry]) -> Replay:
    """Return what comes out when each recorded decision is made again. Pure: no corpus, no model, no clock."""
    point: OperatingPoint | None = None
    seen: Observation | None = None
    proposal: Proposal | None = None
    budget: Budget | None = None
    made = 0
    for entry in entries:
        match entry.kind:
            case "OperatingPoint":
                point = OperatingPoint.model_validate(entry.data)
            case "Observation":
                seen, proposal = Observation.model_validate(entry.data), None
            case "Proposal":
                proposal = Proposal.model_validate(entry.data)
            case "Budget":
                budget = Budget.model_validate(entry.data)
            case "Decision":
                made += 1
                recorded = Decision.model_validate(entry.data)
                again = _again(seen, proposal, point, budget)
                if again != recorded:
                    return Replay(made, Difference(made, recorded, again))
    return Replay(made, None)


def _again(
    seen: Observation | None, proposal: Proposal | None, point: OperatingPoint | None, budget: Budget | None
) -> Decision | None:
    if seen is None or proposal is None or point is None or budget is None:
        return None
    return decide(seen, proposal, point, budget)
