"""A question as it is read and recorded."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Final

from remit.errors import InvalidInput

LONGEST: Final = 10_000
"""Characters of a question. What is longer is a document: ingest it, and ask about it."""

_LINES: Final = re.compile(r"[\t\r\n\v\f\u2028\u2029\x85]+")


def cleaned_parameters(parameters: Mapping[str, str]) -> dict[str, str]:
    """Return parameters with names and values cleaned as questions are.

    Raises:
        InvalidInput: one is empty or holds a control character.
    """
    try:
        return {cleaned(key): cleaned(value) for key, value in parameters.items()}
    except InvalidInput as error:
        raise InvalidInput(f"a parameter is wrong: {error}") from error


def cleaned_revision(name: str | None) -> str | None:
    """Return a revision's name cleaned as questions are, or None.

    Raises:
        InvalidInput: it is empty or holds a control character.
    """
    try:
        return None if name is None else cleaned(name)
    except InvalidInput as error:
        raise InvalidInput(f"the name of the revision is wrong: {error}") from error


def cleaned(question: str) -> str:
    """Return a question in NFC, trimmed, with line breaks and tabs as blanks.

    Raises:
        InvalidInput: it is empty, too long, or holds another control character or half a surrogate pair.
    """
    text = unicodedata.normalize("NFC", _LINES.sub(" ", question)).strip()
    if not text:
        raise InvalidInput("the question is empty; ask something")
    if len(text) > LONGEST:
        raise InvalidInput(f"the question has {len(text)} characters, at most {LONGEST} are read; shorten it")
    for place, char in enumerate(text, start=1):
        if unicodedata.category(char) in {"Cc", "Cs"}:
            raise InvalidInput(
                f"the question holds a control character (U+{ord(char):04X}, character {place}); remove it"
            )
    return text
