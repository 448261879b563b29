"""Who asks."""

from __future__ import annotations

import unicodedata

from pydantic import field_validator

from remit.contract.value import Value
from remit.errors import InvalidInput

PUBLIC = "public"
"""The one label that everyone may read."""


class Principal(Value):
    """An identified asker and the groups a trusted source says they are in.

    Made by the service's identity or by the command line's `--as`; never from a request body or a model.
    """

    id: str
    groups: tuple[str, ...] = ()
    attributes: tuple[tuple[str, str], ...] = ()

    @field_validator("id")
    @classmethod
    def _named(cls, value: str) -> str:
        if not value.strip():
            raise ValueError("a principal needs a name")
        return value

    @field_validator("groups")
    @classmethod
    def _sorted(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(sorted({group for group in map(clean_label, value) if group}))


def clean_label(label: str) -> str:
    """Return a label or group as it is compared: NFC, trimmed. Case and look-alikes stay different."""
    return unicodedata.normalize("NFC", label).strip()


def parse_principal(text: str) -> Principal:
    """Return the principal that ``NAME:group,group`` names; groups may be missing.

    Raises:
        InvalidInput: the name is empty or holds control characters.
    """
    name, _, groups = text.partition(":")
    if not name.strip() or any(unicodedata.category(c) == "Cc" for c in text):
        raise InvalidInput("--as: want NAME:group,group, such as --as mara:maintenance,operations")
    return Principal(id=unicodedata.normalize("NFC", name.strip()), groups=tuple(groups.split(",")))
