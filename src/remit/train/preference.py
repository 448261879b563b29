"""Direct preference optimisation on exact log-probabilities (Rafailov et al., 2023; RePAIR, equation 1). Numpy only."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class Preference(NamedTuple):
    """The loss of each pair, its slope by the log-probability of either trajectory, and whether the policy agrees.

    All are of shape (pairs,); the slope by `rejected` is the negative of that by `chosen`.
    """

    loss: Array
    slope: Array
    right: NDArray[np.bool_]


def dpo(
    chosen: Array, rejected: Array, reference_chosen: Array, reference_rejected: Array, *, beta: float
) -> Preference:
    """Return ``-log sigmoid(beta * ((chosen - reference_chosen) - (rejected - reference_rejected)))`` and its slopes.

    Natural log-probabilities of whole trajectories, shape (pairs,). A policy equal to its reference has a loss of log 2.

    Raises:
        ValueError: beta is not above 0.
    """
    if beta <= 0:
        raise ValueError("want a beta above 0")
    margin = beta * ((chosen - reference_chosen) - (rejected - reference_rejected))
    loss = np.logaddexp(0.0, -margin)
    return Preference(loss, -beta * np.exp(-np.logaddexp(0.0, margin)), margin > 0)
