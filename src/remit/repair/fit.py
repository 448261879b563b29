"""Behaviour cloning of the `encoder` policy: the weights under which given plans are likely. Adam, seeded, numpy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import numpy as np

from remit.repair.policy import Decision, Weights, gradient, log_probability

_FIRST, _SECOND, _SMALL = 0.9, 0.999, 1e-8
BATCH: Final = 16


class Example(NamedTuple):
    """A plan by its decisions, and how much it counts."""

    decisions: tuple[Decision, ...]
    weight: float = 1.0


class Adam:
    """Steps of Adam with decoupled weight decay; it climbs, since the policy's objectives are to be made large."""

    def __init__(self, weights: Weights, *, rate: float, decay: float = 0.0) -> None:
        """Take the weights to start from; they are not changed, `weights` holds the new ones."""
        self.weights = {name: values.copy() for name, values in weights.items()}
        self._rate, self._decay, self._steps = rate, decay, 0
        self._first = {name: np.zeros_like(values) for name, values in weights.items()}
        self._second = {name: np.zeros_like(values) for name, values in weights.items()}

    def climb(self, slopes: Weights) -> None:
        """Take one step up."""
        self._steps += 1
        for name, slope in slopes.items():
            self._first[name] = _FIRST * self._first[name] + (1 - _FIRST) * slope
            self._second[name] = _SECOND * self._second[name] + (1 - _SECOND) * slope * slope
            first = self._first[name] / (1 - _FIRST**self._steps)
            second = self._second[name] / (1 - _SECOND**self._steps)
            held = self.weights[name]
            self.weights[name] = held + self._rate * (first / (np.sqrt(second) + _SMALL) - self._decay * held)


def clone(
    examples: Sequence[Example],
    start: Weights,
    *,
    epochs: int,
    rate: float,
    chance: np.random.Generator,
    decay: float = 1e-3,
    step: Callable[[int, Weights], None] | None = None,
) -> Weights:
    """Return weights under which the examples are likely; `step` is told the weights after each epoch."""
    adam = Adam(start, rate=rate, decay=decay)
    for epoch in range(epochs):
        order = chance.permutation(len(examples))
        for at in range(0, len(order), BATCH):
            total = {name: np.zeros_like(values) for name, values in start.items()}
            batch = [examples[number] for number in order[at : at + BATCH]]
            for example in batch:
                _, slopes = gradient(example.decisions, adam.weights)
                for name, slope in slopes.items():
                    total[name] += example.weight * slope / len(batch)
            adam.climb(total)
        if step is not None:
            step(epoch, adam.weights)
    return adam.weights


def mean_log_probability(examples: Sequence[Example], weights: Weights) -> float:
    """Return the mean log-probability of the examples' plans."""
    return float(np.mean([log_probability(example.decisions, weights) for example in examples]))
