"""The `encoder` policy's arithmetic: exact log-probabilities of plans, their gradients, sampling and search. Numpy only.

A plan is a sequence of moves; before each, every move on offer gets a score, and a softmax makes a choice of it:
``score = v . tanh(A s + B m + b) + c . m``, with the state's features ``s`` and the move's ``m``. Training reads a plan as its
`Decision`s, which need no state any more: `log_probability` and `gradient` take them and the weights.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from remit.repair.arguments import Arguments, arguments_of
from remit.repair.features import MOVE_SIZE, STATE_SIZE, Array, Seen, history, move_features, state_features
from remit.repair.grammar import Move, Prefix, moves, name_of
from remit.repair.ops import Operation, Ref
from remit.repair.plan import FINAL, Plan, Step
from remit.repair.planner import State

HIDDEN: Final = 48
Weights = dict[str, Array]
"""`state` (h, d), `move` (h, m), `bias` (h,), `out` (h,), `direct` (m,): float32."""


class Decision(NamedTuple):
    """One choice of a plan: features of the state (d,), of the moves on offer (n, m), and the number of the one taken."""

    state: Array
    moves: Array
    taken: int


class Choice(NamedTuple):
    """The moves on offer after a prefix, with their features, shape (n, m)."""

    moves: tuple[Move, ...]
    features: Array


class Sampled(NamedTuple):
    """A plan drawn from the policy, None where it leaves the draft alone, its log-probability and its decisions."""

    plan: Plan | None
    log_probability: float
    decisions: tuple[Decision, ...]


_Key = tuple[Operation | None, ...]


class Situation:
    """A state as the policy sees it; choices are worked out once for each prefix."""

    def __init__(self, state: State, seen: Seen) -> None:
        """Take the state and what is known of the response's correctness."""
        self._state = state
        self._said: Arguments = arguments_of(state)
        self._offered: dict[_Key, tuple[Move, ...]] = {}
        self._choices: dict[_Key, Choice] = {}
        self.features = state_features(state, self._said, seen)

    def moves(self, so_far: Prefix) -> tuple[Move, ...]:
        """Return what may follow a prefix."""
        key = _key(so_far)
        if key not in self._offered:
            self._offered[key] = moves(self._state, self._said, so_far)
        return self._offered[key]

    def choice(self, so_far: Prefix) -> Choice:
        """Return what may follow a prefix, with features; most prefixes are only looked at for what follows them."""
        key = _key(so_far)
        if key not in self._choices:
            offered, past = self.moves(so_far), history(so_far)
            self._choices[key] = Choice(offered, np.stack([move_features(move, past, self._state) for move in offered]))
        return self._choices[key]

    def decisions(self, plan: Plan | None) -> tuple[Decision, ...] | None:
        """Return the decisions that lead to a plan, or to leaving the draft alone; None where the grammar has no such plan.

        Names of results do not matter.
        """
        wanted: list[Operation | None] = [None] if plan is None else _renamed(plan)
        so_far, made = Prefix(), []
        for operation in wanted:
            choice = self.choice(so_far)
            taken = next((n for n, move in enumerate(choice.moves) if move.operation == operation), None)
            if taken is None or choice.moves[taken].ends != (operation is wanted[-1]):
                return None
            made.append(Decision(self.features, choice.features, taken))
            so_far = Prefix((*so_far.moves, choice.moves[taken]))
        return tuple(made)


def _key(so_far: Prefix) -> _Key:
    return tuple(move.operation for move in so_far.moves)


def initial(chance: np.random.Generator) -> Weights:
    """Return small random weights from which training starts."""

    def drawn(*shape: int) -> Array:
        return np.asarray(chance.standard_normal(shape) / np.sqrt(shape[-1]), dtype=np.float32)

    return {
        "state": drawn(HIDDEN, STATE_SIZE),
        "move": drawn(HIDDEN, MOVE_SIZE),
        "bias": np.zeros(HIDDEN, dtype=np.float32),
        "out": 0.1 * drawn(HIDDEN),
        "direct": np.zeros(MOVE_SIZE, dtype=np.float32),
    }


def log_probability(decisions: tuple[Decision, ...], weights: Weights) -> float:
    """Return the natural log-probability of the plan that these decisions lead to."""
    return sum(float(_log_softmax(scores(one.state, one.moves, weights))[one.taken]) for one in decisions)


def gradient(decisions: tuple[Decision, ...], weights: Weights) -> tuple[float, Weights]:
    """Return the log-probability of a plan and its gradient by each weight."""
    total = 0.0
    slopes = {name: np.zeros_like(values) for name, values in weights.items()}
    for one in decisions:
        hidden = _hidden(one.state, one.moves, weights)
        logs = _log_softmax(hidden @ weights["out"] + one.moves @ weights["direct"])
        total += float(logs[one.taken])
        error = -np.exp(logs)
        error[one.taken] += 1.0
        slopes["direct"] += error @ one.moves
        slopes["out"] += error @ hidden
        inner = (error[:, None] * weights["out"]) * (1 - hidden**2)
        slopes["move"] += inner.T @ one.moves
        summed = inner.sum(axis=0)
        slopes["bias"] += summed
        slopes["state"] += np.outer(summed, one.state)
    return total, slopes


def scores(state: Array, offered: Array, weights: Weights) -> Array:
    """Return a score for each move on offer, shape (n,)."""
    return np.asarray(_hidden(state, offered, weights) @ weights["out"] + offered @ weights["direct"])


def sample(situation: Situation, weights: Weights, chance: np.random.Generator, temperature: float = 1.0) -> Sampled:
    """Return a plan drawn from the policy; its log-probability is that at temperature 1. At 0 each choice is the likeliest."""
    so_far, total, made = Prefix(), 0.0, []
    while not (so_far.moves and so_far.moves[-1].ends):
        choice = situation.choice(so_far)
        raw = scores(situation.features, choice.features, weights)
        logs = _log_softmax(raw)
        taken = int(logs.argmax())
        if temperature > 0:
            chances = np.exp(_log_softmax(raw / temperature).astype(np.float64))
            taken = int(chance.choice(len(logs), p=chances / chances.sum()))
        total += float(logs[taken])
        made.append(Decision(situation.features, choice.features, taken))
        so_far = Prefix((*so_far.moves, choice.moves[taken]))
    return Sampled(so_far.plan(), total, tuple(made))


def likeliest(situation: Situation, weights: Weights, width: int) -> Iterator[tuple[float, Plan | None]]:
    """Yield plans with their log-probabilities, the likeliest first, as far as a best-first search of `width` prefixes sees.

    Where it sees no whole plan, since many are about as likely, the plan of the likeliest moves is the one.
    """
    waiting: list[tuple[float, int, Prefix]] = [(0.0, 0, Prefix())]
    order, found = 0, False
    for _ in range(width):
        if not waiting:
            return
        cost, _, so_far = heapq.heappop(waiting)
        if so_far.moves and so_far.moves[-1].ends:
            found = True
            yield -cost, so_far.plan()
            continue
        choice = situation.choice(so_far)
        logs = _log_softmax(scores(situation.features, choice.features, weights))
        for taken, move in enumerate(choice.moves):
            order += 1
            heapq.heappush(waiting, (cost - float(logs[taken]), order, Prefix((*so_far.moves, move))))
    if not found:
        drawn = sample(situation, weights, np.random.default_rng(0), 0.0)
        yield drawn.log_probability, drawn.plan


def _hidden(state: Array, offered: Array, weights: Weights) -> Array:
    return np.tanh(offered @ weights["move"].T + (weights["state"] @ state + weights["bias"]))


def _log_softmax(raw: NDArray[np.float32]) -> Array:
    shifted = raw - raw.max()
    return np.asarray(shifted - np.log(np.exp(shifted).sum()))


def canonical(plan: Plan) -> Plan:
    """Return a plan with its results named as the policy names them: by their place."""
    steps = [Step(name_of(place), operation) for place, operation in enumerate(_renamed(plan)) if operation is not None]
    return Plan((*steps[:-1], Step(FINAL, steps[-1].operation)))


def _renamed(plan: Plan) -> list[Operation | None]:
    """Return the operations of a plan with results named by their place."""
    names = {step.name: name_of(place) for place, step in enumerate(plan.steps) if step.name != FINAL}

    def value(part: object) -> object:
        if isinstance(part, Ref):
            return Ref(names.get(part.name, part.name), part.item)
        return tuple(value(one) for one in part) if isinstance(part, tuple) else part

    renamed: list[Operation | None] = []
    for step in plan.steps:
        given = {field.name: value(getattr(step.operation, field.name)) for field in fields(step.operation)}
        renamed.append(replace(step.operation, **given))  # type: ignore[arg-type]
    return renamed
