"""Revisions, passages and rankings written by hand, for tests of the parts that read them."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime

from remit.access.scope import Scope
from remit.contract.catalogue import Catalogue
from remit.contract.contract import Contract
from remit.contract.frame import Given, frame
from remit.contract.value import text_digest
from remit.corpus.document import Passage, Revision, Span
from remit.rerank.ranking import Ranking
from remit.retrieve.retriever import Hit

TODAY = date(2026, 11, 30)
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
STAFF = Scope(principal="mara", labels=frozenset({"public", "staff"}), policy="t")


def revision(document: str, number: str = "1", **fields: object) -> Revision:
    """Write a revision that holds today and that staff may read, with any fields changed."""
    whole: dict[str, object] = {
        "document": document,
        "revision": number,
        "title": document,
        "collection": "procedures",
        "labels": ["staff"],
        "status": "current",
        "valid_from": date(2025, 1, 1),
        "authority": "authoritative",
        "digest": text_digest(document + number),
        "recorded_at": NOW,
    }
    return Revision.model_validate(whole | fields)


def hit(source: Revision, text: str, *, section: tuple[str, ...] = (), start: int = 0, kind: str = "prose") -> Hit:
    """Write a hit whose passage holds `text` at `start`; sentences end at full stops, table rows at line ends."""
    pattern = r"[^\n]+" if kind == "table" else r"[^\n]+?\.(?=\s|$)"
    spans = tuple(Span(start + m.start(), start + m.end()) for m in re.finditer(pattern, text))
    spans = tuple(Span(s.start + _blank(text, s, start), s.end) for s in spans)
    passage = Passage.model_validate(
        {
            "id": f"{source.id}#{start}",
            "document": source.document,
            "revision": source.revision,
            "ordinal": start,
            "section": section,
            "start": start,
            "end": start + len(text),
            "text": text,
            "sentences": spans,
            "kind": kind,
        }
    )
    return Hit(passage=passage, source=source, score=1.0)


def _blank(text: str, span: Span, start: int) -> int:
    written = text[span.start - start : span.end - start]
    return len(written) - len(written.lstrip())


def ranked(*hits: Hit) -> Ranking:
    """Write a ranking of these hits."""
    return Ranking(hits=hits, policy="t", reason="written")


def asked(question: str, **given: object) -> Contract:
    """Frame a question asked today."""
    return frame(question, Given(today=TODAY, **given), Catalogue(), lambda _: None)  # type: ignore[arg-type]
