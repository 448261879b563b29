"""DPO of the `encoder` planner over the plans tried for each question (RePAIR, equation 1), with exact log-probabilities."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from remit.contract.value import Value
from remit.repair.fit import Adam
from remit.repair.policy import Weights, gradient, log_probability
from remit.train.bounds import Above, Count, Many, Seed, Weight
from remit.train.pairs import Filters, Places, Strategy, paired
from remit.train.planner_examples import Tried
from remit.train.preference import dpo


class Preferring(Value):
    """How preferences are learned: beta holds the policy near its reference, `batch` counts questions a step."""

    beta: Above = 0.1
    epochs: Count = 8
    rate: Above = 1e-2
    batch: Many = 16
    decay: Weight = 1e-3
    strategy: Strategy = "ranked"
    filters: Filters = Filters()
    seed: Seed = 1


class Epoch(NamedTuple):
    """How a pass over the questions went: mean loss, and the share of pairs that the policy orders right by then."""

    number: int
    loss: float
    right: float


def prefer(
    questions: Sequence[Tried],
    start: Weights,
    reference: Weights,
    how: Preferring,
    *,
    told: Callable[[Epoch], object] = lambda _: None,
) -> Weights:
    """Return weights that prefer what did better; `reference` stays as it is. The same input gives the same weights.

    Every question counts the same, however many pairs it has: its loss is the mean over its pairs.
    """
    pairs = [paired(one.rewards, how.strategy, how.filters) for one in questions]
    kept = [(one, pair) for one, pair in zip(questions, pairs, strict=True) if len(pair.better)]
    held = [np.array([log_probability(plan, reference) for plan in one.plans]) for one, _ in kept]
    adam, chance = Adam(start, rate=how.rate, decay=how.decay), np.random.default_rng(how.seed)
    for epoch in range(how.epochs):
        order, loss, right = chance.permutation(len(kept)), 0.0, 0.0
        for at in range(0, len(order), how.batch):
            batch = order[at : at + how.batch]
            total = {name: np.zeros_like(values) for name, values in start.items()}
            for place in batch:
                one, pair = kept[place]
                lost, agreed = _add(total, one, pair, held[place], adam.weights, beta=how.beta, share=1.0 / len(batch))
                loss, right = loss + lost, right + agreed
            adam.climb(total)
        told(Epoch(epoch, loss / max(1, len(kept)), right / max(1, len(kept))))
    return adam.weights


def _add(
    total: Weights,
    one: Tried,
    pair: Places,
    reference: NDArray[np.float64],
    weights: Weights,
    *,
    beta: float,
    share: float,
) -> tuple[float, float]:
    """Add the slopes of one question to `total`; return its mean loss and the share of its pairs that are right."""
    found = [gradient(plan, weights) for plan in one.plans]
    logs = np.array([log for log, _ in found])
    done = dpo(logs[pair.better], logs[pair.worse], reference[pair.better], reference[pair.worse], beta=beta)
    push = np.zeros(len(logs))
    np.add.at(push, pair.better, -done.slope)
    np.add.at(push, pair.worse, done.slope)
    for (_, slopes), by in zip(found, push * (share / len(pair.better)), strict=True):
        if by:
            for name, slope in slopes.items():
                total[name] += np.float32(by) * slope
    return float(done.loss.mean()), float(done.right.mean())
