"""What the `encoder` policy sees of a question and its candidates: numbers that no encoder's dimension shows through.

Rows stand in the order of passage ids, whatever order the candidates came in, so that every sum is made in one order and
reordering the candidates cannot change a bit of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from remit.contract.contract import Contract
from remit.llm.embed import Vectors
from remit.rerank.candidate_features import CANDIDATE, candidate_features
from remit.rerank.links import Links, link
from remit.rerank.question_features import QUESTION, question_features
from remit.rerank.table import Table
from remit.retrieve.retriever import Hit

Array = NDArray[np.float64]
VERSION: Final = "seen/1"
"""Changes with the meaning of any feature: weights are for one version."""


class Seen(NamedTuple):
    """A question's candidates as numbers, n rows in the order of `ids`.

    `static` (n, len(CANDIDATE)) does not change while passages are chosen, `question` (len(QUESTION),) is the same for
    all rows. `carried` (n, terms) says which terms of the question a row holds, and `weights` (terms,) what each weighs;
    they sum to 1. `links` holds what connects two rows.
    """

    ids: tuple[str, ...]
    static: Array
    question: Array
    carried: Array
    weights: Array
    links: Links

    @property
    def size(self) -> int:
        """How many candidates there are."""
        return len(self.ids)

    def row(self, id: str) -> int:
        """Return the row of a passage.

        Raises:
            ValueError: it is no candidate.
        """
        return self.ids.index(id)


def look(contract: Contract, hits: Sequence[Hit], question: Vectors, vectors: Sequence[Vectors]) -> Seen:
    """Return what can be seen of candidates: `question` is the claim's unit vector (d,), `vectors` hold one row a sentence.

    Each passage id is looked at once, the first time it comes.
    """
    first = {hit.passage.id: (hit, rows) for hit, rows in reversed(list(zip(hits, vectors, strict=True)))}
    ids = tuple(sorted(first))
    ordered, sentences = [first[id][0] for id in ids], [first[id][1] for id in ids]
    table = Table.of(contract, ordered, np.asarray(question, dtype=np.float64).ravel(), sentences)
    links = link(table)
    return Seen(
        ids=ids,
        static=candidate_features(table, links),
        question=question_features(contract, table),
        carried=table.carried,
        weights=table.weights,
        links=links,
    )


__all__ = ["CANDIDATE", "QUESTION", "VERSION", "Links", "Seen", "look"]
