"""An answer inside a sentence, and when two of them say the same."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from remit.contract.quantity import Quantity, quantities
from remit.contract.terms import term_set

_ROUNDING: Final = 5e-4
"""Relative difference up to which two amounts are the same: a converted unit is rounded (10 bar, 145 psi)."""
_CURRENCY: Final = {
    "€": "eur",
    "euro": "eur",
    "euros": "eur",
    "$": "usd",
    "dollars": "usd",
    "dollar": "usd",
    "¥": "jpy",
    "yen": "jpy",
    "£": "gbp",
    "pounds": "gbp",
    "pound": "gbp",
    "franken": "chf",
}
_ABSOLUTE: Final = 200.0
"""Kelvins from which a temperature is meant, and below which a difference."""


class Found(NamedTuple):
    """An answer inside a sentence: its text, where it stands (offsets into the sentence), and its comparable value.

    A number whose unit stands in the label of its table cell is shown with it.
    """

    text: str
    start: int
    end: int
    value: tuple[str, float | str] | None


def comparable(quantity: Quantity) -> tuple[str, float | str]:
    """Return a quantity by what it can be compared in: money by its currency, kelvins as degrees or as a difference."""
    unit = quantity.unit.casefold()
    if quantity.dimension.partition("/")[0] == "money":
        currency = re.split(r"[\s/]", unit, maxsplit=1)[0]
        return f"money {_CURRENCY.get(currency, currency)}{quantity.dimension.removeprefix('money')}", quantity.value
    if unit in {"k", "kelvin"}:
        absolute = quantity.value > _ABSOLUTE
        return ("temperature", quantity.value - 273.15) if absolute else ("difference", quantity.value)
    return quantity.dimension, quantity.value


def all_values(sentence: str) -> tuple[str, float | str] | None:
    """Return all quantities of a sentence as one comparable value; None where there are none."""
    found = sorted(f"{kind} {value}" for kind, value in map(comparable, quantities(sentence)))
    return ("values", "; ".join(found)) if found else None


def same_value(first: Found, second: Found) -> bool:
    """Say whether two answers are the same, by value where both have one and by words otherwise."""
    if first.value is not None and second.value is not None:
        (kind, one), (other_kind, two) = first.value, second.value
        if isinstance(one, float) and isinstance(two, float):
            return kind == other_kind and abs(one - two) <= _ROUNDING * max(abs(one), abs(two))
        return (kind, one) == (other_kind, two)
    return bool(term_set(first.text) & term_set(second.text))
