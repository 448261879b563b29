"""The default search: lexical and dense over every visible row, fused by a weighted sum."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from remit.access.scope import Scope
from remit.corpus.document import Passage, Snapshot
from remit.corpus.store import Corpus
from remit.errors import NothingThere
from remit.llm.embed import Embed, Vectors
from remit.retrieve.fuse import Leg, best, weighted
from remit.retrieve.lexical import K1, B, Matched
from remit.retrieve.narrow import chosen, named, within
from remit.retrieve.retriever import Candidates, Hit, Search, SetAside
from remit.retrieve.view import View, Views

LEXICAL = 0.4
"""What a full lexical match adds to a cosine; chosen on the training questions of nq, musique and hotpotqa."""

MOST_SET_ASIDE = 10
LEAST_SHARE = 0.15
"""A row set aside matches well from here on, or at half of the best one's share if that is more."""


class HybridRetriever:
    """Exact hybrid search: each visible row gets its cosine and its share of the most BM25 could give.

    A share is small where the corpus lacks the words of the question, so each question sets how far the lexical leg is
    trusted; plain reciprocal ranks do worse than the dense leg alone. `kept_rows` bounds what stays in memory.
    """

    def __init__(
        self,
        corpus: Corpus,
        embed: Embed,
        *,
        lexical_weight: float = LEXICAL,
        dense_weight: float = 1.0,
        kept_rows: int = 100_000,
    ) -> None:
        self._corpus, self._embed = corpus, embed
        self._lexical_weight, self._dense_weight = lexical_weight, dense_weight
        self._views = Views(corpus, kept_rows)
        self.name = f"hybrid/1: bm25(k1={K1}, b={B}) x {lexical_weight} + {embed.name} x {dense_weight}"

    def search(self, search: Search, scope: Scope, snapshot: Snapshot) -> Candidates:
        """Return min(k, visible) hits, best first; `visible` counts the rows the filters leave.

        The same text in several revisions of one document is one hit, the best; the next ones move up.
        """
        try:
            return self._search(search, scope, snapshot)
        except NothingThere:  # a delete came between rows and vectors: what is left is searched
            return self._search(search, scope, snapshot)

    def sentence_vectors(self, passage: Passage, scope: Scope) -> Vectors:
        """Return one vector per sentence of a passage in the scope, in their order."""
        return self._corpus.vectors([passage.id], scope)[1][0]

    def _search(self, search: Search, scope: Scope, snapshot: Snapshot) -> Candidates:
        view = self._views.view(scope, search.wanted, snapshot)
        secondary = self._corpus.catalogue().secondary
        inside = chosen(view.readable, search.filters, secondary)
        return Candidates(
            hits=self._hits(view, search, inside) if inside.any() and search.k > 0 else (),
            set_aside=_set_aside(view, search, secondary),
            readable=named(view.readable, search.filters),
            visible=int(inside.sum()),
            snapshot=snapshot,
        )

    def _hits(self, view: View, search: Search, inside: NDArray[np.bool_]) -> tuple[Hit, ...]:
        matched = view.postings.match(search.query)
        cosines = view.matrix.cosines(self._embed.embed([search.query]))
        legs = [Leg(matched.shares, self._lexical_weight), Leg(cosines, self._dense_weight)]
        scores = weighted(legs, len(view.rows))
        order = best(np.where(inside, scores, np.nan), view.ids, search.k + view.copies)
        hits = []
        for at in _uncopied(view, order.tolist()):
            row, lexical = view.rows[at], float(matched.scores[at])
            hits.append(
                Hit(
                    passage=row.passage,
                    source=row.source,
                    score=float(scores[at]),
                    lexical=lexical if lexical > 0 else None,
                    dense=float(cosines[at]),
                )
            )
            if len(hits) == search.k:
                break
        return tuple(hits)


def _uncopied(view: View, order: Iterable[int]) -> Iterable[int]:
    """Yield the places in `order` without the text that another revision of the same document has given already."""
    given: dict[tuple[str, str], str] = {}
    for at in order:
        passage = view.rows[at].passage
        if given.setdefault((passage.document, passage.text), passage.revision) == passage.revision:
            yield at


def _set_aside(view: View, search: Search, secondary: frozenset[str]) -> tuple[SetAside, ...]:
    """Return the rows set aside that match the query well, best first."""
    aside = view.readable.set_aside
    if not aside:
        return ()
    inside = within(search.filters, secondary)
    matched: Matched = view.aside.match(search.query)
    shares = np.where([inside(row) for row, _ in aside], matched.shares, 0.0)
    least = max(LEAST_SHARE, float(shares.max()) / 2)
    scores = np.where(shares >= least, matched.scores, np.nan)
    found = (aside[at] for at in best(scores, [row.passage.id for row, _ in aside], MOST_SET_ASIDE))
    return tuple(SetAside(passage=row.passage.id, revision=row.source.id, reason=reason) for row, reason in found)
