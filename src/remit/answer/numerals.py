"""Numerals in one spelling: what a comma and a point in a number mean hangs on the language of the text."""

from __future__ import annotations

import re
from typing import Final

COMMA_FIRST: Final = frozenset(
    {"de", "fr", "es", "it", "pt", "nl", "da", "sv", "nb", "nn", "no", "fi", "pl", "cs", "ru"}
)
"""Languages that write 1,5 for one and a half and 1.500 for fifteen hundred. Spanish of Mexico does not, and is not told apart."""

_GROUPED: Final = re.compile(r"(?<![\w.,])\d{1,3}(?:\.\d{3})+(?:,\d+)?(?![\w]|[.,]\d)")
_DECIMAL: Final = re.compile(r"(?<![\w.,])\d+,\d+(?![\w]|[.,]\d)")
_NO_GROUP: Final = re.compile(r"(?<![\w.,])\d+,(?:\d{1,2}|\d{4,})(?![\w]|[.,]\d)")
"""Whatever the language, a comma before other than three digits groups nothing: 1,5 is one and a half in English, too."""
_SWAP: Final = str.maketrans(".,", ",.")


def as_english(text: str, language: str) -> str:
    """Return a text with its numbers as English writes them: German "1.500,5" is "1,500.5", "1,500" is "1.500".

    What no number of the language looks like stays as it is: "1.5" in a German text is one and a half. Every character keeps its place.
    """
    if language.partition("-")[0].casefold() not in COMMA_FIRST:
        return _swapped(_NO_GROUP, text, text)
    return _swapped(_DECIMAL, text, _swapped(_GROUPED, text, text))


def _swapped(numbers: re.Pattern[str], text: str, into: str) -> str:
    """Return `into` with comma and point changed over where `text` has these numbers."""
    characters = list(into)
    for found in numbers.finditer(text):
        characters[found.start() : found.end()] = found.group().translate(_SWAP)
    return "".join(characters)
