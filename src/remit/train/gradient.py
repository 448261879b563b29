"""The log-probability of trajectories under the `encoder` policy and its gradient, by hand: exact, in numpy.

Losses are functions of log-probabilities; `backward` takes what a loss says of each and gives back what it says of each
weight. A central difference checks it in the tests.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from remit.rerank.head import LAYERS, Head
from remit.train.steps import Steps

Array = NDArray[np.float64]
Gradient = dict[str, Array]


class Forward(NamedTuple):
    """Log-probabilities by trajectory, and by step, with what `backward` needs of the way there."""

    log_probability: Array
    by_step: Array
    chances: Array
    stop_chances: Array
    inner: dict[str, list[Array]]


def forward(head: Head, steps: Steps, masks: dict[str, list[Array]] | None = None) -> Forward:
    """Return the log-probabilities; `masks` multiply hidden units, for dropout."""
    rows, inner_rows = _tower(head, "candidate", steps.candidates, masks)
    stop, inner_stop = _tower(head, "stop", steps.stops, masks)
    stop = np.where(steps.closed, -np.inf, stop)
    top = np.maximum(np.maximum.reduceat(rows, steps.starts), stop)
    number = _numbers(steps)
    raised, raised_stop = np.exp(rows - top[number]), np.exp(stop - top)
    total = np.add.reduceat(raised, steps.starts) + raised_stop
    level = top + np.log(total)
    aimed = np.add.reduceat(steps.aim * (rows - level[number]), steps.starts)
    aimed += np.where(steps.aim_stop > 0, steps.aim_stop * np.where(steps.closed, 0.0, stop - level), 0.0)
    whole = np.zeros(steps.trajectories)
    np.add.at(whole, steps.of, aimed)
    inner = {"candidate": inner_rows, "stop": inner_stop}
    return Forward(whole, aimed, raised / total[number], raised_stop / total, inner)


def backward(
    head: Head, steps: Steps, done: Forward, slope: Array, masks: dict[str, list[Array]] | None = None
) -> Gradient:
    """Return the gradient by weight of a loss whose slope by each trajectory's log-probability is `slope` (T,)."""
    by_step = slope[steps.of]
    number = _numbers(steps)
    rows = by_step[number] * (steps.aim - done.chances)
    stop = by_step * (steps.aim_stop - done.stop_chances)
    stop = np.where(steps.closed, 0.0, stop)
    found: Gradient = {}
    for tower, slopes in (("candidate", rows), ("stop", stop)):
        _back(head, tower, done.inner[tower], slopes[:, None], found, masks)
    return found


def _tower(
    head: Head, name: str, rows: NDArray[np.float32], masks: dict[str, list[Array]] | None
) -> tuple[Array, list[Array]]:
    """Return one number a row, and the input of each layer."""
    x: Array = (rows - head.arrays[f"{name}.mean"]) / head.arrays[f"{name}.scale"]
    inner, direct = [x], x @ head.arrays[f"{name}.direct"]
    for layer in range(LAYERS):
        x = x @ head.arrays[f"{name}.{layer}.w"] + head.arrays[f"{name}.{layer}.b"]
        if layer + 1 < LAYERS:
            x = np.maximum(x, 0.0)
            if masks is not None:
                x *= masks[name][layer]
            inner.append(x)
    return x[:, 0] + direct, inner


def _back(
    head: Head, name: str, inner: list[Array], slope: Array, found: Gradient, masks: dict[str, list[Array]] | None
) -> None:
    found[f"{name}.direct"] = inner[0].T @ slope[:, 0]
    for layer in reversed(range(LAYERS)):
        found[f"{name}.{layer}.w"] = inner[layer].T @ slope
        found[f"{name}.{layer}.b"] = slope.sum(axis=0)
        if layer:
            slope = (slope @ head.arrays[f"{name}.{layer}.w"].T) * (inner[layer] > 0)
            if masks is not None:
                slope *= masks[name][layer - 1]


def _numbers(steps: Steps) -> NDArray[np.intp]:
    """Return for each row the number of its step."""
    sizes = np.diff(np.append(steps.starts, len(steps.candidates)))
    return np.repeat(np.arange(steps.size), sizes)
