"""Parameters: keys such as ``equipment_revision`` on which an answer may depend, and whether a question fixes them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import Final

from remit.contract.contract import Contract

_TELLING: Final = 3
"""Letters from which a value names itself: "A" does not, "northern" does."""
_SHORT: Final = 3
_QUALIFIED: Final = re.compile(
    r"\b(?P<key>(?i:units?|lines?|rev(?:ision)?|models?|types?|grades?|class|levels?|zones?|areas?|bays?|buildings?|floors?"
    r"|rooms?|versions?|steps?|phases?|sections?|chapters?|articles?|clauses?|plots?|flats?|tanks?|halls?|sites?|stages?))"
    r"\.?\s+(?:no\.?\s*)?(?P<value>[A-Z]|\d{1,4}[a-z]?)\b(?![-/])"
)


def bound_value(contract: Contract, key: str, values: Iterable[str]) -> str | None:
    """Return the value that the question or its parameters fix for `key`; None where it is left open.

    A value counts as fixed where it stands behind the key's last word or that word's beginning: "rev B", "line 2",
    "equipment revision A"; a letter or a number there is fixed even if it is none of `values`. A telling word of
    `values` ("northern") counts wherever it stands.
    """
    given = contract.bound(key)
    if given is not None:
        return given
    text = _fold(contract.question)
    mentioned = (value for value in values if _mentions(text, key, _fold(value)))
    return next(mentioned, None) or _stated(text, key)


def qualifiers(text: str) -> list[tuple[str, str]]:
    """Return the things that a question tells apart by a number or a letter: "unit 7", "rev B", "line 2"."""
    found = [(match["key"].casefold(), match["value"].casefold()) for match in _QUALIFIED.finditer(text)]
    found += [(match["key"].casefold(), match["value"]) for match in _NUMBERED.finditer(text)]
    return list(dict.fromkeys(found))


def matches(given: str, values: Iterable[str]) -> bool:
    """Say whether a bound value is one of `values`, by folded text."""
    return _fold(given) in {_fold(value) for value in values}


def label(key: str) -> str:
    """Return a key as people read it: ``equipment_revision`` gives "equipment revision"."""
    return key.replace("_", " ").strip()


_NUMBERED: Final = re.compile(
    r"(?<![.!?:]\s)(?<!^)\b(?P<key>(?!(?:January|February|March|April|May|June|July|August|September|October|November"
    r"|December|On|In|At|By|From|After|Before|Until|Within|The|For)\b)[A-Z][a-z]{2,})\s+(?P<value>\d{1,3})\b(?![-/.,:]?\d)"
)
"""A capitalised word with a number inside a sentence: "Year 10", "Fryer 2". Months make dates."""


def _mentions(text: str, key: str, value: str) -> bool:
    behind = rf"\b{_stem(key)}[a-z]*\.?\s*(?:no\.?|number|:)?\s*{re.escape(value)}(?!\w)"
    before = rf"(?<!\w){re.escape(value)}\s+{re.escape(_last_word(key))}\b"
    if re.search(behind, text) or re.search(before, text):
        return True
    return (
        len(value) >= _TELLING
        and not value.isdigit()
        and re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text) is not None
    )


def _stated(text: str, key: str) -> str | None:
    found = re.search(rf"\b{_stem(key)}[a-z]*\.?\s+(?P<value>\d{{1,4}}|[a-z])(?!\w)", text)
    return None if found is None else found["value"]


def _last_word(key: str) -> str:
    return _fold(label(key)).split()[-1]


def _stem(key: str) -> str:
    """Return the beginning by which people shorten a long word: "rev" for revision, "line" stays."""
    last = _last_word(key)
    return re.escape(last[:_SHORT] if len(last) > _SHORT + 1 else last)


def _fold(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold().strip()
