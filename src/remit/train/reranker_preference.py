"""DPO of the `encoder` reranker over the rankings sampled for each question (DynamicRAG, 3.2.2), in batches, by hand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from remit.contract.value import Value
from remit.rerank.head import Head
from remit.rerank.seen import Seen
from remit.train.bounds import Above, Count, Many, Seed, Weight
from remit.train.fit import Adam
from remit.train.gradient import backward, forward
from remit.train.pairs import Filters, Strategy, paired
from remit.train.preference import dpo
from remit.train.steps import Trajectory, steps_of


class Preferring(Value):
    """How preferences are learned; `batch` counts pairs. The paper compares the best and the worst of each question."""

    beta: Above = 0.1
    epochs: Count = 4
    rate: Above = 1e-3
    batch: Many = 64
    decay: Weight = 1e-3
    strategy: Strategy = "extremes"
    filters: Filters = Filters()
    seed: Seed = 1


class Ranked(NamedTuple):
    """The distinct rankings tried for a question, as rows of what was seen, and their rewards, shape (n,)."""

    question: str
    seen: Seen
    rankings: tuple[tuple[int, ...], ...]
    rewards: NDArray[np.float64]


class Epoch(NamedTuple):
    """How a pass over the pairs went: mean loss, and the share of pairs that the policy preferred rightly by then."""

    number: int
    loss: float
    right: float


def prefer(
    questions: Sequence[Ranked],
    start: Head,
    reference: Head,
    how: Preferring,
    *,
    told: Callable[[Epoch], object] = lambda _: None,
) -> Head:
    """Return weights that prefer what did better; the reference stays. The same input gives the same weights."""
    chosen, rejected = _pairs(questions, how)
    if not chosen:
        return start
    better, worse = steps_of(chosen, start), steps_of(rejected, start)
    held = forward(reference, better).log_probability, forward(reference, worse).log_probability
    head, adam, chance = start, Adam(how.rate, how.decay), np.random.default_rng([how.seed, 2])
    for epoch in range(how.epochs):
        order, loss, right = chance.permutation(len(chosen)), 0.0, 0.0
        for at in range(0, len(order), how.batch):
            part = order[at : at + how.batch]
            one, other = better.only(part), worse.only(part)
            up, down = forward(head, one), forward(head, other)
            done = dpo(up.log_probability, down.log_probability, held[0][part], held[1][part], beta=how.beta)
            slope = done.slope / len(part)
            rising, falling = backward(head, one, up, slope), backward(head, other, down, -slope)
            gradient = {name: rising[name] + falling[name] for name in rising}
            head = head._replace(arrays=adam.move(head.arrays, gradient))
            loss, right = loss + float(done.loss.sum()), right + float(done.right.sum())
        told(Epoch(epoch, loss / len(chosen), right / len(chosen)))
    return head


def _pairs(questions: Sequence[Ranked], how: Preferring) -> tuple[list[Trajectory], list[Trajectory]]:
    chosen, rejected = [], []
    for one in questions:
        pair = paired(one.rewards, how.strategy, how.filters)
        for better, worse in zip(pair.better, pair.worse, strict=True):
            chosen.append(Trajectory(one.seen, one.rankings[better]))
            rejected.append(Trajectory(one.seen, one.rankings[worse]))
    return chosen, rejected
