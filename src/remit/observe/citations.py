"""Is every quotation found where its citation says."""

from __future__ import annotations

from typing import Final

from remit.access.scope import Scope
from remit.answer.draft import Citation, Draft
from remit.contract.value import text_digest
from remit.observe.observation import CitationCheck
from remit.rerank.ranking import Ranking

METHOD: Final = "span/1"


def citations(draft: Draft, ranking: Ranking, scope: Scope) -> CitationCheck:
    """Return which citations stand in the ranking, inside the scope, with their quote at its span."""
    verified = tuple(c.digest for c in draft.citations if stands(c, ranking, scope))
    failed = tuple(c.digest for c in draft.citations if c.digest not in verified)
    return CitationCheck(verified=verified, failed=failed, method=METHOD)


def stands(citation: Citation, ranking: Ranking, scope: Scope) -> bool:
    """Say whether a citation names a ranked passage of the same revision that holds its quote at its span."""
    hit = ranking.find(citation.passage)
    if hit is None or hit.passage.revision_id != citation.revision_id:
        return False
    if not scope.admits(hit.source.labels, hit.source.collection, hit.source.document):
        return False
    if not hit.passage.start <= citation.start < citation.end <= hit.passage.end:
        return False
    at_span = hit.passage.text[citation.start - hit.passage.start : citation.end - hit.passage.start]
    return at_span == citation.quote and text_digest(citation.quote) == citation.digest
