"""The learned evaluator: from the signals of one draft to the calibrated probability that it is supported. Pure.

It is fitted outside (`remit tune`, scikit-learn) and frozen into an operating point; here it is only computed, by the same
sums and comparisons, so that a decision needs neither scikit-learn nor numpy.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping
from typing import Literal, Self

from pydantic import model_validator

from remit.contract.value import Value, digest_of


class Tree(Value):
    """A regression tree as arrays. Node n asks whether `signal[n]` is at most `at[n]` and goes `left[n]` or `right[n]`.

    A leaf has `left[n]` -1 and adds `value[n]`.
    """

    signal: tuple[int, ...]
    at: tuple[float, ...]
    left: tuple[int, ...]
    right: tuple[int, ...]
    value: tuple[float, ...]


class Evaluator(Value):
    """A score linear in standardised signals, plus trees, and the steps that turn it into a probability.

    A signal that was not taken stands at its `center`: it says nothing. `knots` are pairs of score and probability, both
    rising (isotonic regression); between two the probability is interpolated.
    """

    schema_version: Literal[1] = 1
    name: str
    signals: tuple[str, ...]
    center: tuple[float, ...]
    scale: tuple[float, ...]
    weights: tuple[float, ...]
    bias: float = 0.0
    trees: tuple[Tree, ...] = ()
    knots: tuple[tuple[float, float], ...]

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        sizes = {len(self.signals), len(self.center), len(self.scale), len(self.weights)}
        if len(sizes) != 1 or not self.knots:
            raise ValueError("signals, center, scale and weights have to be as many, and knots at least one")
        if any(scale <= 0.0 for scale in self.scale):
            raise ValueError("scale has to be above 0")
        if any(one[0] >= two[0] or one[1] > two[1] for one, two in zip(self.knots, self.knots[1:], strict=False)):
            raise ValueError("knots have to rise")
        if any(not 0.0 <= probability <= 1.0 for _, probability in self.knots):
            raise ValueError("knots hold probabilities")
        return self

    @property
    def digest(self) -> str:
        """Return the digest by which a point names this evaluator."""
        return digest_of(self.model_dump(mode="json"))

    def score(self, signals: Mapping[str, float | None]) -> float:
        """Return the score before calibration; of two drafts the likelier one has the higher."""
        values = [signals.get(name) for name in self.signals]
        taken = [center if value is None else value for value, center in zip(values, self.center, strict=True)]
        linear = (
            weight * (value - center) / scale
            for value, center, scale, weight in zip(taken, self.center, self.scale, self.weights, strict=True)
        )
        return math.fsum((self.bias, *linear, *(_leaf(tree, taken) for tree in self.trees)))

    def probability(self, signals: Mapping[str, float | None]) -> float:
        """Return the calibrated probability that the draft is supported."""
        return calibrated(self.score(signals), self.knots)


def calibrated(score: float, knots: tuple[tuple[float, float], ...]) -> float:
    """Return the probability of a score: interpolated between knots, and the outer ones' beyond them."""
    above = bisect_right(knots, score, key=lambda knot: knot[0])
    if above == 0:
        return knots[0][1]
    if above == len(knots):
        return knots[-1][1]
    (low, least), (high, most) = knots[above - 1], knots[above]
    return least + (most - least) * (score - low) / (high - low)


def _leaf(tree: Tree, values: list[float]) -> float:
    node = 0
    while tree.left[node] >= 0:
        node = tree.left[node] if values[tree.signal[node]] <= tree.at[node] else tree.right[node]
    return tree.value[node]
