"""What one scope sees of an indexed store: parts of the index, and which of their runs are visible or set aside."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from remit.access.scope import Filters
from remit.corpus.sessions import Sessions
from remit.corpus.store import Row
from remit.llm.embed import Vectors
from remit.retrieve.body import Body, Chosen
from remit.retrieve.lexical import Matched, Scores
from remit.retrieve.narrow import doubtful_among
from remit.retrieve.part import Part
from remit.retrieve.retriever import SetAside
from remit.retrieve.standings import REASONS, VISIBLE, Standings
from remit.retrieve.stored import Asked, Texts, below_section, gone, ids_of, rows_of, sources
from remit.retrieve.view import Inside

_EVERYTHING = Filters()


class IndexedView:
    """The rows a scope opens at one state of the store. It holds numbers only: rows are read when they are hits."""

    def __init__(
        self,
        connections: Sessions,
        asked: Asked,
        standings: Standings,
        parts: Sequence[Part],
        kept: Texts,
    ) -> None:
        self._connections, self._asked, self._standings, self._kept = connections, asked, standings, kept
        self._runs: dict[int, NDArray[np.int64]] = {}
        visible, aside = [], []
        self._passages = np.zeros(len(standings.runs), dtype=np.int64)
        left = np.arange(len(standings.runs))
        for part in parts:
            places = part.places(standings.runs[left])
            mine = np.full(len(part.runs), -1, dtype=np.int64)
            mine[places[places >= 0]] = left[places >= 0]
            left = left[places < 0]
            self._runs[id(part)] = mine
            self._passages[mine[mine >= 0]] = np.diff(part.starts)[mine >= 0]
            shown = (mine >= 0) & (_at(standings.reasons, mine) == VISIBLE)
            visible.append(_chosen(part, shown))
            aside.append(_chosen(part, (mine >= 0) & ~shown))
        self._rows: dict[int, Row] = {}
        self._body, self._aside = Body(visible), Body(aside)

    @property
    def size(self) -> int:
        """How many rows are visible."""
        return self._body.size

    @property
    def cost(self) -> int:
        """How many rows this view remembers something of."""
        return 1 + self._body.size + self._aside.size

    def readable(self, filters: Filters) -> int:
        """Return how many rows, set aside or not, lie in the collections and documents that the filters name."""
        named = Filters(collections=filters.collections, documents=filters.documents)
        return int(self._passages[self._within(named, frozenset())].sum())

    def inside(self, filters: Filters, secondary: frozenset[str]) -> Inside:
        """Return for each visible row whether the search is about it; None: all are."""
        if not secondary and filters == _EVERYTHING:
            return None
        runs = self._within(filters, secondary)
        if filters.current_only:
            runs &= ~np.isin(self._standings.revisions, self._doubtful)
        return self._spread(self._body, runs, filters)

    def scores(self, query: str) -> Scores:
        """Return the BM25 score of each visible row."""
        return self._body.scores(query)

    def cosines(self, query: Vectors) -> Scores:
        """Return the cosine of each visible row with the one row of `query`."""
        return self._body.cosines(query)

    def ids(self, places: Sequence[int]) -> list[str]:
        """Return the passage ids of visible rows."""
        keys, _ = self._body.located(np.asarray(places, dtype=np.int64))
        with self._connections.reading() as connection:
            return ids_of(connection, keys.tolist(), self._asked)

    def rows(self, places: Sequence[int]) -> list[Row]:
        """Return visible rows with their texts.

        Raises:
            NothingThere: one has gone since.
            CorpusDamaged: one is not what was written, or is lost.
        """
        known = self._rows
        new = [at for at in places if at not in known]
        keys, runs = self._body.located(np.asarray(new, dtype=np.int64))
        if new:
            with self._connections.reading() as connection:
                found = rows_of(connection, keys.tolist(), self._asked, self._standings.starts, self._kept)
                if [found[key].run for key in keys.tolist()] != runs.tolist():  # the revision was filled anew meanwhile
                    raise gone(connection, self._asked)
            known |= {at: found[key].row for at, key in zip(new, keys.tolist(), strict=True)}
        if len(known) > _MOST_ROWS:
            self._rows = {}
        return [known[at] for at in places]

    def aside_matches(self, query: str) -> Matched:
        """Return how each row set aside matches `query`, by statistics of their own."""
        return self._aside.match(query)

    def aside_inside(self, filters: Filters, secondary: frozenset[str]) -> Inside:
        """Return for each row set aside whether the search is about it; None: all are."""
        if not secondary and filters.model_copy(update={"current_only": False}) == _EVERYTHING:
            return None
        return self._spread(self._aside, self._within(filters, secondary), filters)

    def set_aside(self, places: Sequence[int]) -> list[SetAside]:
        """Return what is told of rows set aside."""
        at = np.asarray(places, dtype=np.int64)
        keys, _ = self._aside.located(at)
        reasons = self._aside.by_run(self._by_part(self._standings.reasons))[at]
        with self._connections.reading() as connection:
            ids = ids_of(connection, keys.tolist(), self._asked)
        return [
            SetAside(passage=id, revision=id.rpartition("#")[0], reason=REASONS[reason])
            for id, reason in zip(ids, reasons.tolist(), strict=True)
        ]

    @cached_property
    def _doubtful(self) -> NDArray[np.int64]:
        """The keys of the visible revisions of which the record cannot say that they are the current one."""
        standings = self._standings
        several = np.flatnonzero(np.bincount(standings.documents) > 1)
        judged = np.isin(standings.documents, several)
        shown = judged & (standings.reasons == VISIBLE)
        with self._connections.reading() as connection:
            keys = standings.revisions[judged].tolist()
            found = sources(connection, keys, self._asked, standings.starts)
        aside = {found[key].document for key in standings.revisions[judged & ~shown].tolist() if key in found}
        visible = {key: found[key] for key in standings.revisions[shown].tolist() if key in found}
        doubtful = doubtful_among(visible.values(), aside)
        return np.array([key for key, source in visible.items() if source.id in doubtful], dtype=np.int64)

    def _within(self, filters: Filters, secondary: frozenset[str]) -> NDArray[np.bool_]:
        """Return for each run whether its collection and document are searched, as `narrow.within` says of rows."""
        inside = np.ones(len(self._standings.runs), dtype=np.bool_)
        if filters.collections is None and filters.documents is None:
            inside &= ~self._in_collections(secondary)
        if filters.collections is not None:
            inside &= self._in_collections(filters.collections)
        if filters.documents is not None:
            query = "SELECT r.key FROM revision r WHERE r.document = ?"
            with self._connections.reading() as connection:
                keys = [key for one in filters.documents for (key,) in connection.execute(query, (one,))]
            inside &= np.isin(self._standings.revisions, keys)
        return inside

    def _by_part(self, values: NDArray[Any]) -> dict[int, NDArray[Any]]:
        return {part: _at(values, mine) for part, mine in self._runs.items()}

    def _in_collections(self, names: Sequence[str] | frozenset[str]) -> NDArray[np.bool_]:
        wanted = [number for number, name in enumerate(self._standings.names) if name in names]
        return np.isin(self._standings.collections, wanted)

    def _spread(self, body: Body, runs: NDArray[np.bool_], filters: Filters) -> NDArray[np.bool_]:
        inside: NDArray[np.bool_] = body.by_run(self._by_part(runs)).astype(np.bool_)
        if filters.section:
            with self._connections.reading() as connection:
                below = below_section(connection, filters.section)
            inside &= np.isin(body.located(np.arange(body.size)).keys, below)
        return inside


_MOST_ROWS = 2000
"""How many rows a view keeps with their texts before it forgets them all."""


def _at(values: NDArray[Any], places: NDArray[np.int64]) -> NDArray[Any]:
    """Return the values at some places; -1, a run outside the scope, has the value 0 and is never looked at."""
    taken: NDArray[Any] = np.append(values, values.dtype.type(0))[places]
    return taken


def _chosen(part: Part, runs: NDArray[np.bool_]) -> Chosen:
    if runs.all():
        return Chosen(part, None)
    return Chosen(part, np.flatnonzero(np.repeat(runs, np.diff(part.starts))))
