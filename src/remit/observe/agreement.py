"""Do the sources say the same: contradictions among valid, authoritative ones, and keys the question leaves open."""

from __future__ import annotations

from typing import Final

from remit.answer.draft import Draft
from remit.answer.evidence import Evidence, quoted
from remit.answer.found import same_value
from remit.contract.contract import Contract
from remit.contract.parameters import bound_value
from remit.observe.observation import Agreement, Conflict, OpenParameter

METHOD: Final = "values/1"
_ALIKE: Final = 0.68
"""Cosine of two sentences from which they count as speaking of the same thing; set on the tuned questions."""
_NEARLY_SAME: Final = 0.85
"""The same where whole sentences are the answer: they say the same but for their numbers."""
_CARRIED: Final = 0.4
"""Support of each required fact from which a sentence speaks to the question at all."""


def agreement(contract: Contract, draft: Draft, weighed: tuple[Evidence, ...], holds: frozenset[str]) -> Agreement:
    """Return conflicts and open parameters among the sentences that carry the answer about as well as the drafted one.

    `holds` names the revisions that hold for the contract or claim to; others contradict nothing. Two revisions of one
    document that both claim to hold contradict each other like two documents do.
    """
    main = _main(draft, weighed)
    if main is None or main.found is None or main.found.value is None or not _speaks(contract, main):
        return Agreement(method=METHOD)
    conflicts: list[Conflict] = []
    opened: dict[str, tuple[set[str], list[str]]] = {}
    for rival in weighed:
        if not _rivals(contract, main, rival, holds):
            continue
        key = _open_key(contract, main, rival)
        if key is not None:
            values, passages = opened.setdefault(key, (set(), [main.hit.passage.id]))
            values.update(dict(main.applies)[key], dict(rival.applies)[key])
            passages.append(rival.hit.passage.id)
        elif _contradicts(main, rival):
            about = _about(contract)
            conflicts.append(Conflict(about=about, first=main.hit.passage.id, second=rival.hit.passage.id))
    parameters = tuple(
        OpenParameter(key=key, values=tuple(sorted(values)), passages=tuple(dict.fromkeys(passages)))
        for key, (values, passages) in sorted(opened.items())
    )
    return Agreement(conflicts=tuple(dict.fromkeys(conflicts)), open_parameters=parameters, method=METHOD)


def _main(draft: Draft, weighed: tuple[Evidence, ...]) -> Evidence | None:
    """Return the sentence that the draft's first citation quotes; the others only tie it to the question."""
    first = draft.model_copy(update={"claims": draft.claims[:1]})
    start = draft.citations[0].start if draft.citations else -1
    return next((e for e in quoted(first, weighed) if e.span.start == start), None)


def _rivals(contract: Contract, main: Evidence, rival: Evidence, holds: frozenset[str]) -> bool:
    """Say whether another sentence gives a different value for what was asked, about as well as the drafted one."""
    if rival is main or rival.found is None or main.found is None or not rival.fits:
        return False
    if rival.hit.passage.revision_id not in holds or main.hit.passage.revision_id not in holds:
        return False
    alike = _ALIKE if contract.form in {"number", "date", "name", "boolean"} else _NEARLY_SAME
    return _speaks(contract, rival) and main.alike(rival) >= alike and not same_value(main.found, rival.found)


def _speaks(contract: Contract, evidence: Evidence) -> bool:
    facts = zip(contract.facts, evidence.support, strict=True)
    return all(support >= _CARRIED for fact, support in facts if not fact.optional)


def _open_key(contract: Contract, main: Evidence, rival: Evidence) -> str | None:
    """Return a key on which both sentences apply to different values and which the question does not fix."""
    mine, other = dict(main.applies), dict(rival.applies)
    for key in mine.keys() & other.keys():
        values = (*mine[key], *other[key])
        if set(mine[key]).isdisjoint(other[key]) and bound_value(contract, key, values) is None:
            return key
    return None


def _contradicts(main: Evidence, rival: Evidence) -> bool:
    one, two = main.hit.source, rival.hit.source
    both = one.authority == "authoritative" and two.authority == "authoritative"
    return both and one.id != two.id


def _about(contract: Contract) -> str:
    named = [fact.name.upper() for fact in contract.facts if fact.kind == "entity"]
    topic = [fact.name for fact in contract.facts if fact.kind == "topic"]
    return ", ".join((*named, *topic)) or contract.claim
