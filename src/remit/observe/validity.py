"""Does each revision in use hold for the contract; and if the record cannot say, that it cannot."""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import date
from typing import Final, NamedTuple, Protocol

from remit.access.scope import Scope
from remit.answer.draft import Draft
from remit.answer.evidence import Evidence, quoted
from remit.contract.contract import Contract, RevisionWanted
from remit.contract.parameters import bound_value, matches
from remit.contract.quantity import Dated, dates
from remit.corpus.document import Revision, Snapshot
from remit.observe.observation import RevisionFault, RevisionState, State, Validity
from remit.rerank.ranking import Ranking

METHOD: Final = "record/3"
_YEAR: Final = re.compile(r"(?<![\w./-])(?P<year>(?:19|20)\d{2})(?![\w./-]*\d)")
_IN_YEAR: Final = re.compile(
    rf"\b(?:in|of|for|during|since|by|from|until|before|im jahr|en) {_YEAR.pattern}", re.IGNORECASE
)


class Revisions(Protocol):
    """Reads the revisions of a document that a scope opens."""

    def revisions(self, document: str, scope: Scope, *, snapshot: Snapshot) -> tuple[Revision, ...]:
        """Return the revisions in order of their validity."""


class _Standing(NamedTuple):
    state: State
    fault: RevisionFault | None


def validity(
    contract: Contract,
    scope: Scope,
    snapshot: Snapshot,
    ranking: Ranking,
    draft: Draft,
    *,
    record: Revisions,
    weighed: tuple[Evidence, ...] = (),
) -> Validity:
    """Return how each revision of the ranking stands to the contract, and the faults of those that the draft rests on.

    A revision without status and dates holds only where it is the document's single one; beside others it is undated.
    Two revisions of one document that hold at once are told apart by nothing the question says: conflicting metadata.
    One that holds, but whose quoted sentence is for another value of a key that the question fixes, applies to something
    else: a question about one thing is never answered with what holds for another. One that began to hold after a day or
    year that the question speaks of, or ends before it, and says nothing of it, does not hold for it.
    """
    used = {citation.revision_id for citation in draft.citations}
    elsewhere = _elsewhere(contract, quoted(draft, weighed))
    states, faults = [], []
    for source in {hit.source.id: hit.source for hit in ranking.hits}.values():
        siblings = record.revisions(source.document, scope, snapshot=snapshot)
        standing = _standing(contract.wanted, source, siblings)
        fault, is_used = standing.fault, source.id in used
        states.append(RevisionState(revision=source.id, state=standing.state, holds=fault is None, used=is_used))
        if fault is None and is_used:
            fault = _of_another_day(contract, source, siblings, ranking)
        if fault is None and source.id in elsewhere:
            fault = RevisionFault(revision=source.id, reason="other-applicability")
        if fault is not None and is_used:
            faults.append(fault)
    return Validity(
        holds=tuple(sorted(state.revision for state in states if state.holds)),
        faults=tuple(faults),
        contested=tuple(sorted(state.revision for state in states if state.state == "conflicting-metadata")),
        states=tuple(states),
        method=METHOD,
    )


def told_apart(valid: Validity) -> Validity:
    """Return the reading with contested revisions named as ambiguous, where the draft rests on one of them.

    They agree in what they say, or a contradiction would have been found: it is the question that must say which is meant.
    """
    if not any(fault.reason == "conflicting-metadata" for fault in valid.faults):
        return valid
    return valid.model_copy(update={"ambiguous": valid.contested})


def _of_another_day(
    contract: Contract, source: Revision, siblings: tuple[Revision, ...], ranking: Ranking
) -> RevisionFault | None:
    """Return the fault of a revision that began after, or ends before, a day of the question that its passages do not mention.

    A day after "as of" chose the revision already; any other may be when something happened, which a later report tells.
    """
    if contract.wanted.historical or contract.wanted.named is not None:
        return None
    texts = [f"{source.title}\n{hit.passage.text}" for hit in ranking.hits if hit.source.id == source.id]
    told = [day for text in texts for day in _days(text, _YEAR)]
    asked = [
        (first, last)
        for first, last in _days(contract.question, _IN_YEAR)
        if not any(first <= start and end <= last for start, end in told)
    ]
    if source.valid_from is not None and any(last < source.valid_from for _, last in asked):
        return RevisionFault(revision=source.id, reason="future")
    if any(_over(source, siblings, first) for first, _ in asked):
        return RevisionFault(revision=source.id, reason="expired")
    return None


def _over(source: Revision, siblings: tuple[Revision, ...], day: date) -> bool:
    """Say whether a revision has ended by a day: its time is out, or one that replaces it has begun."""
    if source.valid_to is not None and source.valid_to <= day:
        return True
    later = (other for other in siblings if other.id != source.id and other.status not in {"draft", "withdrawn"})
    return any(
        source.id in other.supersedes and other.valid_from is not None and other.valid_from <= day for other in later
    )


def _days(text: str, year: re.Pattern[str]) -> list[tuple[date, date]]:
    """Return the days that a text speaks of, each as its first and its last day: a month or a year spans several."""
    found = dates(text)
    alone = (one for one in year.finditer(text) if not any(day.start <= one.start("year") < day.end for day in found))
    return [(one.day, _last(one)) for one in found] + [
        (date(int(one["year"]), 1, 1), date(int(one["year"]), 12, 31)) for one in alone
    ]


def _last(one: Dated) -> date:
    return one.day.replace(day=monthrange(one.day.year, one.day.month)[1]) if one.whole_month else one.day


def _elsewhere(contract: Contract, cited: tuple[Evidence, ...]) -> frozenset[str]:
    """Return the revisions of quoted sentences that are for another value of a key than the one the question fixes."""
    found = set()
    for evidence in cited:
        for key, values in evidence.applies:
            bound = bound_value(contract, key, values)
            if bound is not None and not matches(bound, values):
                found.add(evidence.hit.passage.revision_id)
    return frozenset(found)


def _standing(wanted: RevisionWanted, source: Revision, siblings: tuple[Revision, ...]) -> _Standing:
    """Return how a revision stands, by its own record and by the other revisions of its document."""
    if wanted.named == source.revision and source.status not in {"draft", "withdrawn"}:
        return _Standing("named", None)
    others = [sibling for sibling in siblings if sibling.id != source.id]
    if source.undated:
        fault = RevisionFault(revision=source.id, reason="undated") if others else None
        return _Standing("unlabelled", fault)
    at, state = wanted.at, _ended(wanted, source)
    if source.status in {"draft", "withdrawn"}:
        state = "draft" if source.status == "draft" else "withdrawn"
    elif source.valid_from is not None and source.valid_from > at:
        state = "future"
    elif state is None and any(_overlaps(source, other, wanted) for other in others):
        state = "conflicting-metadata"
    if state is not None:
        return _Standing(state, RevisionFault.model_validate({"revision": source.id, "reason": state}))
    return _Standing("as-of" if wanted.historical else "current", None)


def _ended(wanted: RevisionWanted, source: Revision) -> State | None:
    """Return how a revision came to its end by the wanted date: replaced, or its time ran out; None where it had not."""
    replaced = source.status == "superseded"
    if source.valid_to is None:
        return "superseded" if replaced else None
    if source.valid_to > wanted.at:
        return None
    return "superseded" if replaced else "expired"


def _overlaps(source: Revision, other: Revision, wanted: RevisionWanted) -> bool:
    """Say whether another dated revision of the same document claims to hold at the same time for the same things."""
    at = wanted.at
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
