"""What a source says about a revision, field by field, and the checks that each field has to pass.

The same names and checks serve front matter, sidecars and path rules. A field that is wrong never falls back to a
default: the document is rejected.
"""

# ruff: noqa: TRY004 - a wrong type in a file is a wrong value, told by ValueError like any other

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date
from types import MappingProxyType
from typing import Any, get_args

from remit.access.principal import clean_label
from remit.contract.value import Value
from remit.corpus.document import Authority, Status
from remit.errors import InvalidInput

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*")
_LONGEST = 500
_HOW_TO_PART = 'write ["one", "two"] for two labels, or name the group without it'


class Stated(Value):
    """What one source says; None where it says nothing. `labels` empty is a statement: nobody may read it."""

    document: str | None = None
    revision: str | None = None
    title: str | None = None
    collection: str | None = None
    labels: frozenset[str] | None = None
    status: Status | None = None
    valid_from: date | None = None
    valid_to: date | None = None
    supersedes: tuple[str, ...] | None = None
    authority: Authority | None = None
    applies_to: tuple[tuple[str, tuple[str, ...]], ...] | None = None
    language: str | None = None

    def filled(self, other: Stated) -> Stated:
        """Return this with what it leaves out taken from `other`."""
        said = {name: getattr(self, name) for name in FIELDS if getattr(self, name) is not None}
        return other.model_copy(update=said)


def stated(**raw: object) -> Stated:
    """Return what the given arguments say; None says nothing.

    Raises:
        InvalidInput: one of them is wrong.
    """
    said: dict[str, Any] = {}
    for field, value in raw.items():
        if value is None:
            continue
        try:
            said[field] = checked(field, value)
        except ValueError as error:
            raise InvalidInput(f"{field}: {error}") from error
    return Stated(**said)


def checked(field: str, raw: object) -> object:
    """Return the value of a field from plain strings, lists and mappings of strings.

    Raises:
        ValueError: the value is wrong; the message says what it has to be.
    """
    return FIELDS[field](raw)


def _text(raw: object) -> str:
    if not isinstance(raw, str):
        raise ValueError("want one text")
    text = clean_label(raw)
    if not text:
        raise ValueError("is blank")
    if len(text) > _LONGEST:
        raise ValueError(f"is longer than {_LONGEST} characters")
    if not text.isprintable():
        raise ValueError("holds a control or invisible character")
    return text


def _name(raw: object) -> str:
    text = _text(raw)
    if "@" in text or "#" in text:
        raise ValueError("'@' and '#' have a meaning in ids: leave them out")
    return text


def _label(raw: object) -> str:
    text = _text(raw)
    if "*" in text:
        raise ValueError(f"{text!r}: there are no wildcards; name each group, or say public")
    if "," in text:
        raise ValueError(f"{text!r} holds a comma, which parts labels where groups are named: {_HOW_TO_PART}")
    return text


def _list(raw: object) -> list[object]:
    if not isinstance(raw, list):
        raise ValueError('want a list, such as ["one", "two"]')
    return raw


def _labels(raw: object) -> frozenset[str]:
    return frozenset(map(_label, _list(raw)))


def _collection(raw: object) -> str:
    text = _text(raw)
    if "*" in text:
        raise ValueError(f"{text!r}: there are no wildcards; name one collection")
    return text


def _status(raw: object) -> str:
    return _one_of(raw, get_args(Status))


def _authority(raw: object) -> str:
    return _one_of(raw, get_args(Authority))


def _one_of(raw: object, allowed: tuple[str, ...]) -> str:
    if raw not in allowed:
        raise ValueError(f"want one of {', '.join(allowed)}")
    return str(raw)


def _date(raw: object) -> date:
    if not isinstance(raw, str) or not _DATE.fullmatch(raw):
        raise ValueError("want a date, such as 2026-07-01")
    try:
        return date.fromisoformat(raw)
    except ValueError as error:
        raise ValueError(f"{raw} is no date of the calendar") from error


def _supersedes(raw: object) -> tuple[str, ...]:
    return tuple(map(_revision_id, _list(raw)))


def _revision_id(raw: object) -> str:
    document, at, revision = _text(raw).partition("@")
    if not at:
        raise ValueError(f"{document!r}: want DOCUMENT@REVISION")
    return f"{_name(document)}@{_name(revision)}"


def _applies_to(raw: object) -> tuple[tuple[str, tuple[str, ...]], ...]:
    if not isinstance(raw, Mapping):
        raise ValueError('want keys with lists of values, such as line: ["2"]')
    pairs = ((_text(key), values if isinstance(values, list) else [values]) for key, values in raw.items())
    return tuple(sorted((key, tuple(map(_text, values))) for key, values in pairs))


def _language(raw: object) -> str:
    text = _text(raw)
    if not _LANGUAGE.fullmatch(text):
        raise ValueError(f"{text!r}: want a language tag, such as en or pt-BR")
    return text


FIELDS: Mapping[str, Callable[[object], object]] = MappingProxyType(
    {
        "document": _name,
        "revision": _name,
        "title": _text,
        "collection": _collection,
        "labels": _labels,
        "status": _status,
        "valid_from": _date,
        "valid_to": _date,
        "supersedes": _supersedes,
        "authority": _authority,
        "applies_to": _applies_to,
        "language": _language,
    }
)
"""The fields, in the order in which they are told, each with its check."""
