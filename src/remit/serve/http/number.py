"""Numbers of items in paths and queries: short enough to be read, and to be looked for in a database."""

from __future__ import annotations

import re
from typing import Final

from starlette.convertors import Convertor, register_url_convertor

from remit.errors import InvalidInput

HIGHEST: Final = 10**18 - 1
_DIGITS: Final = "[0-9]{1,18}"


class NumberConvertor(Convertor[int]):
    """Reads ``{item:number}``. Starlette's own `int` fails, before anybody is identified, where there are thousands of digits."""

    regex = _DIGITS

    def convert(self, value: str) -> int:
        """Return the number."""
        return int(value)

    def to_string(self, value: int) -> str:
        """Return the number as it stands in a path."""
        return str(value)


register_url_convertor("number", NumberConvertor())


def whole(text: str) -> int:
    """Return a number that was sent.

    Raises:
        InvalidInput: it is none, or a longer one than there are.
    """
    if re.fullmatch(_DIGITS, text) is None:
        raise InvalidInput(f"{text[:40]!a} is no number")
    return int(text)
