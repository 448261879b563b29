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
    return {
        _plain(key, "the name of a parameter", "say which one is meant"): _plain(
            value, "the value of a parameter", "give it one or leave the parameter out"
        )
        for key, value in parameters.items()
    }


def cleaned_revision(name: str | None) -> str | None:
    """Return a revision's name cleaned as questions are, or None.

    Raises:
        InvalidInput: it is empty or holds a control character.
    """
    return None if name is None else _plain(name, "the name of the revision", "leave it out to ask about what holds")


def cleaned(question: str) -> str:
    """Return a question in NFC, trimmed, with line breaks and tabs as blanks.

    Raises:
        InvalidInput: it is empty, too long, or holds another control character or half a surrogate pair.
    """
    return _plain(question, "the question", "ask something")


def _plain(said: str, what: str, where_empty: str) -> str:
    text = unicodedata.normalize("NFC", _LINES.sub(" ", said)).strip()
    if not text:
        raise InvalidInput(f"{what} is empty; {where_empty}")
    if len(text) > LONGEST:
        raise InvalidInput(f"{what} has {len(text)} characters, at most {LONGEST} are read; shorten it")
    for place, char in enumerate(text, start=1):
        if unicodedata.category(char) in {"Cc", "Cs"}:
            raise InvalidInput(f"{what} holds a control character (U+{ord(char):04X}, character {place}); remove it")
    return text
