"""Fitting the heads of the `encoder` policy: starting weights, Adam, and behaviour cloning. Deterministic by its seed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from remit.rerank.candidate_features import CANDIDATE
from remit.rerank.head import LAYERS, PARTS, TOWERS, Head
from remit.train.gradient import Gradient, backward, forward
from remit.train.steps import Steps

Array = NDArray[np.float64]
_NO_SPREAD = 1e-6
"""An input that varies less is one number for all rows, and is only centred."""


@dataclass(frozen=True, slots=True)
class Fitting:
    """How a head is fitted. `hidden` holds the units of both layers, `dropout` the share of them left out at a time.

    `trust` is what a fused score counts at first.
    """

    seed: int = 1
    hidden: tuple[int, int] = (48, 24)
    stop_hidden: tuple[int, int] = (24, 12)
    epochs: int = 12
    batch: int = 32
    rate: float = 3e-3
    decay: float = 1e-3
    dropout: float = 0.1
    trust: float = 12.0


class Adam:
    """AdamW (Loshchilov and Hutter, 2019) over weights by name; biases do not decay."""

    def __init__(self, rate: float, decay: float) -> None:
        self._rate, self._decay, self._turn = rate, decay, 0
        self._first: dict[str, Array] = {}
        self._second: dict[str, Array] = {}

    def move(self, arrays: dict[str, Array], gradient: Gradient, share: float = 1.0) -> dict[str, Array]:
        """Return the weights after one step down the gradient, at `share` of the rate."""
        self._turn += 1
        rate = self._rate * share
        moved = dict(arrays)
        for name in sorted(gradient):
            slope = gradient[name]
            first = self._first[name] = 0.9 * self._first.get(name, 0.0) + 0.1 * slope
            second = self._second[name] = 0.999 * self._second.get(name, 0.0) + 0.001 * slope * slope
            down = (first / (1 - 0.9**self._turn)) / (np.sqrt(second / (1 - 0.999**self._turn)) + 1e-8)
            kept = 1.0 - rate * self._decay if name.endswith(".w") else 1.0
            moved[name] = arrays[name] * kept - rate * down
        return moved


def fresh_head(steps: Steps, how: Fitting, *, least: int = 0, most: int = 15) -> Head:
    """Return random weights, with inputs centred and scaled by the rows of `steps`."""
    chance = np.random.default_rng(how.seed)
    arrays: dict[str, Array] = {}
    for tower, rows, hidden in (("candidate", steps.candidates, how.hidden), ("stop", steps.stops, how.stop_hidden)):
        spread = rows.std(axis=0, dtype=np.float64)
        arrays[f"{tower}.mean"] = rows.mean(axis=0, dtype=np.float64)
        arrays[f"{tower}.scale"] = np.where(spread > _NO_SPREAD, spread, 1.0)
        widths = [rows.shape[1], *hidden, 1]
        for layer in range(LAYERS):
            size = (widths[layer], widths[layer + 1])
            arrays[f"{tower}.{layer}.w"] = chance.standard_normal(size) * np.sqrt(
                (2.0 if layer + 1 < LAYERS else 0.01) / size[0]
            )
            arrays[f"{tower}.{layer}.b"] = np.zeros(size[1])
        arrays[f"{tower}.direct"] = np.zeros(rows.shape[1])
    # The search's own order is where learning starts from.
    fused = CANDIDATE.index("fused gap")
    arrays["candidate.direct"][fused] = how.trust * arrays["candidate.scale"][fused]
    return Head(arrays, least=least, most=most)


def clone(
    head: Head,
    steps: Steps,
    how: Fitting,
    *,
    weights: Array | None = None,
    told: Callable[[int, float], object] | None = None,
) -> Head:
    """Return the head after behaviour cloning (DynamicRAG, 3.2.1): the likelihood of the expert's choices is raised.

    `weights` (T,) says how much each trajectory counts; `told` is called with epoch and mean loss.
    """
    chance, adam = np.random.default_rng([how.seed, 1]), Adam(how.rate, how.decay)
    counts = np.ones(steps.trajectories) if weights is None else weights
    rounds = how.epochs * -(-steps.trajectories // how.batch)
    turn = 0
    for epoch in range(how.epochs):
        order, total = chance.permutation(steps.trajectories), 0.0
        for start in range(0, len(order), how.batch):
            part = order[start : start + how.batch]
            batch, own = steps.only(part), counts[part]
            if not batch.size or not own.sum():
                continue
            masks = _masks(head, batch, how.dropout, chance)
            done = forward(head, batch, masks)
            slope = -own / own.sum()
            gradient = backward(head, batch, done, slope, masks)
            share = min(1.0, (turn + 1) / (0.1 * rounds + 1)) * (1.0 - turn / rounds)
            head = head._replace(arrays=adam.move(head.arrays, gradient, share))
            total += float((slope * done.log_probability).sum()) * len(part)
            turn += 1
        if told is not None:
            told(epoch, total / max(1, steps.trajectories))
    return head


def together(heads: Sequence[Head]) -> Head:
    """Return one head whose logits are the mean of those of several with the same inputs and limits: their towers side by side."""
    count, arrays = len(heads), dict(heads[0].arrays)
    for tower in TOWERS:
        every = {name: [head.arrays[f"{tower}.{name}"] for head in heads] for name in ("direct", "0.w", "0.b")}
        arrays[f"{tower}.direct"] = np.mean(every["direct"], axis=0)
        arrays[f"{tower}.0.w"] = np.concatenate(every["0.w"], axis=1)
        arrays[f"{tower}.0.b"] = np.concatenate(every["0.b"])
        inner = [head.arrays[f"{tower}.1.w"] for head in heads]
        wide, narrow = inner[0].shape
        blocks = np.zeros((count * wide, count * narrow))
        for at, block in enumerate(inner):
            blocks[at * wide : (at + 1) * wide, at * narrow : (at + 1) * narrow] = block
        arrays[f"{tower}.1.w"] = blocks
        arrays[f"{tower}.1.b"] = np.concatenate([head.arrays[f"{tower}.1.b"] for head in heads])
        arrays[f"{tower}.2.w"] = np.concatenate([head.arrays[f"{tower}.2.w"] for head in heads]) / count
        arrays[f"{tower}.2.b"] = np.mean([head.arrays[f"{tower}.2.b"] for head in heads], axis=0)
    return heads[0]._replace(arrays=arrays)


def rounded(head: Head) -> Head:
    """Return the weights as a file holds them, in 32 bits, so that what was measured is what is shipped."""
    return head._replace(arrays={name: head.arrays[name].astype(np.float32).astype(np.float64) for name in head.arrays})


def trained(head: Head) -> dict[str, Array]:
    """Return the arrays that training moves."""
    return {name: head.arrays[name] for name in PARTS}


def _masks(head: Head, steps: Steps, dropout: float, chance: np.random.Generator) -> dict[str, list[Array]] | None:
    """Return which hidden units count in one step of training, the others being made up for."""
    if dropout <= 0:
        return None
    kept = {}
    for tower, count in (("candidate", len(steps.candidates)), ("stop", steps.size)):
        widths = [head.arrays[f"{tower}.{layer}.b"].shape[0] for layer in range(LAYERS - 1)]
        kept[tower] = [(chance.random((count, width)) >= dropout) / (1.0 - dropout) for width in widths]
    return kept
