"""A second quotation that ties the words of the question to the sentence quoted, where that sentence uses others.

Two kinds tie: a sentence that says what a word means ("Barrier liquid is the shop-floor name for quench fluid"), and a
sentence of a subsection, where the quoted one stands in the section above and speaks for all of its subsections.
"""

from __future__ import annotations

from remit.answer.definitions import definitions
from remit.answer.evidence import Evidence, among
from remit.contract.contract import Contract
from remit.contract.terms import codes, term_set


def bridge(contract: Contract, main: Evidence, weighed: tuple[Evidence, ...]) -> Evidence | None:
    """Return the sentence that carries most of the topic terms that `main` lacks and is tied to it, or None."""
    missing = [term for term in _topic(contract) if not _holds(main, term)]
    ties = [
        (sum(_holds(other, term) for term in missing), other.weight, other)
        for other in weighed
        if other is not main and (_means(other, main) or _below(other, main))
    ]
    carrying = [tie for tie in ties if tie[0] > 0]
    return max(carrying, key=lambda tie: tie[:2])[2] if carrying else None


def _topic(contract: Contract) -> tuple[str, ...]:
    return next((fact.terms for fact in contract.facts if fact.kind == "topic"), ())


def _holds(evidence: Evidence, term: str) -> bool:
    return among(term, term_set(evidence.text, evidence.hit.source.language))


def _means(other: Evidence, main: Evidence) -> bool:
    """Say whether `other` defines something by words or a code that `main` uses."""
    language = main.hit.source.language
    said = term_set(" ".join((main.hit.source.title, *main.hit.passage.section, main.text)), language)
    for definition in definitions(other.hit):
        if definition.term not in other.text or definition.meaning not in other.text:
            continue
        meaning = term_set(definition.meaning, language)
        named = set(codes(definition.meaning))
        if named & set(codes(main.text)) or (meaning and len(meaning & said) * 2 >= len(meaning)):
            return True
    return False


def _below(other: Evidence, main: Evidence) -> bool:
    """Say whether `other` stands in a subsection of the section that `main` stands in."""
    mine, section = main.hit.passage.section, other.hit.passage.section
    same = other.hit.passage.revision_id == main.hit.passage.revision_id
    return same and len(section) == len(mine) + 1 and section[: len(mine)] == mine and bool(mine)
