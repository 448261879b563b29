"""What connects two candidates: one names the other, they say the same, they share rare words, they are of one document."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from remit.rerank.table import Table

Array = NDArray[np.float64]
LEADING: Final = 6
"""So many sentences of a passage, the ones most like the question, are compared with those of the others."""


class Links(NamedTuple):
    """Square tables over the candidates, 0 on the diagonal.

    ``names[i, j]`` is 1 where i's text names what j's title names. `alike` is the cosine of the two nearest of their
    leading sentences, `shared` the cosine of their terms weighed by rarity, without the question's; `together` is 1 where
    both are of one document.
    """

    names: Array
    alike: Array
    shared: Array
    together: Array


def link(table: Table) -> Links:
    """Return what connects the rows of a table."""
    size = len(table.hits)
    apart = 1.0 - np.eye(size)
    documents = [hit.passage.document for hit in table.hits]
    together = np.array([[float(one == other) for other in documents] for one in documents]).reshape(size, size)
    names = np.array([[float(bool(name) and name in text) for name in table.names] for text in table.phrases]).reshape(
        size, size
    )
    return Links(
        names=names * (1.0 - together) * apart,
        alike=_alike(table) * apart,
        shared=_shared(table) * apart,
        together=together * apart,
    )


def _alike(table: Table) -> Array:
    """Return the largest cosine between a leading sentence of one and one of the other."""
    size = len(table.hits)
    leading = [
        rows[np.argsort(-near, kind="stable")[:LEADING]]
        for rows, near in zip(table.sentences, table.nearness, strict=True)
    ]
    filled = [at for at, rows in enumerate(leading) if len(rows)]
    found = np.zeros((size, size))
    if filled:
        stacked = np.concatenate([leading[at] for at in filled]).astype(np.float64)
        starts = np.cumsum([0, *(len(leading[at]) for at in filled)])[:-1]
        cosines = np.clip(stacked @ stacked.T, -1.0, 1.0)
        largest = np.maximum.reduceat(np.maximum.reduceat(cosines, starts, axis=0), starts, axis=1)
        found[np.ix_(filled, filled)] = largest
    return found


def _shared(table: Table) -> Array:
    """Return the cosine of the rows' terms, each weighed by how few of the rows hold it."""
    size = len(table.hits)
    asked = set(table.asked)
    column: dict[str, int] = {}
    held = [[column.setdefault(term, len(column)) for term in sorted(terms - asked)] for terms in table.terms]
    matrix = np.zeros((size, max(1, len(column))))
    for row, columns in enumerate(held):
        matrix[row, columns] = 1.0
    often = matrix.sum(axis=0)
    matrix *= np.log((size + 1.0) / np.maximum(often, 1.0))
    lengths = np.sqrt((matrix * matrix).sum(axis=1))
    matrix /= np.where(lengths > 0, lengths, 1.0)[:, None]
    cosines: Array = matrix @ matrix.T
    return cosines
