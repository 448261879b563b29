"""The plans that a policy chooses among in a state: leaving the draft alone, what `template` would do, and the short ones.

A policy over a whole grammar that learned from a few plans a question gives chances to plans that nobody ever ran. The pool
holds what training runs and inference chooses from; both build it by this one function.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from remit.contract.budget import Budget, Limits
from remit.llm.cancel import Patience
from remit.repair.features import Array
from remit.repair.grammar import Prefix
from remit.repair.ops import Ref
from remit.repair.plan import Plan
from remit.repair.planner import State
from remit.repair.policy import Situation, Weights, canonical, log_probability
from remit.repair.template import TemplatePlanner

MOST: Final = 14
"""Plans of a pool, leaving alone not counted."""
_BRIDGE = ("ask part 0", "search part 1", "answer last part")
_MAKERS = ("ask part 0", "search asked", "ask part 1", "search asked", "answer question from all, first search first")
_IN_USE = Ref("doc_list")
_ENDS = ("question from all, first search first", "question from found")


def pool(state: State, situation: Situation, most: int = MOST) -> list[Plan | None]:
    """Return the plans, distinct, None for leaving alone first; the same for the same state."""
    first = of_template(state)
    found: dict[str, Plan] = {}
    for plan in filter(None, (first and canonical(first), *_short(situation))):
        if situation.decisions(plan) is not None:
            found.setdefault(plan.text, plan)
    return [None, *list(found.values())[:most]]


def chances(situation: Situation, plans: list[Plan | None], weights: Weights, temperature: float = 1.0) -> Array:
    """Return the log-probability of each plan of a pool among them, shape (n,); their chances sum to 1."""
    raw = np.array([log_probability(situation.decisions(plan) or (), weights) for plan in plans]) / temperature
    lowered = raw - raw.max()
    return np.asarray(lowered - np.log(np.exp(lowered).sum()), dtype=np.float32)


def of_template(state: State) -> Plan | None:
    """Return the plan of the template planner, None where it has none."""
    return TemplatePlanner().propose(state, Budget.of(Limits(), 0.0), frozenset(), Patience(clock=lambda: 0.0)).plan


def _short(situation: Situation) -> list[Plan]:
    """Return the plans that look for one thing more and answer, and those that follow a bridge, in the grammar's order."""
    singles: list[Plan | None] = []
    bridges: list[Plan | None] = []
    again: list[Plan | None] = []
    for move in situation.choice(Prefix()).moves:
        if move.operation is None:
            continue
        if move.ends:
            again.append(Prefix((move,)).plan())
            continue
        after = situation.choice(Prefix((move,))).moves
        singles += [Prefix((move, last)).plan() for last in after if last.ends and last.about in _ENDS]
        if move.what == "decompose" and move.about == "apart":
            bridges += [one.plan() for one in _follow(situation, Prefix((move,)), _MAKERS)]
        elif move.what == "decompose":
            bridges += [one.plan() for one in _follow(situation, Prefix((move,)), _BRIDGE)]
    return [plan for plan in (*bridges, *again[:1], *singles, *again[1:]) if plan is not None]


def _follow(situation: Situation, so_far: Prefix, steps: tuple[str, ...]) -> list[Prefix]:
    """Return the plans whose moves are of these kinds, one after the other; parts are answered from the passages in use."""
    plans = [so_far]
    for wanted in steps:
        plans = [
            Prefix((*one.moves, move))
            for one in plans
            for move in situation.choice(one).moves
            if f"{move.what} {move.about}".startswith(wanted)
            and (move.what != "ask" or getattr(move.operation, "docs", None) == _IN_USE)
        ]
    return plans
