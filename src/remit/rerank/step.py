"""What is seen of the candidates once some are chosen: what each would add, and whether anything is still missing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from remit.rerank.candidate_features import CANDIDATE
from remit.rerank.question_features import QUESTION
from remit.rerank.seen import Seen

Array = NDArray[np.float64]

ADDED: Final = (
    *("chosen", "first", "second", "later", "alike to chosen", "named by chosen", "named by last", "names chosen"),
    *("shares with chosen", "new cover", "covered", "sibling of chosen", "below last", "1/rank left", "gap left"),
    *("alike to last",),
)
"""One name a column of what choosing a candidate would add, given those chosen before."""

STOP: Final = (
    *(
        "chosen",
        "none",
        "one",
        "two",
        "three",
        "more",
        "covered",
        "most new cover",
        "first relevance",
        "last relevance",
    ),
    *("first nearest", "last nearest", "last dense", "best relevance left", "best nearest left", "best dense left"),
    *("named left", "asked titles left", "asked titles chosen", "linked chosen", "mean nearest chosen"),
)
"""One name a column of what speaks for stopping."""

WIDTH: Final = len(CANDIDATE) + len(ADDED) + len(QUESTION)
STOP_WIDTH: Final = len(STOP) + len(QUESTION)

_COUNTED: Final = range(4)
_AT: Final = {name: column for column, name in enumerate(CANDIDATE)}
_RELEVANCE, _NEAREST, _DENSE = _AT["relevance"], _AT["nearest"], _AT["dense"]
_TITLE_ASKED, _FUSED_GAP = _AT["title in question"], _AT["fused gap"]


class Step(NamedTuple):
    """The inputs of one choice: a row for each of n candidates, chosen ones included, and one for stopping.

    `candidates` has shape (n, WIDTH), `stop` (STOP_WIDTH,), `open` (n,) says which candidates are still to be had.
    """

    candidates: Array
    stop: Array
    open: NDArray[np.bool_]


def step(seen: Seen, chosen: Sequence[int]) -> Step:
    """Return what is seen after the rows in `chosen` were taken, in their order."""
    size = seen.size
    left = np.ones(size, dtype=np.bool_)
    left[list(chosen)] = False
    covered = seen.carried[list(chosen)].max(axis=0, initial=0.0) if chosen else np.zeros_like(seen.weights)
    fresh = np.maximum(seen.carried - covered, 0.0) @ seen.weights
    candidates = np.concatenate(
        [seen.static, _added(seen, chosen, left, fresh, float(covered @ seen.weights)), _spread(seen.question, size)],
        axis=1,
    )
    stop = np.concatenate([_stop(seen, chosen, left, fresh, float(covered @ seen.weights)), seen.question])
    return Step(candidates, stop, left)


def _added(seen: Seen, chosen: Sequence[int], left: NDArray[np.bool_], fresh: Array, covered: float) -> Array:
    size, count, links, static = seen.size, len(chosen), seen.links, seen.static
    rows = list(chosen)
    nothing = np.zeros(size)
    last = rows[-1] if rows else None
    gap = static[:, _FUSED_GAP]
    best = gap[left].max(initial=-1.0)
    columns = [
        *(np.full(size, value) for value in (count / 15.0, float(count == 0), float(count == 1), float(count > 1))),
        links.alike[:, rows].max(axis=1) if rows else nothing,
        links.names[rows].max(axis=0) if rows else nothing,
        links.names[last] if last is not None else nothing,
        links.names[:, rows].max(axis=1) if rows else nothing,
        links.shared[:, rows].max(axis=1) if rows else nothing,
        fresh,
        np.full(size, covered),
        links.together[:, rows].max(axis=1) if rows else nothing,
        gap - gap[last] if last is not None else nothing,
        _turns_left(gap, left),
        gap - best,
        links.alike[:, last] if last is not None else nothing,
    ]
    return np.stack(columns, axis=1) if size else np.zeros((0, len(ADDED)))


def _stop(seen: Seen, chosen: Sequence[int], left: NDArray[np.bool_], fresh: Array, covered: float) -> Array:
    count, links, static = len(chosen), seen.links, seen.static
    rows = list(chosen)
    first, last = (static[rows[0]], static[rows[-1]]) if rows else (None, None)
    named = links.names[rows].max(axis=0, initial=0.0) if rows else np.zeros(seen.size)
    asked = static[:, _TITLE_ASKED]
    open_rows = static[left]
    row = [
        count / 15.0,
        *(float(count == number) for number in _COUNTED),
        float(count > _COUNTED[-1]),
        covered,
        float(fresh[left].max(initial=0.0)),
        *(0.0 if own is None else float(own[_RELEVANCE]) for own in (first, last)),
        *(0.0 if own is None else float(own[_NEAREST]) for own in (first, last)),
        0.0 if last is None else float(last[_DENSE]),
        *(float(open_rows[:, column].max(initial=0.0)) for column in (_RELEVANCE, _NEAREST, _DENSE)),
        float((named * static[:, _RELEVANCE])[left].max(initial=0.0)),
        min(float(asked[left].sum()), 3.0) / 3.0,
        min(float(asked[rows].sum()), 3.0) / 3.0,
        float(links.names[np.ix_(rows, rows)].max(initial=0.0)),
        float(static[rows, _NEAREST].mean()) if rows else 0.0,
    ]
    return np.array(row, dtype=np.float64)


def _turns_left(gap: Array, left: NDArray[np.bool_]) -> Array:
    """Return 1/rank among the candidates left; for a chosen one as if it were."""
    ordered = np.sort(-gap[left])
    return 1.0 / (1.0 + np.searchsorted(ordered, -gap, side="left").astype(np.float64))


def _spread(row: Array, size: int) -> Array:
    return np.broadcast_to(row, (size, len(row)))
