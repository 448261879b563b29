"""A yes or no that holds only under a condition: what a rule says of place, people or time that the question does not fix. Pure."""

from __future__ import annotations

import re
from typing import Final

from remit.answer.draft import Claim
from remit.contract.contract import Contract
from remit.contract.terms import content_terms, term_set
from remit.retrieve.retriever import Hit

_PLAIN: Final = re.compile(
    r"\b(?:allow\w*|permit\w*|forbidden|prohibit\w*|banned|requir\w*|need\w*|oblig\w*|mandatory|compulsory|must|may|can|cannot|shall"
    r"|strictly|generally|always|never|any|anyone|everyone|nobody|nicht|erlaubt|verboten|gestattet|interdit\w*|autoris\w*|permis\w*)\b",
    re.IGNORECASE,
)
"""Words that say yes or no, and to everybody: they set no condition."""
_RULE: Final = re.compile(
    r"\b(?:may|must|shall|allowed|permitted|forbidden|prohibited|banned|required|obliged|mandatory|compulsory|darf|dürfen|muss|müssen"
    r"|erlaubt|gestattet|verboten|doit|doivent|interdit\w*|autorisé\w*)\b",
    re.IGNORECASE,
)
_GENERAL: Final = re.compile(
    r"\b(?:rules?|regulations?|warnings?|terms?|conditions|requirements?|restrictions?|prohibitions?|limits?|safety|procedures?|instructions?|how to|polic(?:y|ies)|general|overview|introduction|scope|conduct|handbook|manual|guide|notes?|faq|hausordnung)\b",
    re.IGNORECASE,
)
"""Headings that name the rules and not where they hold."""


def sets_condition(question: str, rule: str, language: str = "en") -> bool:
    """Say whether a rule speaks of something that the question leaves open: where, when, or for whom it holds.

    >>> sets_condition("May visitors enter the lab?", "Visitors may not enter the lab after 18:00.")
    True
    >>> sets_condition("May visitors enter the lab?", "Visitors may not enter the lab.")
    False
    """
    said = {found.term for found in content_terms(_PLAIN.sub(" ", rule), language)}
    asked = term_set(question, language) | term_set(question)
    return not said <= asked


def place_of(question: str, rule: str, section: tuple[str, ...], language: str = "en") -> str | None:
    """Return the heading that says where or for whom a rule holds, where neither has any of its words."""
    heading = next((one for one in reversed(section) if not _GENERAL.search(one)), None)
    if heading is None:
        return None
    said = {found.term for found in content_terms(heading, language)}
    known = term_set(question, language) | term_set(question) | term_set(rule, language)
    return heading if said and not said & known else None


def with_condition(
    answer: str | None, claims: tuple[Claim, ...], contract: Contract, hits: tuple[Hit, ...]
) -> str | None:
    """Return a yes or no with the rule that it rests on, where that sets a condition which the question leaves open."""
    citation = next((one for claim in claims for one in claim.citations), None)
    if answer is None or citation is None or contract.form != "boolean" or not _RULE.search(citation.quote):
        return answer
    section = next((hit.passage.section[1:] for hit in hits if hit.passage.id == citation.passage), ())
    place = place_of(contract.question, citation.quote, section, contract.language)
    if place is None and not sets_condition(contract.question, citation.quote, contract.language):
        return answer
    return f"{answer}: {citation.quote}" if place is None else f"{answer}: {place}: {citation.quote}"
