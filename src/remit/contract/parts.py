"""Questions that ask several things: "Who leads the drill and how often is it held?". Pure.

An answer to one of them is not an answer: evidence has to state each part.
"""

from __future__ import annotations

import re
from typing import Final

_ASKS: Final = r"(?:(?:at|by|for|from|in|on|since|to|until|with)\s+)?(?:how|what|when|where|which|whom?|whose|why)"
_AND: Final = re.compile(rf"(?<!\bif)(?<!\bas),?\s+and\s+(?={_ASKS}\b)", re.IGNORECASE)
_ASKING: Final = re.compile(rf"\b{_ASKS}\b", re.IGNORECASE)
_SHORTEST: Final = 3


def parts(asks: str) -> tuple[str, ...]:
    """Return the parts of a sentence that asks several things, as they stand; none where it asks one.

    >>> parts("Who leads the drill and how often is it held?")
    ('Who leads the drill', 'how often is it held')
    >>> parts("What happens if and when the pump and its drive stop?")
    ()
    """
    found = [part.strip(" ,?.!") for part in _AND.split(asks)]
    asking = [part for part in found if _ASKING.search(part) and len(part.split()) >= _SHORTEST]
    return tuple(asking) if len(asking) == len(found) > 1 else ()
