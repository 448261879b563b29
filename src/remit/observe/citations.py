"""Is every quotation found where its citation says."""

from __future__ import annotations

from typing import Final, Literal

from remit.access.scope import Scope
from remit.answer.draft import Citation, Draft
from remit.contract.value import text_digest
from remit.observe.observation import CitationCheck, CitationFault
from remit.rerank.ranking import Ranking

METHOD: Final = "span/1"

_Fault = Literal["not_in_use", "other_revision", "outside_scope", "outside_passage", "quote_differs"]


def citations(draft: Draft, ranking: Ranking, scope: Scope) -> CitationCheck:
    """Return which citations stand in the ranking, inside the scope, with their quote at its span; and why others do not."""
    checked = [(citation, _fault(citation, ranking, scope)) for citation in draft.citations]
    wrong = tuple(
        CitationFault(digest=citation.digest, passage=citation.passage, reason=reason)
        for citation, reason in checked
        if reason is not None
    )
    verified = tuple(citation.digest for citation, reason in checked if reason is None)
    failed = tuple(dict.fromkeys(fault.digest for fault in wrong))
    passages = tuple(dict.fromkeys(citation.passage for citation in draft.citations))
    return CitationCheck(verified=verified, failed=failed, faults=wrong, passages=passages, method=METHOD)


def _fault(citation: Citation, ranking: Ranking, scope: Scope) -> _Fault | None:
    hit = ranking.find(citation.passage)
    if hit is None:
        return "not_in_use"
    if hit.passage.revision_id != citation.revision_id:
        return "other_revision"
    if not scope.admits(hit.source.labels, hit.source.collection, hit.source.document):
        return "outside_scope"
    if not hit.passage.start <= citation.start < citation.end <= hit.passage.end:
        return "outside_passage"
    at_span = hit.passage.text[citation.start - hit.passage.start : citation.end - hit.passage.start]
    same = at_span == citation.quote and text_digest(citation.quote) == citation.digest
    return None if same else "quote_differs"
