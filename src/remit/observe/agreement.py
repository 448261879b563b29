"""Do the sources say the same: contradictions among valid, authoritative ones, keys left open, and the draft itself."""

from __future__ import annotations

from typing import Final

from remit.answer.draft import Draft
from remit.answer.evidence import Evidence, quoted
from remit.contract.contract import Contract
from remit.observe.differs import differs, draft_faults
from remit.observe.observation import Agreement, Conflict, ConflictKind, OpenParameter, Side
from remit.observe.openkey import Key, key_between
from remit.observe.versions import versions

METHOD: Final = "values/4"
_ALIKE: Final = 0.68
"""Cosine of two sentences from which they count as speaking of the same thing; set on the tuned questions."""
_NEARLY_SAME: Final = 0.85
"""The same where whole sentences are the answer: they say the same but for their numbers."""
_VALUE: Final[ConflictKind] = "value"
_CARRIED: Final = 0.4
"""Support of each required fact from which a sentence speaks to the question at all."""


def agreement(contract: Contract, draft: Draft, weighed: tuple[Evidence, ...], holds: frozenset[str]) -> Agreement:
    """Return conflicts and open parameters among the sentences that carry the answer about as well as the drafted one.

    `holds` names the revisions that hold for the contract or claim to; others contradict nothing. Two revisions of one
    document that both claim to hold contradict each other like two documents do. What the question tells apart, by a
    key that it fixes, contradicts nothing either.
    """
    faults = draft_faults(contract, draft)
    main = _main(draft, weighed)
    if main is None:
        return Agreement(draft_faults=faults, method=METHOD)
    rivals = [
        (main, rival, kind) for rival in weighed if (kind := _differing(contract, main, rival, holds)) is not None
    ]
    conflicts, parameters = _told_apart(contract, main, rivals if _speaks(contract, main) else [])
    if not conflicts and not parameters and _speaks(contract, main):
        pairs = [
            (pair.one, pair.other, _VALUE)
            for pair in versions(contract, (main, *quoted(draft, weighed)), weighed, holds)
        ]
        conflicts, parameters = _told_apart(contract, main, pairs)
    return Agreement(conflicts=conflicts, open_parameters=parameters, draft_faults=faults, method=METHOD)


def _told_apart(
    contract: Contract, main: Evidence, pairs: list[tuple[Evidence, Evidence, ConflictKind]]
) -> tuple[tuple[Conflict, ...], tuple[OpenParameter, ...]]:
    """Return which pairs of differing sentences contradict each other, and the keys on which others differ."""
    conflicts: list[Conflict] = []
    opened: dict[str, list[tuple[Key, Evidence, Evidence]]] = {}
    for one, rival, differing in pairs:
        key = key_between(contract, one, rival)
        if key is not None and (main is one or main is rival):
            opened.setdefault(key.name, []).extend([] if key.fixed else [(key, one, rival)])
        elif key is None and _contradicts(one, rival):
            conflicts.append(_conflict(contract, differing, one, rival))
    parameters = tuple(_open(name, found) for name, found in sorted(opened.items()) if found)
    return tuple(dict.fromkeys(conflicts)), parameters


def _main(draft: Draft, weighed: tuple[Evidence, ...]) -> Evidence | None:
    """Return the sentence that the draft's first citation quotes; the others only tie it to the question."""
    first = draft.model_copy(update={"claims": draft.claims[:1]})
    start = draft.citations[0].start if draft.citations else -1
    return next((e for e in quoted(first, weighed) if e.span.start == start), None)


def _differing(contract: Contract, main: Evidence, rival: Evidence, holds: frozenset[str]) -> ConflictKind | None:
    """Return in what another sentence differs that speaks to the question about as well as the drafted one."""
    if rival is main or not rival.fits:
        return None
    if rival.hit.passage.revision_id not in holds or main.hit.passage.revision_id not in holds:
        return None
    kind = differs(main, rival)
    short = contract.form in {"number", "date", "name", "boolean"} and kind != "negation"
    alike = main.alike(rival) >= (_ALIKE if short else _NEARLY_SAME)
    return kind if alike and _speaks(contract, rival) else None


def _speaks(contract: Contract, evidence: Evidence) -> bool:
    facts = zip(contract.facts, evidence.support, strict=True)
    return all(support >= _CARRIED for fact, support in facts if not fact.optional)


def _contradicts(main: Evidence, rival: Evidence) -> bool:
    one, two = main.hit.source, rival.hit.source
    both = one.authority == "authoritative" and two.authority == "authoritative"
    return both and one.id != two.id


def _conflict(contract: Contract, differing: ConflictKind, main: Evidence, rival: Evidence) -> Conflict:
    return Conflict(
        about=_about(contract),
        first=main.hit.passage.id,
        second=rival.hit.passage.id,
        differs=differing,
        sides=(_side(main), _side(rival)),
    )


def _side(evidence: Evidence) -> Side:
    passage, span = evidence.hit.passage, evidence.span
    return Side(
        passage=passage.id, document=passage.document, revision=passage.revision, start=span.start, end=span.end
    )


def _open(name: str, found: list[tuple[Key, Evidence, Evidence]]) -> OpenParameter:
    values = sorted({value for key, _, _ in found for value in key.values})
    passages = tuple(side.hit.passage.id for _, one, rival in found for side in (one, rival))
    return OpenParameter(
        key=name, values=tuple(values), passages=tuple(dict.fromkeys(passages)), known_from=found[0][0].known_from
    )


def _about(contract: Contract) -> str:
    named = [fact.name.upper() for fact in contract.facts if fact.kind == "entity"]
    topic = [fact.name for fact in contract.facts if fact.kind == "topic"]
    return ", ".join((*named, *topic)) or contract.claim
