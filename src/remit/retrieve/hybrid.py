"""The default search: lexical and dense over every visible row, fused by a weighted sum."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

import numpy as np

from remit.access.scope import Scope
from remit.corpus.document import Passage, Snapshot
from remit.corpus.store import Corpus, Row
from remit.errors import NothingThere
from remit.llm.embed import Embed, Vectors
from remit.retrieve.fuse import Leg, ranked, rarest, weighted
from remit.retrieve.lexical import K1, B, Scores
from remit.retrieve.retriever import Candidates, Hit, Search, SetAside
from remit.retrieve.view import Inside, Searched, Sight, Views

Done = TypeVar("Done")

LEXICAL = 0.15
"""What BM25's weight of a term that a single row holds adds to a cosine; chosen on training questions: docs/adr/0013."""

MOST_SET_ASIDE = 10
LEAST_SHARE = 0.15
"""A row set aside matches well from here on, or at half of the best one's share if that is more."""


class HybridRetriever:
    """Exact hybrid search: each visible row gets its cosine and its BM25 score, counted in rarest terms.

    A question of many rare words trusts the lexical leg further than one of few common ones; plain reciprocal ranks do
    worse than the dense leg alone. Rows are seen through `index` where one is given, with the same result as through
    the corpus alone, which reads all of them; `kept_rows` bounds what that keeps.
    """

    def __init__(
        self,
        corpus: Corpus,
        embed: Embed,
        *,
        index: Sight | None = None,
        lexical_weight: float = LEXICAL,
        dense_weight: float = 1.0,
        kept_rows: int = 100_000,
    ) -> None:
        self._corpus, self._embed = corpus, embed
        self._lexical_weight, self._dense_weight = lexical_weight, dense_weight
        self._sight: Sight = index or Views(corpus, kept_rows)
        self.name = f"hybrid/2: bm25(k1={K1}, b={B}) x {lexical_weight} + {embed.name} x {dense_weight}"

    def search(self, search: Search, scope: Scope, snapshot: Snapshot) -> Candidates:
        """Return min(k, visible) hits, best first; `visible` counts the rows the filters leave.

        The same text in several revisions of one document is one hit, the best; the next ones move up.
        """
        try:
            return self._search(search, scope, snapshot)
        except NothingThere:  # a delete came between rows and vectors: what is left is searched
            return self._search(search, scope, snapshot)

    def caught_up(self, done: Done) -> Done:
        """Return what was done to the corpus, once the index on disk holds it too."""
        self._sight.keep_up()
        return done

    def sentence_vectors(self, passage: Passage, scope: Scope) -> Vectors:
        """Return one vector per sentence of a passage in the scope, in their order."""
        return self._corpus.vectors([passage.id], scope)[1][0]

    def _search(self, search: Search, scope: Scope, snapshot: Snapshot) -> Candidates:
        view = self._sight.view(scope, search.wanted, snapshot)
        secondary = self._corpus.catalogue().secondary
        inside = view.inside(search.filters, secondary)
        visible = view.size if inside is None else int(inside.sum())
        return Candidates(
            hits=self._hits(view, search, inside) if visible and search.k > 0 else (),
            set_aside=_set_aside(view, search, secondary),
            readable=view.readable(search.filters),
            visible=visible,
            snapshot=snapshot,
        )

    def _hits(self, view: Searched, search: Search, inside: Inside) -> tuple[Hit, ...]:
        words = view.scores(search.query)
        cosines = view.cosines(self._embed.embed([search.query]))
        lexical = self._lexical_weight / rarest(view.size)
        legs = [Leg(words, lexical), Leg(cosines, self._dense_weight)]
        scores = weighted(legs, view.size)
        hits = []
        for at, row in _first(view, scores if inside is None else np.where(inside, scores, np.nan), search.k):
            shared = float(words[at])
            hits.append(
                Hit(
                    passage=row.passage,
                    source=row.source,
                    score=float(scores[at]),
                    lexical=shared if shared > 0 else None,
                    dense=float(cosines[at]),
                )
            )
        return tuple(hits)


def _first(view: Searched, scores: Scores, k: int) -> list[tuple[int, Row]]:
    """Return the `k` best places with their rows, without the texts that another revision has given already."""
    depth = k
    while True:
        order = ranked(scores, depth, view.ids).tolist()
        kept = list(_uncopied(zip(order, view.rows(order), strict=True)))
        if len(kept) >= k or len(order) < depth:
            return kept[:k]
        depth *= 2  # copies have made room


def _uncopied(found: Iterable[tuple[int, Row]]) -> Iterable[tuple[int, Row]]:
    """Yield what was found without the text that another revision of the same document has given already."""
    given: dict[tuple[str, str], str] = {}
    for at, row in found:
        passage = row.passage
        if given.setdefault((passage.document, passage.text), passage.revision) == passage.revision:
            yield at, row


def _set_aside(view: Searched, search: Search, secondary: frozenset[str]) -> tuple[SetAside, ...]:
    """Return the rows set aside that match the query well, best first."""
    matched = view.aside_matches(search.query)
    if not len(matched.scores):
        return ()
    inside = view.aside_inside(search.filters, secondary)
    shares = matched.shares if inside is None else np.where(inside, matched.shares, 0.0)
    least = max(LEAST_SHARE, float(shares.max()) / 2)
    scores = np.where(shares >= least, matched.scores, np.nan)
    order = ranked(scores, MOST_SET_ASIDE, lambda places: [one.passage for one in view.set_aside(places)])
    return tuple(view.set_aside(order.tolist()))
