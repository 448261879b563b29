"""Text with stretches marked, cut so that a template can escape each piece."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Piece(NamedTuple):
    """A stretch of text; `marked` says whether it is one of those to be seen."""

    text: str
    marked: bool


def pieces(text: str, spans: Sequence[tuple[int, int]]) -> list[Piece]:
    """Return the text cut at these spans; overlapping ones are joined, and what lies outside the text is left out."""
    found: list[Piece] = []
    at = 0
    for start, end in sorted((max(0, start), min(len(text), end)) for start, end in spans):
        if end <= at or end <= start:
            continue
        if start > at:
            found.append(Piece(text[at:start], marked=False))
        if found and found[-1].marked and start <= at:
            found[-1] = Piece(found[-1].text + text[at:end], marked=True)
        else:
            found.append(Piece(text[max(at, start) : end], marked=True))
        at = end
    if at < len(text):
        found.append(Piece(text[at:], marked=False))
    return found
