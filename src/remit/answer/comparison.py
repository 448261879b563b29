"""What a question compares: two things it names, by a date, a country or a span of years; None where it compares nothing."""

from __future__ import annotations

import itertools
import re
from typing import Final, Literal, NamedTuple

from remit.answer.titles import plain_title

By = Literal["born", "died", "began", "lived", "country"]

_JOINED: Final = re.compile(
    r"[\s\"'“”,]+(?:or|and|oder|und|ou|et|(?:have |has |share |of )?the same \w+ as)[\s\"'“”]+(?:(?:the )?director of )?(?:the )?(?:film )?",
    re.IGNORECASE,
)
_SAME: Final = re.compile(
    r"\b(?:same|both)\b.*\b(?:country|nationality|nation)\b|\b(?:country|nationality)\b.*\bsame\b", re.IGNORECASE
)
_OTHER_SAME: Final = re.compile(r"\b(?:continent|state|city|county|district|province|region|genre)\b", re.IGNORECASE)
_LONGER: Final = re.compile(r"\blived (?:the )?long(?:er|est)\b|\blonger li(?:fe|ved)\b", re.IGNORECASE)
_DIED: Final = re.compile(r"\b(?:died?|death|dead|passed away)\b", re.IGNORECASE)
_BORN: Final = re.compile(r"\b(?:born|older|oldest|younger|youngest|elder|birth)\b", re.IGNORECASE)
_BEGAN: Final = re.compile(
    r"\b(?:released?|came out|come out|published|premiered|launched|started|founded|formed|established|created|opened"
    r"|built|made|installed|introduced|issued|began|aired|debuted|came (?:to market )?first|older|newer|is older)\b",
    re.IGNORECASE,
)
_EARLY: Final = re.compile(r"\b(?:first|earlier|earliest|older|oldest|elder|before)\b", re.IGNORECASE)
_LATE: Final = re.compile(
    r"\b(?:later|latest|last|younger|youngest|newer|newest|more recently|most recently|recently)\b", re.IGNORECASE
)
_WORK: Final = re.compile(
    r"\b(?:film|movie|album|song|game|book|novel|magazine|band|series|documentary|show|case|canal)s?\b", re.IGNORECASE
)
_ROLE: Final = re.compile(
    r"(?<!which )(?<!who )\b(?P<role>director|composer|performer|author|writer|producer)s?\b", re.IGNORECASE
)
_ASKS: Final = re.compile(r"\b(?:or|and|oder|und|ou|et|as)\b", re.IGNORECASE)
_YES_OR_NO: Final = re.compile(r"\s*(?:is|are|was|were|do|does|did|have|has)\b", re.IGNORECASE)


class Compared(NamedTuple):
    """Two names as the question writes them, with the titles they match; what they are compared by, and whether later wins.

    `through` is the role of a third thing that the value belongs to: "the director of" the named film.
    """

    names: tuple[str, str]
    titles: tuple[str, str]
    by: By
    later: bool
    through: str | None


def compared(question: str, titles: list[str]) -> Compared | None:
    """Return what a question compares, where just two of the titles stand in it side by side, joined by "or" or "and"."""
    two = _two(question, titles) if _ASKS.search(question) else None
    if two is None:
        return None
    names, found = two
    rest = question
    for name in names:
        rest = rest.replace(name, " ")
    by, through = _by(rest), _role(rest)
    if by is None or (by == "country" and _YES_OR_NO.match(question) is None):
        return None
    return Compared(names, found, by, _LATE.search(rest) is not None, through)


def _role(text: str) -> str | None:
    """Return whose value is compared, where it is that of a work's maker; None where that of the two things themselves."""
    role = _ROLE.search(text) if _WORK.search(text) else None
    return None if role is None else role["role"].casefold()


def _by(text: str) -> By | None:
    """Return what is compared; None where the question does not say it in words known here."""
    if _SAME.search(text):
        return None if _OTHER_SAME.search(text) else "country"
    if _LONGER.search(text):
        return "lived"
    if not _EARLY.search(text) and not _LATE.search(text):
        return None
    if _DIED.search(text):
        return "died"
    if re.search(r"\bborn\b", text, re.IGNORECASE):
        return "born"
    older = _BORN.search(text) is not None
    if older and (not _WORK.search(text) or _role(text)):
        return "born"
    return "began" if _BEGAN.search(text) else None


def _two(question: str, titles: list[str]) -> tuple[tuple[str, str], tuple[str, str]] | None:
    """Return the two titles that the question joins by "or" or "and", longest first where one holds another."""
    folded, taken = question.casefold(), list[tuple[int, int, str]]()
    for title in sorted(dict.fromkeys(titles), key=lambda one: (-len(plain_title(one)), one)):
        for wanted in dict.fromkeys((title.casefold(), plain_title(title))):
            found = re.search(rf"(?<!\w){re.escape(wanted)}(?!\w)", folded) if wanted else None
            if found is not None and not any(found.start() < end and start < found.end() for start, end, _ in taken):
                taken.append((*found.span(), title))
                break
    taken.sort()
    for (start, end, first), (other, last, second) in itertools.pairwise(taken):
        between = re.sub(r"\([^()]*\)", "", question[end:other])
        if _JOINED.fullmatch(between):
            return (question[start:end], question[other:last]), (first, second)
    return None
