"""Numbers with units and dates, found in text: what two sentences must agree on before they say the same.

A year number alone ("the 2021 overhaul") is no quantity.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

from remit.contract.days import Dated, dates
from remit.contract.units import COUNTED, UNITS, Unit, unit

__all__ = ["ADJECTIVES", "SYMBOLS", "Dated", "Quantity", "dates", "quantities", "written_out"]


class Quantity(NamedTuple):
    """A number with what it counts. `value` is in the base unit of `dimension`; `unit` is as written.

    Dimension "count" holds numbers whose unit is a plain noun, "number" those with none. "42 million" is 42,000,000, and
    `scale` the word that says so.
    """

    value: float
    dimension: str
    unit: str
    start: int
    end: int
    scale: str = ""


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
_WORDS: Final = (
    {
        word: float(value)
        for value, word in enumerate(
            ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
        )
    }
    | {
        word: float(value)
        for value, words in enumerate(
            [
                "zwei deux dos",
                "drei trois tres",
                "vier quatre cuatro",
                "fünf cinq cinco",
                "sechs seis",
                "sieben siete",
                "acht huit ocho",
                "neun nueve",
                "zehn dix diez",
            ],
            start=2,
        )
        for word in words.split()
    }
    | {
        "zwölf": 12.0,
        "douze": 12.0,
        "doce": 12.0,
        "fifteen": 15.0,
        "twenty": 20.0,
        "thirty": 30.0,
        "forty": 40.0,
        "fifty": 50.0,
        "sixty": 60.0,
    }
)
ADJECTIVES: Final = "operating|running|working|calendar|full|consecutive|service|business|square|cubic|school|sick|teaching|paid|unpaid|trading|banking|clear"
_NUMBER: Final = (
    r"\d{1,3}(?:\.\d{3})+,\d+|\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d{1,3}(?:[\u00a0\u202f\u2009'\u2019 ]\d{3})+(?:[.,]\d+)?(?![\d-])"
    r"|\d+(?:[.,]\d+)?"
)
_SCALES: Final = {
    word: factor
    for words, factor in (
        ("hundred", 1e2),
        ("thousand tausend tsd k", 1e3),
        ("lakh", 1e5),
        ("million millions millionen mio mn mln mill\u00f3n millones m", 1e6),
        ("crore", 1e7),
        ("billion billions bn milliard milliards milliarde milliarden mrd", 1e9),
        ("trillion trillions", 1e12),
    )
    for word in words.split()
}
_CODES: Final = r"EUR|USD|GBP|CHF|JPY|SEK|NOK|DKK|AUD|CAD|INR|CNY|PLN"
_MONEY: Final = rf"(?:[€£$¥]|(?:{_CODES}|euros?|dollars?|pounds?|yen)\b)"
_SCALE: Final = (
    rf"(?:\s?(?P<scale>{'|'.join(sorted((word for word in _SCALES if len(word) > 1), key=len, reverse=True))})(?!\w)"
    rf"(?:\.(?=\s?{_MONEY}))?|(?P<glued>(?(pre)(?-i:[kKmM])|(?:(?-i:k)|(?-i:[mMK])(?=\s?{_MONEY})))(?!\w)))?"
)
"""What makes a number large: "42 million", "1.5m" of money, "850k"."""
_QUANTITY: Final = re.compile(
    rf"(?<![\w/@.])(?<![\w/@.][-\u2013])(?P<minus>(?<!\w)[-\u2212\u2013](?=\d)|\bminus\s+(?=\d))?"
    rf"(?P<pre>[€£$¥]\s?|(?:{_CODES})\s?)?(?P<number>{_NUMBER}|(?:{'|'.join(_WORDS)})(?=\s)){_SCALE}"
    rf"(?:(?P<gap>\s*(?:d['\u2019]|(?:de|of)\s+(?={_MONEY}))?)(?P<unit>°\s?[CF]\b|°(?!\w)|[Nn][·⋅.]?m\b"
    rf"|dB\([AC]\)|bar\(g\)|min⁻¹|min-1\b|[€£$¥%‰]|(?:(?:{ADJECTIVES})\s+)?[^\W\d_][\w·/³°-]*))?",
    re.IGNORECASE,
)
_PER: Final = re.compile(
    r"\s*/\s*(?P<slash>[^\W\d_][\w³²]*)|\s+(?:per|pro|je|par|por)\s+(?P<per>[^\W\d_][\w³²]*)|\s+an?\s+(?P<each>[^\W\d_]+)\b",
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
    scale = match["scale"] or match["glued"] or ""
    number = _read(match["number"]) * (-1 if match["minus"] else 1) * _SCALES.get(scale.lower(), 1.0)
    start, end = match.start(), max(match.end("number"), match.end("scale"), match.end("glued"))
    if match["pre"]:
        return _per(Quantity(number, "money", match["pre"].strip(), start, end, scale), text)
    written = match["unit"] or ""
    known = _known(written)
    if known is not None:
        name, (dimension, factor) = known
        end = match.start("unit") + len(name)
        return _per(Quantity(_degrees(number * factor, name), dimension, name, start, end, scale), text)
    label = _label_unit(text, start)
    if label is not None:
        dimension, factor = label[1]
        return Quantity(_degrees(number * factor, label[0]), dimension, label[0], start, end, scale)
    counted = bool(written) and written[0].isalpha() and match["gap"] != ""
    end = match.end("unit") if counted and not scale else end
    return Quantity(number, "count" if counted else "number", written if counted else "", start, end, scale)


def _per(one: Quantity, text: str) -> Quantity:
    """Return an amount with what it is per, where the text goes on so: "40 ml" of "40 ml per hour" is a volume per time."""
    found = _PER.match(text, one.end)
    if found is None or one.dimension in COUNTED:
        return one
    below = found["slash"] or found["per"] or found["each"]
    read = unit(below)
    if (found["per"] is None and read is None) or (found["each"] and read is not None and read.dimension != "duration"):
        return one
    whole = unit(f"{one.unit}/{below}")
    if whole is None:
        return one
    plain = unit(one.unit)
    value = one.value * whole.factor / (plain.factor if plain is not None else 1.0)
    joined = (
        text[one.end - len(one.unit) : found.end()] if text[: one.end].endswith(one.unit) else f"{one.unit}/{below}"
    )
    return _per(one._replace(value=value, dimension=whole.dimension, unit=joined, end=found.end()), text)


def _degrees(value: float, name: str) -> float:
    """Return degrees of Celsius: of Fahrenheit, converted."""
    return (value - 32) / 1.8 if (unit(name) or ("", 0))[0] == "temperature" and "f" in name.casefold() else value


def _known(written: str) -> tuple[str, Unit] | None:
    """Return the written unit and what it measures; an adjective before the unit ("operating hours") belongs to it."""
    for text in (written, written.rstrip("-/·")):
        whole = unit(text)
        if whole is not None:
            return text, whole
        first, _, last = text.partition(" ")
        of_two = unit(last) if last and first.casefold() not in {"square", "cubic"} else None
        if of_two is not None:
            return text, of_two
    return None


def written_out(text: str) -> str:
    """Return a text with its large numbers in digits: "42 million EUR" is "42000000 EUR"."""
    for one in reversed(quantities(text)):
        if one.scale:
            found = re.search(
                rf"(?:{_NUMBER}|[^\W\d_]+)\s?{re.escape(one.scale)}\.?", text[one.start : one.end], re.IGNORECASE
            )
            plain = re.search(rf"{_NUMBER}", text[one.start : one.end])
            if found is not None and plain is not None:
                number = f"{_read(plain.group()) * _SCALES[one.scale.lower()]:.0f}"
                text = f"{text[: one.start + found.start()]}{number}{text[one.start + found.end() :]}"
    return text


_LABEL: Final = 200
"""Characters before a number in which its label may stand: a text of many numbers is not read from its start for each."""


def _label_unit(text: str, start: int) -> tuple[str, Unit] | None:
    """Return the unit that a label before the number carries, as in ``Torque nm: 42`` or ``Torque (N·m): 42``."""
    label = re.search(r"([^:;|\n]{1,60}):\s*$", text[max(0, start - _LABEL) : start])
    if label is None:
        return None
    words = re.findall(r"[^\W_][\w·/³°%]*(?:\([AC]\))?|°C|%", label.group(1))
    last = words[-1].lower() if words else ""
    aliases = {"c": "°c", "nm": "n·m", "m3": "m³"}
    last = aliases.get(last, last)
    if last in UNITS and last not in _NO_LABELS:
        return last, Unit(*UNITS[last])
    compound = unit(words[-1]) if words else None
    return None if compound is None else (words[-1], compound)


_NO_LABELS: Final = frozenset({"a", "an", "ie", "ma", "std"})
"""Last words of labels that are words sooner than units."""


def _read(number: str) -> float:
    word = number.lower()
    if word in _WORDS:
        return _WORDS[word]
    if re.fullmatch(r"\d{1,3}(?:\.\d{3})+,\d+", number):
        return float(number.replace(".", "").replace(",", "."))
    number = re.sub(r"[\u00a0\u202f\u2009'\u2019 ]", "", number)
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", number):
        return float(number.replace(",", ""))
    return float(number.replace(",", "."))
