"""For whom something is asked: "managers" of "How long is probation for managers?", "part-time employees" with its adjective. Pure.

What holds for others is no answer: evidence has to name the party, in its sentence, its headings or around it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

_ANYBODY: Final = frozenset(
    """
    employees staff workers people persons users customers members colleagues others readers adults men women us them
    ours theirs years months weeks days hours minutes times things purposes reasons cases doses employee worker person
    user customer member colleague adult man woman somebody
    """.split()  # noqa: SIM905 - a list of words reads better as words
)
"""Words that name everybody a rule is made for, or nobody; an adjective before them names somebody."""
_PERSONS: Final = (
    r"(?:staff|people|personnel|crew|men|women|adults|children|minors|youths?|students?|pupils?|patients?|guests?|members?"
    r"|nurses?|doctors?|interns?|clerks?|pilots?|guards?|cooks?|chiefs?|heads?|persons?|colleagues?|couples?|famil(?:y|ies)"
    r"|parents?|mothers?|fathers?|apprentices?|volunteers?|tenants?|landlords?|households?|firms?|compan(?:y|ies)|adult|child|man|woman"
    r"|[a-z]{2,}(?:ee|ist|ian|ant|hand|holder|keeper|mate|user|owner|member)s?"
    r"|[a-z]*(?:worker|manager|driver|operator|officer|engineer|teacher|visitor|contractor|supervisor|customer|buyer|seller|lender|borrower"
    r"|passenger|player|trainer|leader|director|inspector)s?)"
)
_PEOPLE: Final = rf"(?:{_PERSONS}|[a-z]{{2,}}(?:ers|ors|ents))"
_FAR, _NEAR = 4, 120
_NOT_KINDS: Final = (
    r"(?:the|our|all|my|your|their|its|his|her|any|most|many|some|these|those|both|other|such|each|every|an?|of|to|for|in|on|at|by"
    r"|with|from|and|or|how|what|which|who|do|does|did|can|may|must|should|is|are|be|per|days?|weeks?|months?|years?|hours?)"
)
_KINDS: Final = rf"(?:(?!{_NOT_KINDS}\b)[a-z][a-z-]+\s+){{0,2}}"
_DETERMINER: Final = r"(?:(?:the|our|all|an?|each|every|any)\s+)?"
_PARTY: Final = rf"{_DETERMINER}(?P<party>{_KINDS}{_PEOPLE})\b"
_DOES: Final = (
    r"get|gets|give|hand|receive|take|have|need|pay|work|earn|claim|wait|stay|use|wear|rest|sign|attend|complete|serve|apply|register"
    r"|report|notify|owe|hold|carry|bring|keep|submit|renew|return|leave|contribute|be"
)
_ARE: Final = (
    r"granted|given|entitled|allowed|required|paid|permitted|obliged|expected|supposed|charged|exempt|insured|covered|eligible|owed"
    r"|offered|awarded|trained|tested|examined"
)
_ENDS: Final = (
    r"\s*(?:[?.!]*$|,|\s(?:in|on|at|during|after|before|with|under|when|if|who|per|until|costs?|takes?|lasts?)\b|\s(?:of|over|aged)\s\d+\b"
    r"(?!\s*(?:to|and|-|\u2013|days?|weeks?|months?|years?)))"
)
_NAMED: Final = re.compile(
    rf"\b(?P<noun>{_PERSONS}|{'|'.join(sorted(_ANYBODY - {'us', 'them', 'ours', 'theirs'}))})\b", re.IGNORECASE
)
_BEFORE: Final = re.compile(r"(?P<word>[^\W\d_][\w-]*)(?P<comma>,?)\s+$")
_SAID: Final = tuple(
    re.compile(pattern)
    for pattern in (
        rf"\b(?:[Dd]o|[Dd]oes|[Dd]id|[Cc]an|[Mm]ay|[Mm]ust|[Ss]hould|[Ww]ill|[Ss]hall)\s+{_PARTY}\s+(?:{_DOES})\b",
        rf"\b(?:[Ii]s|[Aa]re|[Ww]as|[Ww]ere)\s+{_PARTY}\s+(?:{_ARE})\b",
        rf"\b(?:for|to)\s+{_PARTY}{_ENDS}",
        rf"\b(?:of|by)\s+{_DETERMINER}(?P<party>{_KINDS}{_PERSONS})\b{_ENDS}",
        r"\b(?:for|to)\s+(?:the\s+|our\s+|all\s+)?(?P<party>[a-z]{3,}s)\s*[?.!]*$",
        r"\b(?:do|can|may|must|should)\s+(?:the\s+|our\s+|all\s+)?(?P<party>[a-z]{3,}s)\s+(?:get|receive|take|have|need|use|wear)\b",
        rf"\b(?:do|can|may|must|should)\s+(?:the\s+|our\s+|all\s+)?(?P<party>{_KINDS}[a-z]{{3,}}s)\s+(?:pay|earn|claim|owe|apply)\b",
        rf"\b(?:does|can|may|must|should)\s+(?:an?|each|every)\s+(?P<party>{_KINDS}[a-z]{{2,}}(?:er|or))\s+(?:sign|attend|complete|pay|earn|claim|owe|apply)\b",
    )
)


def party(question: str) -> str | None:
    """Return whom a question is about, lower-case as it stands; None where it names nobody in particular.

    >>> party("How many days of leave do contractors get?"), party("How much notice must part-time employees give?")
    ('contractors', 'part-time employees')
    """
    for pattern in _SAID:
        for found in pattern.finditer(question.strip()):
            words = found["party"].split()
            if len(words) > 1 or words[-1] not in _ANYBODY:
                return " ".join(words)
    return None


class Named(NamedTuple):
    """People that a text speaks of: the noun, and the words that say which of them ("night-shift" nurses)."""

    noun: str
    kinds: frozenset[str]


def people(text: str) -> Iterator[Named]:
    """Yield the people that a text names, lower-case; "full-time and part-time employees" are of both kinds."""
    for found in _NAMED.finditer(text):
        before, words = text[max(0, found.start() - _NEAR) : found.start()], list[str]()
        while len(words) < _FAR and (word := _BEFORE.search(before)) is not None:
            said = word["word"].casefold()
            if said not in {"and", "or"} and re.fullmatch(_NOT_KINDS, said):
                break
            words.append(said)
            before = before[: word.start()]
        yield Named(found["noun"].casefold(), frozenset(words) - {"and", "or"})


def kinds(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words of a party that tell it from others: not "employees" of "part-time employees"."""
    return tuple(word for word in words if word not in _ANYBODY)
