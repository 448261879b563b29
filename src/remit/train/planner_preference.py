"""DPO of the `encoder` planner over the plans tried for each question (RePAIR, equation 1), with exact log-probabilities."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

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
    """How preferences are learned: beta holds the policy near its reference, `batch` counts questions a step.

    `weigh` says how much a pair counts: all the same, as in the paper, or by how much better the better one did. Where most plans
    change nothing, few gain much and some lose a little, the first teaches what wins more often, the second what gains. `cost`
    is what each operation takes off a plan's reward, so that a plan that gains nothing does worse than leaving the draft alone.
    """

    beta: Above = 0.1
    epochs: Count = 8
    rate: Above = 1e-2
    batch: Many = 16
    decay: Weight = 1e-3
    strategy: Strategy = "ranked"
    weigh: Literal["equal", "margin"] = "equal"
    cost: Weight = 0.0
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

    Pairs that count the same make every question count the same, however many pairs it has: its loss is the mean over them.
    """
    questions = [one._replace(rewards=one.rewards - how.cost * one.operations) for one in questions]
    pairs = [paired(one.rewards, how.strategy, how.filters) for one in questions]
    kept = [(one, pair) for one, pair in zip(questions, pairs, strict=True) if len(pair.better)]
    counts = _counts(kept, how)
    held = [np.array([log_probability(plan, reference) for plan in one.plans]) for one, _ in kept]
    adam, chance = Adam(start, rate=how.rate, decay=how.decay), np.random.default_rng(how.seed)
    for epoch in range(how.epochs):
        order, loss, right = chance.permutation(len(kept)), 0.0, 0.0
        for at in range(0, len(order), how.batch):
            batch = order[at : at + how.batch]
            total = {name: np.zeros_like(values) for name, values in start.items()}
            for place in batch:
                one, pair = kept[place]
                share = counts[place] / len(batch)
                lost, agreed = _add(total, one, pair, held[place], adam.weights, beta=how.beta, share=share)
                loss, right = loss + lost, right + agreed
            adam.climb(total)
        told(Epoch(epoch, loss / max(1, len(kept)), right / max(1, len(kept))))
    return adam.weights


def _counts(kept: Sequence[tuple[Tried, Places]], how: Preferring) -> list[NDArray[np.float64]]:
    """Return how much each pair of each question counts, shape (pairs,); over all questions a mean sum of 1."""
    if how.weigh == "equal":
        return [np.full(len(pair.better), 1.0 / len(pair.better)) for _, pair in kept]
    margins = [(one.rewards[pair.better] - one.rewards[pair.worse]) / len(pair.better) for one, pair in kept]
    mean = float(np.mean([one.sum() for one in margins])) if margins else 1.0
    return [one / mean for one in margins]


def _add(
    total: Weights,
    one: Tried,
    pair: Places,
    reference: NDArray[np.float64],
    weights: Weights,
    *,
    beta: float,
    share: NDArray[np.float64],
) -> tuple[float, float]:
    """Add the slopes of one question to `total`, each pair by its `share`; return its mean loss and the share of its pairs that are right."""
    found = [gradient(plan, weights) for plan in one.plans]
    logs = np.array([log for log, _ in found])
    done = dpo(logs[pair.better], logs[pair.worse], reference[pair.better], reference[pair.worse], beta=beta)
    push = np.zeros(len(logs))
    np.add.at(push, pair.better, -done.slope * share)
    np.add.at(push, pair.worse, done.slope * share)
    for (_, slopes), by in zip(found, push, strict=True):
        if by:
            for name, slope in slopes.items():
                total[name] += np.float32(by) * slope
    return float(done.loss.mean()), float(done.right.mean())
