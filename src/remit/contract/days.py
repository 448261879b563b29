"""Calendar dates found in text."""

from __future__ import annotations

import re
from datetime import date
from functools import lru_cache
from typing import Final, NamedTuple


class Dated(NamedTuple):
    """A calendar date in text; `day` is the first of the month where only the month was given."""

    day: date
    whole_month: bool
    start: int
    end: int


_MONTHS: Final = {
    name: index
    for index, names in enumerate(
        [
            "january jan januar janvier",
            "february feb februar février",
            "march mar märz mars",
            "april apr avril",
            "may mai",
            "june jun juni juin",
            "july jul juli juillet",
            "august aug août",
            "september sep sept septembre",
            "october oct oktober octobre",
            "november nov novembre",
            "december dec dezember décembre",
        ],
        start=1,
    )
    for name in names.split()
}
_MONTH: Final = "|".join(sorted(_MONTHS, key=len, reverse=True))
_DATES: Final = (
    re.compile(r"(?<![\w-])(?P<y>\d{4})-(?P<m>\d{2})-(?P<d>\d{2})(?![\w-])"),
    re.compile(
        rf"(?<!\w)(?P<d>\d{{1,2}})(?:st|nd|rd|th|\.)?\s+(?:of\s+)?(?P<n>{_MONTH})\.?,?\s+(?P<y>\d{{4}})\b",
        re.IGNORECASE,
    ),
    re.compile(rf"(?<!\w)(?P<n>{_MONTH})\.?\s+(?P<d>\d{{1,2}})(?:st|nd|rd|th)?,\s+(?P<y>\d{{4}})\b", re.IGNORECASE),
    re.compile(rf"(?<!\w)(?P<n>{_MONTH})\.?,?\s+(?P<y>\d{{4}})\b", re.IGNORECASE),
)


@lru_cache(maxsize=8192)
def dates(text: str) -> tuple[Dated, ...]:
    """Return the calendar dates of `text` in order; impossible ones (31 June) are not dates."""
    found: list[Dated] = []
    for pattern in _DATES:
        for match in pattern.finditer(text):
            parts = match.groupdict()
            month = _MONTHS[parts["n"].lower()] if parts.get("n") else int(parts["m"])
            day = parts.get("d")
            overlaps = any(match.start() < other.end and other.start < match.end() for other in found)
            made = _date(int(parts["y"]), month, int(day or 1))
            if made is not None and not overlaps:
                found.append(Dated(made, day is None, match.start(), match.end()))
    return tuple(sorted(found, key=lambda item: item.start))


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
