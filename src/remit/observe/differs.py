"""In what two statements about the same thing differ: an amount, its unit, a day, yes and no, or what they apply to. Pure."""

from __future__ import annotations

import re
from typing import Final

from remit.answer.carry import read_by
from remit.answer.draft import Draft
from remit.answer.evidence import Evidence
from remit.answer.found import Found, same_value
from remit.answer.numerals import as_english
from remit.answer.support import difference, negated
from remit.contract.contract import Contract
from remit.contract.frame import language_of
from remit.contract.terms import content_terms
from remit.observe.observation import ConflictKind, DraftFault

_SAME_WORDS: Final = 0.8
"""Share of their words that two sentences have in common from which they differ by their negation alone."""
_NUMERAL: Final = re.compile(r"\d+(?:[.,]\d+)*")


def differs(one: Evidence, other: Evidence) -> ConflictKind | None:
    """Return in what two sentences differ in the answer they give; None where they give the same, or none."""
    if _denies(one, other):
        return "negation"
    if one.found is None or other.found is None or not _comparable(one.found, other.found):
        return None
    if same_value(one.found, other.found):
        return None
    if _shares_applicability(one, other):
        return "applicability"
    return _of_values(one.found, other.found)


def draft_faults(contract: Contract, draft: Draft) -> tuple[DraftFault, ...]:
    """Return the statements of a draft that say something else than their own quotations."""
    faults = []
    for number, claim in enumerate(draft.claims, start=1):
        quotes = [citation.quote for citation in claim.citations]
        said, read = read_by(claim.text, contract), [as_english(quote, language_of(quote)) for quote in quotes]
        found = [difference(said, text, given=contract.question) for text in (*read, "\n".join(read))]
        if quotes and all(found) and claim.text not in quotes:
            passages = tuple(dict.fromkeys(citation.passage for citation in claim.citations))
            faults.append(DraftFault(claim=number, differs=found[-1] or "value", passages=passages))
    return tuple(faults)


def _comparable(one: Found, other: Found) -> bool:
    """Say whether two answers can be compared.

    Both have a value, none is a verdict where the other is a sentence, and none leaves open what the other's amount is per.
    """
    if one.value is None or other.value is None:
        return False
    kinds = (one.value[0], other.value[0])
    per = kinds[0] != kinds[1] and (kinds[0].startswith(f"{kinds[1]}/") or kinds[1].startswith(f"{kinds[0]}/"))
    return (kinds[0] == "boolean") == (kinds[1] == "boolean") and not per


def _of_values(one: Found, other: Found) -> ConflictKind:
    if one.value is None or other.value is None:
        return "value"
    if one.value[0] in {"date", "time"}:
        return "date"
    if one.value[0] == "boolean":
        return "negation"
    numerals = [_NUMERAL.findall(found.text) for found in (one, other)]
    return "unit" if numerals[0] == numerals[1] and numerals[0] else "value"


def _denies(one: Evidence, other: Evidence) -> bool:
    """Say whether one sentence says of the same words that it is not so."""
    if negated(one.text) == negated(other.text):
        return False
    mine, theirs = ({term.term for term in content_terms(e.text, e.hit.source.language)} for e in (one, other))
    both = mine & theirs
    return bool(both) and len(both) >= _SAME_WORDS * len(mine | theirs)


def _shares_applicability(one: Evidence, other: Evidence) -> bool:
    """Say whether both apply to some of the same values of a key and each to others too: which of them holds is unclear."""
    mine, theirs = dict(one.applies), dict(other.applies)
    return any(
        set(mine[key]) & set(theirs[key]) and set(mine[key]) != set(theirs[key]) for key in mine.keys() & theirs.keys()
    )
