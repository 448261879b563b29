"""What is said about a revision, as one comparable value: when it changes, the revision is amended."""

from __future__ import annotations

from remit.corpus.document import Revision


def declared(revision: Revision) -> dict[str, object]:
    """Return everything said about a revision. Where its file lies (`source`) and when it was read are no part of it."""
    fields = revision.model_dump(mode="json", exclude={"source", "recorded_at"})
    return {**fields, "labels": sorted(revision.labels)}
