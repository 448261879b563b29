"""List items with the lead-in that says what they are: "Operators must not:" makes an item a ban."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from remit.corpus.document import Passage, Span

_ITEM: Final = re.compile(r"\s*(?:[-*+\u2022\u2013]|\d+[.)]|[a-z][.)])\s")


def with_lead_in(passage: Passage) -> Iterator[tuple[Span, str]]:
    """Yield each sentence of a passage with the text to read it by; an item's span begins at its lead-in.

    A lead-in is a sentence that ends in a colon. It holds for the items right behind it.
    """
    lead: Span | None = None
    for span in passage.sentences:
        text = passage.quote(span)
        if lead is not None and passage.kind == "prose" and _is_item(passage, span):
            yield Span(lead.start, span.end), f"{passage.quote(lead)} {text}"
            continue
        lead = span if text.rstrip().endswith(":") else None
        yield span, text


def _is_item(passage: Passage, span: Span) -> bool:
    line = passage.text.rfind("\n", 0, span.start - passage.start) + 1
    return _ITEM.match(passage.text[line : span.end - passage.start]) is not None
