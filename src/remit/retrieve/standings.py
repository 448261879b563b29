"""Which runs a scope opens, and how each stands at a date: read from the store for each scope, never kept in the index.

The same answer as `Corpus.readable` gives, without making a row: labels, dates and deletions change, runs do not.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from datetime import date
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from remit.access.scope import Scope
from remit.contract.contract import RevisionWanted
from remit.corpus.document import Revision
from remit.corpus.sessions import Session
from remit.corpus.sql_rows import AT_SNAPSHOT, IN_SCOPE, closings, scope_arguments
from remit.corpus.standing import set_aside

REASONS = ("", "draft", "withdrawn", "superseded", "expired", "future", "other revision")
"""Why a run is set aside, by number; 0: it is visible."""
VISIBLE = 0

# The first condition says nothing new: it names the labels first, so that SQLite begins with their few rows.
_RUNS = f"""SELECT n.key, r.key, r.document, r.revision, m.collection, m.status, m.valid_from, m.valid_to,
    n.title <> m.title OR n.language <> m.language
    FROM metadata m JOIN revision r ON r.key = m.revision_key JOIN run n ON n.revision_key = r.key
    WHERE m.key IN (SELECT metadata_key FROM label WHERE label IN (SELECT value FROM json_each(:labels)))
    AND r.removed_in IS NULL AND {IN_SCOPE} AND {AT_SNAPSHOT}"""  # noqa: S608 - constants; every value is bound


class Standings(NamedTuple):
    """The runs in a scope, one place each: keys, revisions, why set aside, and numbers of collection and document.

    `odd` ones had another title or language at the snapshot than they are indexed under. `starts` tells from when a
    revision is replaced.
    """

    runs: NDArray[np.int64]
    revisions: NDArray[np.int64]
    reasons: NDArray[np.uint8]
    collections: NDArray[np.int64]
    documents: NDArray[np.int64]
    odd: NDArray[np.bool_]
    names: tuple[str, ...]
    starts: Mapping[str, date]

    def among(self, runs: NDArray[np.int64]) -> Standings:
        """Return those of the runs that are among the ones given."""
        kept = np.isin(self.runs, runs)
        return self._replace(
            runs=self.runs[kept],
            revisions=self.revisions[kept],
            reasons=self.reasons[kept],
            collections=self.collections[kept],
            documents=self.documents[kept],
            odd=self.odd[kept],
        )


def standings(connection: Session, scope: Scope, wanted: RevisionWanted, number: int) -> Standings:
    """Return the runs in the scope as they stand, in the state of the store with that number."""
    starts = closings(connection, number)
    judged = _Judge(wanted, starts)
    collections: dict[str, int] = {}
    documents: dict[str, int] = {}
    found = array("q")
    rows = () if scope.empty else connection.execute(_RUNS, {"number": number, **scope_arguments(scope)})
    for run, key, document, revision, collection, status, valid_from, valid_to, odd in rows:
        reason = judged.reason(document, revision, (status, valid_from, valid_to))
        names = collections.setdefault(collection, len(collections)), documents.setdefault(document, len(documents))
        found.extend((run, key, reason, *names, odd))
    columns = np.frombuffer(found, dtype=np.int64).reshape(-1, 6)
    return Standings(
        runs=columns[:, 0].copy(),
        revisions=columns[:, 1].copy(),
        reasons=columns[:, 2].astype(np.uint8),
        collections=columns[:, 3].copy(),
        documents=columns[:, 4].copy(),
        odd=columns[:, 5].astype(np.bool_),
        names=tuple(collections),
        starts=starts,
    )


class _Judge:
    """Says how revisions stand; those that say the same about themselves are judged once."""

    def __init__(self, wanted: RevisionWanted, starts: Mapping[str, date]) -> None:
        self._wanted, self._starts = wanted, starts
        self._known: dict[tuple[str | None, str | None, str | None, date | None], int] = {}

    def reason(self, document: str, revision: str, said: tuple[str | None, str | None, str | None]) -> int:
        id = f"{document}@{revision}"
        start = self._starts.get(id) if self._starts else None
        key = (*said, start)
        if (found := self._known.get(key)) is None:
            found = self._known[key] = REASONS.index(self._judged(*said, start) or "")
        if self._wanted.named is None or REASONS[found] in {"draft", "withdrawn"}:
            return found
        if self._wanted.named in {revision, id}:
            return VISIBLE
        return found or REASONS.index("other revision")

    def _judged(
        self, status: str | None, valid_from: str | None, valid_to: str | None, start: date | None
    ) -> str | None:
        # Unchecked: these three fields are all that the rule reads, and the store has checked them.
        fields: dict[str, Any] = {
            "status": status,
            "valid_from": valid_from and date.fromisoformat(valid_from),
            "valid_to": valid_to and date.fromisoformat(valid_to),
        }
        return set_aside(Revision.model_construct(**fields), start, self._wanted.at)
