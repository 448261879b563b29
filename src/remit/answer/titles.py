"""Titles as they are compared with the names in a question or a text."""

from __future__ import annotations

import re
from typing import Final

_BRACKETED: Final = re.compile(r"\s*\([^()]*\)\s*$")


def plain_title(title: str) -> str:
    """Return a title without what stands in brackets at its end, in one case."""
    return bare(title).casefold()


def bare(name: str) -> str:
    """Return a name without what stands in brackets at its end: "Low Tide (film)" is "Low Tide"."""
    return _BRACKETED.sub("", name).strip()
