"""Does a sentence speak of the people that a question is about, and of no others. Pure."""

from __future__ import annotations

import re
from typing import Final

from remit.contract.contract import RequiredFact
from remit.contract.irregular import IRREGULAR
from remit.contract.party import kinds, people
from remit.contract.terms import term_set

OTHERS, _ANYBODY_HERE = 0.2, 0.4
"""Support of a party by a sentence about others, and by one about everybody where the party is named around it."""
_THEY: Final = re.compile(r"(?:they|these|those|their|such)\b", re.IGNORECASE)


def names_party(fact: RequiredFact, text: str, headings: str, around: str) -> float:
    """Return how far a sentence speaks of a party: 1 where it or its headings name it, less around it, little of others.

    Temporary employees are others than part-time ones, and so are junior doctors where a sentence also has senior nurses.
    """
    wanted, noun = kinds(fact.words), fact.words[-1].casefold()
    said, near = (all(_says(word, where) for word in wanted) for where in (f"{headings}\n{text}", around))
    if not said and not near:
        return 0.0
    own = [one for one in people(text) if _same(one.noun, noun)]
    telling = {word for word in wanted if word != fact.words[-1]}
    if telling and own and all(one.kinds and not _shares(one.kinds, telling) for one in own):
        return OTHERS
    if said or _THEY.match(text):
        return 1.0
    others = [one for one in people(text) if one.kinds or not (_same(one.noun, noun) or not kinds((one.noun,)))]
    if others:
        return OTHERS
    return _ANYBODY_HERE if own or any(people(text)) else 0.5


def _says(word: str, text: str) -> bool:
    spaced = re.escape(word).replace(r"\-", r"[\s-]?").replace("-", r"[\s-]?")
    if re.search(rf"(?<!\w){spaced}(?!\w)", text, re.IGNORECASE) is not None:
        return True
    said = term_set(text)
    return all(term in said or not said.isdisjoint(IRREGULAR.get(term, ())) for term in term_set(word))


def _same(one: str, other: str) -> bool:
    return one == other or bool(term_set(one) & term_set(other))


def _shares(said: frozenset[str], wanted: set[str]) -> bool:
    return any(_says(word, " ".join(said)) for word in wanted)
