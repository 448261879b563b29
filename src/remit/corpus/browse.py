"""Looking through a store without a question: documents in order, and one passage by its id. Always inside a scope."""

from __future__ import annotations

from typing import NamedTuple

from remit.access.scope import Scope
from remit.corpus.sealing import PASSAGE
from remit.corpus.soundness import reading
from remit.corpus.sql_read import SqlReader
from remit.corpus.sql_rows import FROM_LIVE, IN_SCOPE, passage_of, scope_arguments, sound_passage
from remit.corpus.store import Row

_DOCUMENTS = f"""SELECT DISTINCT r.document {FROM_LIVE} AND m.removed_in IS NULL AND {IN_SCOPE}
    AND r.document > :after ORDER BY r.document LIMIT :limit"""

_PASSAGE = f"""SELECT {PASSAGE} FROM passage p
    JOIN revision r ON r.key = p.revision_key JOIN metadata m ON m.revision_key = r.key AND m.removed_in IS NULL
    WHERE r.removed_in IS NULL AND p.id = :id AND {IN_SCOPE}"""  # noqa: S608 - constants; every value is bound


class Page(NamedTuple):
    """Documents by id, in order; `more` says whether others follow."""

    documents: tuple[str, ...]
    more: bool


class Browser:
    """Reads a corpus in order. Threads may share one."""

    def __init__(self, corpus: SqlReader) -> None:
        self._connections, self._corpus = corpus.connections, corpus

    def documents(self, scope: Scope, *, after: str = "", limit: int = 50) -> Page:
        """Return the documents that the scope opens, by id, those that follow `after`."""
        if scope.empty or not self._connections.can_hold(after):
            return Page((), more=False)
        arguments = {**scope_arguments(scope), "after": after, "limit": limit + 1}
        with reading(self._connections) as connection:
            found = [name for (name,) in connection.execute(_DOCUMENTS, arguments)]
        return Page(tuple(found[:limit]), more=len(found) > limit)

    def passage(self, id: str, scope: Scope) -> Row | None:
        """Return a passage of a live revision with that revision, or None where the scope opens none of that id."""
        if scope.empty or not self._connections.can_hold(id):
            return None
        name, _, _ = id.rpartition("#")
        document, _, _ = name.rpartition("@")
        with reading(self._connections) as connection:
            found = connection.execute(_PASSAGE, {**scope_arguments(scope), "id": id}).fetchone()
        text = self._corpus.text(name, scope) if found is not None else None
        snapshot = self._corpus.snapshot()
        source = next((r for r in self._corpus.revisions(document, scope, snapshot=snapshot) if r.id == name), None)
        # The second lock on the same door: text and revision were each read through the scope too.
        if found is None or text is None or source is None:
            return None
        row = sound_passage(found, name)
        return Row(passage_of(row, source, text[row.start : row.end]), source)
