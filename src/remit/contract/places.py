"""Where codes stand in a text."""

from __future__ import annotations

import re


def occurrences(code: str, text: str) -> list[tuple[int, int]]:
    """Return where a code stands in a text as a word of its own, whatever its case; a question may name a thousand."""
    low, wanted = text.lower(), code.lower()
    if len(low) != len(text):  # a letter whose small form is two
        return [match.span() for match in re.finditer(rf"(?<!\w){re.escape(code)}(?!\w)", text, re.IGNORECASE)]
    found, at = [], low.find(wanted)
    while at >= 0:
        end = at + len(wanted)
        alone = not _of_a_word(low[at - 1 : at]) and not _of_a_word(low[end : end + 1])
        if alone:
            found.append((at, end))
        at = low.find(wanted, end if alone else at + 1)
    return found


def _of_a_word(character: str) -> bool:
    return character.isalnum() or character == "_"
