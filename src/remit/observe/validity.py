"""Does each revision in use hold for the contract; and if the record cannot say, that it cannot."""

from __future__ import annotations

from typing import Final, Protocol

from remit.access.scope import Scope
from remit.answer.draft import Draft
from remit.contract.contract import Contract
from remit.corpus.document import Revision, Snapshot
from remit.observe.observation import RevisionFault, Validity
from remit.rerank.ranking import Ranking

METHOD: Final = "record/1"


class Revisions(Protocol):
    """Reads the revisions of a document that a scope opens."""

    def revisions(self, document: str, scope: Scope, *, snapshot: Snapshot) -> tuple[Revision, ...]:
        """Return the revisions in order of their validity."""


def validity(
    contract: Contract, scope: Scope, snapshot: Snapshot, ranking: Ranking, draft: Draft, *, record: Revisions
) -> Validity:
    """Return which revisions of the ranking hold, and the faults of those that the draft rests on.

    A revision without status and dates holds only where it is the document's single one; beside others it is undated.
    Two revisions of one document that hold at once are told apart by nothing the question says: conflicting metadata.
    """
    used = {citation.revision_id for citation in draft.citations}
    faults, holds, contested = [], [], []
    for source in {hit.source.id: hit.source for hit in ranking.hits}.values():
        fault = _fault(contract, source, record.revisions(source.document, scope, snapshot=snapshot))
        if fault is None:
            holds.append(source.id)
            continue
        if fault.reason == "conflicting-metadata":
            contested.append(source.id)
        if source.id in used:
            faults.append(fault)
    return Validity(holds=tuple(sorted(holds)), faults=tuple(faults), contested=tuple(sorted(contested)), method=METHOD)


def told_apart(valid: Validity) -> Validity:
    """Return the reading with contested revisions named as ambiguous, where the draft rests on one of them.

    They agree in what they say, or a contradiction would have been found: it is the question that must say which is meant.
    """
    if not any(fault.reason == "conflicting-metadata" for fault in valid.faults):
        return valid
    return valid.model_copy(update={"ambiguous": valid.contested})


def _fault(contract: Contract, source: Revision, siblings: tuple[Revision, ...]) -> RevisionFault | None:
    named = contract.wanted.named
    if named is not None and source.revision == named and source.status not in {"draft", "withdrawn"}:
        return None
    others = [sibling for sibling in siblings if sibling.id != source.id]
    if source.undated:
        return RevisionFault(revision=source.id, reason="undated") if others else None
    at = contract.wanted.at
    if source.status == "draft":
        return RevisionFault(revision=source.id, reason="draft")
    if source.status == "withdrawn":
        return RevisionFault(revision=source.id, reason="withdrawn")
    if source.valid_from is not None and source.valid_from > at:
        return RevisionFault(revision=source.id, reason="future")
    if source.valid_to is not None and source.valid_to <= at:
        return RevisionFault(revision=source.id, reason="expired")
    if any(_overlaps(source, other, contract) for other in others):
        return RevisionFault(revision=source.id, reason="conflicting-metadata")
    return None


def _overlaps(source: Revision, other: Revision, contract: Contract) -> bool:
    """Say whether another dated revision of the same document claims to hold at the same time for the same things."""
    at = contract.wanted.at
    if other.undated or other.status in {"draft", "withdrawn", "superseded"} or source.status == "superseded":
        return False
    if (other.valid_from is not None and other.valid_from > at) or (
        other.valid_to is not None and other.valid_to <= at
    ):
        return False
    if source.id in other.supersedes or other.id in source.supersedes:
        return False
    mine, others = dict(source.applies_to), dict(other.applies_to)
    return not any(set(mine[key]).isdisjoint(others[key]) for key in mine.keys() & others.keys())
