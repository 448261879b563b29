"""The teacher of the off-policy phase (RePAIR, algorithm 1): plans worth trying in a state, out of the planner's own grammar.

The paper asks a language model. Here the teacher knows more than a policy does, namely that every plan will be run: it
proposes the pool that a policy chooses from (`repair/pool.py`), and then plans at chance.
"""

from __future__ import annotations

import numpy as np

from remit.repair.features import Seen
from remit.repair.plan import Plan
from remit.repair.planner import State
from remit.repair.policy import Situation, Weights, initial, sample
from remit.repair.pool import pool

_LONGEST = 5
_DRAWS = 20


def proposals(state: State, seen: Seen, count: int, chance: np.random.Generator) -> list[Plan]:
    """Return up to `count` distinct plans, those of the pool first; the same for the same state and chance."""
    situation = Situation(state, seen)
    found = {plan.text: plan for plan in pool(state, situation) if plan is not None}
    even = _even(chance)
    for _ in range(_DRAWS * count):
        if len(found) >= count:
            break
        drawn = sample(situation, even, chance).plan
        if drawn is not None and len(drawn.steps) <= _LONGEST:
            found.setdefault(drawn.text, drawn)
    return list(found.values())[:count]


def _even(chance: np.random.Generator) -> Weights:
    """Return weights under which every move on offer is as likely as any other."""
    return {name: np.zeros_like(values) for name, values in initial(chance).items()}
