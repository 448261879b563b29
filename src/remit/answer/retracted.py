"""Sentences that do not say what holds: what would be, what people say, what was taken back, what no longer applies."""

from __future__ import annotations

import re
from typing import Final

_NOT_SAID: Final = re.compile(
    r"\b(?:would|could have|if approved|is proposed|was proposed|untrue|not true|false that|(?:some|people|they) say"
    r"|it is said|rumou?r\w*|allegedly|supposedly|(?<!\bis )(?<!\bare )(?<!\bbe )(?<!\bwas )(?<!\bwere )(?<!\bbeen )(?<!\bget )used to|formerly|no longer (?:appl|valid|in force|used)\w*)\b|~~",
    re.IGNORECASE,
)
_NO_LONGER: Final = re.compile(
    r"\b(?:no longer|obsolete|superseded|withdrawn|historical|(?:former|previous|old) (?:values|limits|rules|procedures?|settings)|deprecated"
    r"|do not use|for information only|archived?)\b",
    re.IGNORECASE,
)


def says_what_holds(question: str, sentence: str, section: tuple[str, ...]) -> bool:
    """Say whether a sentence states something; not where the question itself asks in such words."""
    if _NOT_SAID.search(question) or _NO_LONGER.search(question):
        return True
    return _NOT_SAID.search(sentence) is None and not any(_NO_LONGER.search(heading) for heading in section)
