"""Words that deny, and words that leave something open: one list for all that read sentences."""

from __future__ import annotations

import re
from typing import Final

DENIALS: Final = (
    r"not|no|never|none|nobody|neither|nor|cannot|forbidden|prohibited|banned|nicht|kein\w*|verboten|interdit\w*"
)
"""Alternatives of a pattern: words that deny whatever stands beside them."""

LEFT_OPEN: Final = re.compile(
    r"\b(?:not yet|not (?:been|known|named|decided|agreed)|unknown|undecided|did not want to|open question"
    r"|(?:to|will) be (?:confirmed|decided|named|agreed)|noch nicht|pas encore)\b",
    re.IGNORECASE,
)
"""A sentence that says of something that it is not known or not settled answers no question about it."""
