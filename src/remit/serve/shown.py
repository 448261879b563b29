"""What is shown of hits and traces as JSON, the same on every face."""

from __future__ import annotations

from typing import Any

from remit.record.journal import Recorded
from remit.retrieve.retriever import Candidates, Hit


def found_json(found: Candidates) -> dict[str, Any]:
    """Return what a search found."""
    hits = [hit_json(rank, hit) for rank, hit in enumerate(found.hits, start=1)]
    return {"snapshot": found.snapshot.digest, "hits": hits}


def hit_json(rank: int, hit: Hit) -> dict[str, Any]:
    """Return one hit with its rank."""
    return {
        "rank": rank,
        "score": hit.score,
        "document": hit.passage.document,
        "revision": hit.passage.revision,
        "passage": hit.passage.id,
        "title": hit.source.title,
        "section": " > ".join(hit.passage.section),
        "text": hit.passage.text,
    }


def recorded_json(recorded: Recorded) -> dict[str, Any]:
    """Return a trace as it was read."""
    return {
        "trace": recorded.trace,
        "state": recorded.state,
        "asker": recorded.asker,
        "question": recorded.question,
        "opened_at": recorded.opened_at,
        "closed_at": recorded.closed_at,
        "entries": [entry.model_dump(mode="json") for entry in recorded.entries],
    }
