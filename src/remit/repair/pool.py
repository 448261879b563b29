"""The plans that a policy chooses among in a state: leaving the draft alone, what `template` would do, and the short ones.

A policy over a whole grammar that learned from a few plans a question gives chances to plans that nobody ever ran. The pool
holds what training runs and inference chooses from; both build it by this one function.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Final

import numpy as np

from remit.contract.budget import Budget, Limits
from remit.llm.cancel import Patience
from remit.repair.features import Array
from remit.repair.grammar import Move, Prefix
from remit.repair.ops import GenerateAnswer, Ref, Retrieval
from remit.repair.plan import Plan
from remit.repair.planner import State
from remit.repair.policy import Situation, Weights, canonical, log_probability
from remit.repair.template import TemplatePlanner

MOST, MOST_QUOTED = 5, 3
"""Plans of a pool, leaving alone not counted; fewer where the answerer quotes, which the same passages do not change."""
_BRIDGES = (
    ("ask part 0 in use", "search part 1", "answer last part from all, first search first"),
    ("search part 0", "ask part 0 found", "search part 1", "answer last part from all, last search first"),
)
_MAKERS = (
    *("ask part 0 in use", "search asked", "ask part 1 in use", "search asked"),
    "answer question from all, first search first",
)
_FEW: Final = 3
"""Passages for a part that names what it is about."""
_IN_USE = Ref("doc_list")
_ALL, _FOUND = "question from all, first search first", "question from found"
_NARROW, _WIDE = 5, 20


def pool(state: State, situation: Situation) -> list[Plan | None]:
    """Return the plans, distinct, None for leaving alone first; the same for the same state."""
    first, most = of_template(state), MOST if state.draft.cost.model_calls else MOST_QUOTED
    found: dict[str, Plan] = {}
    for plan in chain([canonical(first)] if first else [], _short(state, situation)):
        if plan.text not in found and situation.decisions(plan) is not None:
            found[plan.text] = plan
        if len(found) == most:
            break
    return [None, *found.values()]


def chances(situation: Situation, plans: list[Plan | None], weights: Weights, temperature: float = 1.0) -> Array:
    """Return the log-probability of each plan of a pool among them, shape (n,); their chances sum to 1."""
    raw = np.array([log_probability(situation.decisions(plan) or (), weights) for plan in plans]) / temperature
    lowered = raw - raw.max()
    return np.asarray(lowered - np.log(np.exp(lowered).sum()), dtype=np.float32)


def of_template(state: State) -> Plan | None:
    """Return the plan of the template planner, None where it has none."""
    return TemplatePlanner().propose(state, Budget.of(Limits(), 0.0), frozenset(), Patience(clock=lambda: 0.0)).plan


def _short(state: State, situation: Situation) -> Iterator[Plan]:
    """Yield the plans that follow a bridge, answer again or look for one thing more, in this order."""
    opening = [move for move in situation.moves(Prefix()) if move.operation is not None]
    # An answerer that quotes has weighed the passages in use; only a model says something else of them.
    again = [Prefix((move,)) for move in opening if move.ends and state.draft.cost.model_calls]
    whole = chain(_bridged(situation, opening), again[:1], _single(situation, opening), again[1:])
    yield from (plan for plan in (one.plan() for one in whole) if plan is not None)


def _bridged(situation: Situation, opening: list[Move]) -> Iterator[Prefix]:
    for move in opening:
        if move.what == "decompose":
            for steps in (_MAKERS,) if move.about == "apart" else _BRIDGES:
                yield from _follow(situation, Prefix((move,)), steps)


def _single(situation: Situation, opening: list[Move]) -> Iterator[Prefix]:
    for move in opening:
        if not move.ends:
            after = situation.moves(Prefix((move,)))
            yield from (Prefix((move, last)) for last in after if last.ends and _worth_a_try(move, last))


def _worth_a_try(move: Move, last: Move) -> bool:
    """Say whether a search and an answer can change the draft: who asks the same again finds what is in use.

    On nq, hotpotqa and 2wiki the other plans of one search changed no answer in a hundred, or took more from answers than they gave.
    """
    if move.about == "question":
        return (move.topk, last.about) in ((_WIDE, _ALL), (_NARROW, _FOUND))
    return last.about == _ALL


def _follow(situation: Situation, so_far: Prefix, steps: tuple[str, ...]) -> list[Prefix]:
    """Return the plans whose moves are of these kinds, one after the other."""
    plans = [so_far]
    for wanted in steps:
        plans = [Prefix((*one.moves, move)) for one in plans for move in situation.moves(one) if _is(move, wanted, one)]
    return plans


def _is(move: Move, wanted: str, so_far: Prefix) -> bool:
    """Say whether a move is of a kind; a part is asked of the passages in use, or of those found last."""
    match move.operation:
        case GenerateAnswer(docs=docs) if move.what == "ask":
            found = so_far.named("search")
            return f"ask {move.about} {'in use' if docs == _IN_USE else 'found'}" == wanted and (
                docs == _IN_USE or docs == found[-1]
            )
        case Retrieval(topk=topk):
            return f"search {move.about}" == wanted and topk == _FEW
        case _:
            return f"{move.what} {move.about}" == wanted
