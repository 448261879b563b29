"""The teacher of the off-policy phase (RePAIR, algorithm 1): plans worth trying in a state, out of the planner's own grammar.

The paper asks a language model. Here the teacher knows more than a policy does, namely that every plan will be run: it
proposes what `template` would do, each single search before answering, each bridge that is followed, then plans at chance.
"""

from __future__ import annotations

import numpy as np

from remit.contract.budget import Budget, Limits
from remit.llm.cancel import Patience
from remit.repair.features import Seen
from remit.repair.grammar import Prefix
from remit.repair.ops import Ref
from remit.repair.plan import Plan
from remit.repair.planner import State
from remit.repair.policy import Situation, Weights, canonical, initial, sample
from remit.repair.template import TemplatePlanner

_BRIDGE = ("ask part 0", "search part 1", "answer last part")
_MAKERS = ("ask part 0", "search asked", "ask part 1", "search asked", "answer question from all, first search first")
_IN_USE = Ref("doc_list")
_ENDS = ("question from all, first search first", "question from found")
_LONGEST = 5
_DRAWS = 20


def proposals(state: State, seen: Seen, count: int, chance: np.random.Generator) -> list[Plan]:
    """Return up to `count` distinct plans, the most promising first; the same for the same state and chance."""
    situation = Situation(state, seen)
    found: dict[str, Plan] = {}
    first = of_template(state)
    for plan in filter(None, (first and canonical(first), *_short(situation))):
        found.setdefault(plan.text, plan)
    even = _even(chance)
    for _ in range(_DRAWS * count):
        if len(found) >= count:
            break
        drawn = sample(situation, even, chance).plan
        if drawn is not None and len(drawn.steps) <= _LONGEST:
            found.setdefault(drawn.text, drawn)
    return list(found.values())[:count]


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


def _even(chance: np.random.Generator) -> Weights:
    """Return weights under which every move on offer is as likely as any other."""
    return {name: np.zeros_like(values) for name, values in initial(chance).items()}
