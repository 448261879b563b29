"""For whom something is asked: "managers" of "How long is probation for managers?". Pure.

What holds for others is no answer: evidence has to name the party, in its sentence, its headings or around it.
"""

from __future__ import annotations

import re
from typing import Final

_ANYBODY: Final = frozenset(
    """
    employees staff workers people persons users customers members colleagues others readers adults men women us them
    ours theirs years months weeks days hours minutes times things purposes reasons cases doses
    """.split()  # noqa: SIM905 - a list of words reads better as words
)
"""Plurals that name everybody a rule is made for, or nobody."""

_FOR: Final = re.compile(r"\b(?:for|to)\s+(?:the\s+|our\s+|all\s+)?(?P<party>[a-z]{3,}s)\s*[?.!]*$")
_SUBJECT: Final = re.compile(
    r"\b(?:do|can|may|must|should)\s+(?:the\s+|our\s+|all\s+)?(?P<party>[a-z]{3,}s)\s+"
    r"(?:get|receive|take|have|need|pay|work|earn|claim|wait|stay|use|wear)\b"
)


def party(question: str) -> str | None:
    """Return the plural that names whom a question is about, lower-case as it stands; None where it names nobody in particular.

    >>> party("How many days of leave do contractors get?")
    'contractors'
    """
    found = _FOR.search(question.strip()) or _SUBJECT.search(question)
    return None if found is None or found["party"] in _ANYBODY else found["party"]
