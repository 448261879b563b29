"""Looking through a store without a question: documents in order, and one passage by its id. Always inside a scope."""

from __future__ import annotations

import json
from typing import NamedTuple

from remit.access.scope import Scope
from remit.corpus.document import Passage, Span
from remit.corpus.sql_read import FROM_LIVE, IN_SCOPE, SqlReader
from remit.corpus.store import Row

_DOCUMENTS = f"""SELECT DISTINCT r.document {FROM_LIVE} AND m.removed_in IS NULL AND {IN_SCOPE}
    AND r.document > :after ORDER BY r.document LIMIT :limit"""

_PASSAGE = f"""SELECT p.ordinal, p.section, p.start_at, p.end_at, p.kind, p.sentences FROM passage p
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
        arguments = {**_arguments(scope), "after": after, "limit": limit + 1}
        with self._connections.reading() as connection:
            found = [name for (name,) in connection.execute(_DOCUMENTS, arguments)]
        return Page(tuple(found[:limit]), more=len(found) > limit)

    def passage(self, id: str, scope: Scope) -> Row | None:
        """Return a passage of a live revision with that revision, or None where the scope opens none of that id."""
        if scope.empty or not self._connections.can_hold(id):
            return None
        name, _, _ = id.rpartition("#")
        document, _, revision = name.rpartition("@")
        with self._connections.reading() as connection:
            found = connection.execute(_PASSAGE, {**_arguments(scope), "id": id}).fetchone()
        text = self._corpus.text(name, scope) if found is not None else None
        snapshot = self._corpus.snapshot()
        source = next((r for r in self._corpus.revisions(document, scope, snapshot=snapshot) if r.id == name), None)
        # The second lock on the same door: text and revision were each read through the scope too.
        if found is None or text is None or source is None:
            return None
        ordinal, section, start, end, kind, sentences = found
        passage = Passage(
            id=id,
            document=document,
            revision=revision,
            ordinal=ordinal,
            section=tuple(json.loads(section)),
            start=start,
            end=end,
            text=text[start:end],
            sentences=tuple(Span(*span) for span in json.loads(sentences)),
            kind=kind,
        )
        return Row(passage, source)


def _arguments(scope: Scope) -> dict[str, str | int | None]:
    return {
        "labels": json.dumps(sorted(scope.labels)),
        "collections": None if scope.collections is None else json.dumps(sorted(scope.collections)),
        "documents": None if scope.documents is None else json.dumps(sorted(scope.documents)),
    }
