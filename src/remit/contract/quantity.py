"""Numbers with units and dates, found in text: what two sentences must agree on before they say the same.

A year number alone ("the 2021 overhaul") is no quantity.
"""

from __future__ import annotations

import re
from datetime import date
from functools import lru_cache
from typing import Final, NamedTuple


class Quantity(NamedTuple):
    """A number with what it counts. `value` is in the base unit of `dimension`; `unit` is as written.

    Dimension "count" holds numbers whose unit is a plain noun, "number" those with none.
    """

    value: float
    dimension: str
    unit: str
    start: int
    end: int


class Dated(NamedTuple):
    """A calendar date in text; `day` is the first of the month where only the month was given."""

    day: date
    whole_month: bool
    start: int
    end: int


def _table(dimension: str, *units: tuple[str, float]) -> dict[str, tuple[str, float]]:
    return {name: (dimension, factor) for names, factor in units for name in names.split()}


UNITS: Final[dict[str, tuple[str, float]]] = {
    **_table("duration", ("s sec second seconds sekunden secondes", 1 / 60), ("min minute minutes minuten", 1)),
    **_table("duration", ("h hr hrs hour hours stunde stunden heure heures", 60), ("shift shifts", 480)),
    **_table("duration", ("day days tag tage tagen jour jours", 1440), ("week weeks woche wochen semaines", 10080)),
    **_table("duration", ("month months monat monate monaten mois", 43800)),
    **_table("duration", ("year years jahr jahre jahren an ans", 525600)),
    **_table("pressure", ("bar", 1), ("mbar", 0.001), ("mpa", 10), ("kpa", 0.01), ("pa", 1e-5), ("psi", 0.0689476)),
    **_table("torque", ("n·m nm n.m n⋅m newton-metres newton-meters", 1), ("kn·m knm", 1000)),
    **_table("force", ("kn kilonewton kilonewtons", 1000), ("n newton newtons", 1)),
    **_table("temperature", ("°c degc celsius grad k kelvin", 1)),
    **_table("length", ("µm μm", 0.001), ("mm millimetre millimetres millimeters", 1), ("cm", 10)),
    **_table("length", ("m metre metres meter meters", 1000), ("km", 1e6), ("inch inches", 25.4), ("ft feet", 304.8)),
    **_table("speed", ("km/h kmh kph", 1 / 3.6), ("m/s", 1), ("mm/s", 0.001), ("mph", 0.44704)),
    **_table("rotation", ("rpm u/min", 1)),
    **_table("mass", ("g gram grams gramm", 0.001), ("kg kilogram kilograms kilos", 1), ("t tonne tonnes tons", 1000)),
    **_table("volume", ("ml", 0.001), ("l litre litres liter liters", 1), ("m³ m3", 1000)),
    **_table("money", ("eur euro euros € £ $ usd gbp pound pounds dollars chf", 1)),
    **_table("share", ("% percent per-cent prozent", 1)),
    **_table("power", ("w", 1), ("kw", 1000), ("mw", 1e6)),
    **_table("voltage", ("v volt volts", 1), ("kv", 1000)),
    **_table("data", ("kb kib", 1e3), ("mb mib", 1e6), ("gb gib", 1e9), ("tb tib", 1e12)),
    **_table("cycle", ("cycle cycles start starts batch batches stroke strokes charge charges revolutions", 1)),
}
SYMBOLS: Final = {
    "n·m": "N·m",
    "kn": "kN",
    "n": "N",
    "°c": "°C",
    "w": "W",
    "kw": "kW",
    "v": "V",
    "mpa": "MPa",
    "kpa": "kPa",
}
"""Units as they are shown, where a label carries them in small letters."""
_WORDS: Final = {
    word: float(value)
    for value, word in enumerate(
        ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
    )
} | {"fifteen": 15.0, "twenty": 20.0, "thirty": 30.0, "forty": 40.0, "fifty": 50.0, "sixty": 60.0}
ADJECTIVES: Final = "operating|running|working|calendar|full|consecutive|service|business|square|cubic|school|sick|teaching|paid|unpaid|trading|banking|clear"
_NUMBER: Final = r"\d{1,3}(?:\.\d{3})+,\d+|\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:[.,]\d+)?"
_QUANTITY: Final = re.compile(
    rf"(?<![\w/@.])(?<![\w/@.][-\u2013])(?P<minus>(?<!\w)[-\u2212\u2013](?=\d)|\bminus\s+(?=\d))?(?P<pre>[€£$])?(?P<number>{_NUMBER}|(?:{'|'.join(_WORDS)})(?=\s))"
    rf"(?:(?P<gap>\s*)(?P<unit>°\s?C|[Nn][·⋅.]?m\b|[€£$%]|(?:(?:{ADJECTIVES})\s+)?[^\W\d_][\w·/³°-]*))?",
    re.IGNORECASE,
)
_RHYTHM: Final = re.compile(
    r"\b(?:(?P<times>once|twice)\s+)?(?:a|per|each|every)\s+(?P<unit>shift|day|week|month|year)\b"
    r"|\b(?P<word>daily|weekly|fortnightly|monthly|quarterly|half-yearly|yearly|annually)\b",
    re.IGNORECASE,
)
_PERIODS: Final = {
    "daily": 1440, "weekly": 10080, "fortnightly": 20160, "monthly": 43800, "quarterly": 131400,
    "half-yearly": 262800, "yearly": 525600, "annually": 525600,
}  # fmt: skip
_YEARS: Final = range(1900, 2101)
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


@lru_cache(maxsize=8192)
def quantities(text: str) -> tuple[Quantity, ...]:
    """Return the numbers of `text` with their units, in order. Numbers inside dates and part codes are left out."""
    taken = [(found.start, found.end) for found in dates(text)]
    result = []
    for match in _QUANTITY.finditer(text):
        start, end = match.span()
        if any(start < other and first < end for first, other in taken):
            continue
        quantity = _quantity(match, text)
        if quantity.dimension in {"count", "number"} and quantity.value in _YEARS:
            continue
        result.append(quantity)
    result += [found for found in map(_rhythm, _RHYTHM.finditer(text)) if found.dimension]
    return tuple(sorted(result, key=lambda quantity: quantity.start))


def _rhythm(match: re.Match[str]) -> Quantity:
    """Return "once a month" and "weekly" as the duration between two times; "a month" alone is no rhythm."""
    if match["word"]:
        return Quantity(_PERIODS[match["word"].lower()], "duration", match["word"], *match.span())
    once = match["times"] is not None or match.group().lower().startswith(("each", "every"))
    factor = UNITS[match["unit"].lower()][1] / (2 if (match["times"] or "").lower() == "twice" else 1)
    return Quantity(factor, "duration" if once else "", match["unit"], *match.span())


def _quantity(match: re.Match[str], text: str) -> Quantity:
    number = _read(match["number"]) * (-1 if match["minus"] else 1)
    if match["pre"]:
        return Quantity(number, "money", match["pre"], match.start(), match.end("number"))
    unit = match["unit"] or ""
    known = _known(unit)
    if known is not None:
        name, (dimension, factor) = known
        end = match.start("unit") + len(name) if name else match.end("unit")
        return Quantity(number * factor, dimension, unit[: len(name)] or unit, match.start(), end)
    label = _label_unit(text, match.start())
    if label is not None:
        dimension, factor = UNITS[label]
        return Quantity(number * factor, dimension, label, match.start(), match.end("number"))
    counted = bool(unit) and unit[0].isalpha() and match["gap"] != ""
    end = match.end("unit") if counted else match.end("number")
    return Quantity(number, "count" if counted else "number", unit if counted else "", match.start(), end)


def _known(unit: str) -> tuple[str, tuple[str, float]] | None:
    """Return the written unit and its dimension; an adjective before the unit ("operating hours") belongs to it."""
    for written in (unit, unit.rstrip("-/·")):
        last = written.split()[-1].lower().replace("° ", "°") if written.split() else ""
        whole = written.lower().replace(" ", "")
        for key in (whole, last):
            if key in UNITS and not (key in _CASED and not written.endswith(_CASED[key])):
                return written, UNITS[key]
    return None


_CASED: Final = {"pa": "Pa", "n": "N", "w": "W", "v": "V", "k": "K"}
"""One-letter units are units only in their own case: "n" and "v" are words too often."""


_LABEL: Final = 200
"""Characters before a number in which its label may stand: a text of many numbers is not read from its start for each."""


def _label_unit(text: str, start: int) -> str | None:
    """Return the unit that a label before the number carries, as in ``Torque nm: 42`` or ``Torque (N·m): 42``."""
    before = text[max(0, start - _LABEL) : start]
    label = re.search(r"([^:;|\n]{1,60}):\s*$", before)
    if label is None:
        return None
    words = re.findall(r"[^\W_][\w·/³°%]*|°C|%", label.group(1))
    last = words[-1].lower() if words else ""
    aliases = {"c": "°c", "nm": "n·m", "m3": "m³"}
    last = aliases.get(last, last)
    return last if last in UNITS else None


def _read(number: str) -> float:
    word = number.lower()
    if word in _WORDS:
        return _WORDS[word]
    if re.fullmatch(r"\d{1,3}(?:\.\d{3})+,\d+", number):
        return float(number.replace(".", "").replace(",", "."))
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", number):
        return float(number.replace(",", ""))
    return float(number.replace(",", "."))
