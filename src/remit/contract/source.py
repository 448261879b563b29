"""Which words of a question only say where its answer is to be taken from: "in VIS revision 1". Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

SOURCE: Final = (
    r"(?:according to|in|from|per|under|by|do|does|what do|what does|of|summari[sz]e|read|open|show|quote|search|list)\s+(?:me\s+)?"
    r"(?:the|our|your|all)?\s*"
)
"""Words before the name of a collection or document that a question gives as its source."""
CAPITALS: Final = re.compile(r"(?<![\w-])[A-Z]{2,}(?:-[A-Z]+)*(?![\w-])")
"""A document's id without a number: "VIS"."""
_SHORTEST: Final = 3
"""Words that a question keeps at least."""


def without_source(text: str, named: Iterable[str]) -> str:
    """Return a question without the document and revision that it names as its source: "in VIS revision 1"."""
    for code in named:
        source = rf"\s*,?\s*(?:\b{SOURCE})?(?<![\w-]){re.escape(code)},?\s+rev(?:ision|\.)?\s+[\w.]*\w"
        shorter = re.sub(source, "", text, flags=re.IGNORECASE).strip()
        text = shorter if len(shorter.split()) >= _SHORTEST else text
    return text
