"""A Plackett-Luce policy over "next passage or stop": exact probabilities of ordered subsets, samples, the greedy choice.

At each step one of the passages left or the stop is drawn by the softmax of their logits. The last step allowed, and the
one after the last passage, stop with certainty.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from remit.rerank.head import Logits
from remit.rerank.seen import Seen
from remit.rerank.step import Step, step

Array = NDArray[np.float64]


class Chooser(Protocol):
    """What gives logits; `least` and `most` passages are chosen, the greedy choice stops from a chance `stop_at` on."""

    @property
    def least(self) -> int:
        """The number of passages before which there is no stop."""

    @property
    def most(self) -> int:
        """The number of passages after which there is nothing but stop."""

    @property
    def stop_at(self) -> float:
        """The chance of stopping from which the greedy choice stops."""

    def logits(self, seen: Step) -> Logits:
        """Return what speaks for each of the next actions."""


class Chosen(NamedTuple):
    """Rows in the order chosen, and the natural logarithm of the chance that the policy draws exactly these."""

    rows: tuple[int, ...]
    log_probability: float


def log_probability(policy: Chooser, seen: Seen, rows: Sequence[int]) -> float:
    """Return the exact log-probability of an ordered subset; -inf where the policy cannot draw it.

    Raises:
        ValueError: a row comes twice or is none.
    """
    if len(set(rows)) != len(rows) or not all(0 <= row < seen.size for row in rows):
        raise ValueError("want each row once, and rows of these candidates only")
    total = 0.0
    for count in range(len(rows) + 1):
        chances = _chances(policy, seen, rows[:count])
        action = rows[count] if count < len(rows) else seen.size
        total += float(chances[action])
    return min(total, 0.0)


def greedy(policy: Chooser, seen: Seen) -> Chosen:
    """Return the choice that takes the likeliest passage each time, until stopping is as likely as `stop_at`."""
    rows: list[int] = []
    total = 0.0
    while True:
        chances = _chances(policy, seen, rows)
        stop = float(np.exp(chances[-1]))
        action = seen.size if stop >= policy.stop_at or stop == 1.0 else int(chances[:-1].argmax())
        total += float(chances[action])
        if action == seen.size:
            return Chosen(tuple(rows), min(total, 0.0))
        rows.append(action)


def sample(policy: Chooser, seen: Seen, chance: np.random.Generator, *, temperature: float = 1.0) -> Chosen:
    """Return a draw; its log-probability is that under the policy itself, at temperature 1.

    Raises:
        ValueError: the temperature is not above 0; `greedy` is the choice at 0.
    """
    if temperature <= 0:
        raise ValueError("want a temperature above 0; at 0 take the greedy choice")
    rows: list[int] = []
    total = 0.0
    while True:
        plain = _chances(policy, seen, rows)
        drawn = plain if temperature == 1.0 else _normalised(plain / temperature)
        action = int(np.searchsorted(np.cumsum(np.exp(drawn)), chance.random() * float(np.exp(drawn).sum()), "right"))
        action = min(action, int(np.flatnonzero(np.isfinite(drawn))[-1]))
        total += float(plain[action])
        if action == seen.size:
            return Chosen(tuple(rows), min(total, 0.0))
        rows.append(action)


def whole_order(policy: Chooser, seen: Seen, *, depth: int | None = None) -> tuple[int, ...]:
    """Return the order before any stop: the likeliest passage left each time, all of them or the first `depth`."""
    rows: list[int] = []
    while len(rows) < (seen.size if depth is None else min(depth, seen.size)):
        rows.append(int(policy.logits(step(seen, rows)).candidates.argmax()))
    return tuple(rows)


def _chances(policy: Chooser, seen: Seen, rows: Sequence[int]) -> Array:
    """Return the log-probability of each row, and last that of stopping, after `rows` were taken."""
    open_stop = len(rows) >= min(policy.least, seen.size)
    if len(rows) >= min(policy.most, seen.size):
        return np.append(np.full(seen.size, -np.inf), 0.0)
    logits = policy.logits(step(seen, rows))
    return _normalised(np.append(logits.candidates, logits.stop if open_stop else -np.inf))


def _normalised(logits: Array) -> Array:
    top = logits.max()
    lowered: Array = logits - top - np.log(np.exp(logits - top).sum())
    return lowered
