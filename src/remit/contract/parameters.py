"""Parameters: keys such as ``equipment_revision`` on which an answer may depend, and whether a question fixes them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from remit.contract.contract import Contract


def bound_value(contract: Contract, key: str, values: Iterable[str]) -> str | None:
    """Return which of `values` the question or its parameters fix for `key`; None where it is left open.

    A value counts as fixed where it stands behind the key's last word or that word's beginning: "rev B", "line 2",
    "equipment revision A". A value of more than two letters counts wherever it stands as a word.
    """
    given = contract.bound(key)
    if given is not None:
        return given
    text = _fold(contract.question)
    for value in values:
        if _mentions(text, key, _fold(value)):
            return value
    return None


def matches(given: str, values: Iterable[str]) -> bool:
    """Say whether a bound value is one of `values`, by folded text."""
    return _fold(given) in {_fold(value) for value in values}


def label(key: str) -> str:
    """Return a key as people read it: ``equipment_revision`` gives "equipment revision"."""
    return key.replace("_", " ").strip()


def _mentions(text: str, key: str, value: str) -> bool:
    last = _fold(label(key)).split()[-1]
    stem = last[:3] if len(last) > 4 else last
    behind = rf"\b{re.escape(stem)}[a-z]*\.?\s*(?:no\.?|number|:)?\s*{re.escape(value)}(?![\w])"
    before = rf"(?<![\w]){re.escape(value)}\s+{re.escape(last)}\b"
    if re.search(behind, text) or re.search(before, text):
        return True
    return len(value) > 2 and not value.isdigit() and re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text) is not None


def _fold(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold().strip()
