"""Units of measure: what each measures, and how many of its kind's first unit it is. Compound ones are read, not listed.

A closed list: a word that is no unit here is a thing that is counted. "ml/h", "ml per hour" and "µg/kg/min" are read from
their parts and measure "volume/duration" or "mass/mass/duration": never the same as a volume, or as a mass.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple


class Unit(NamedTuple):
    """What a unit measures, and its factor to the first unit of that kind."""

    dimension: str
    factor: float


def _table(dimension: str, *units: tuple[str, float]) -> dict[str, tuple[str, float]]:
    return {name: (dimension, factor) for names, factor in units for name in names.split()}


_TIME: Final = {
    **_table("duration", ("s sec secs second seconds sekunde sekunden seconde secondes segundo segundos", 1 / 60)),
    **_table("duration", ("ms msec millisecond milliseconds", 1 / 60_000), ("µs μs", 1 / 60_000_000)),
    **_table("duration", ("min mins minute minutes minuten minuto minutos", 1), ("shift shifts", 480)),
    **_table("duration", ("h hr hrs hour hours stunde stunden std heure heures hora horas", 60)),
    **_table("duration", ("day days tag tage tagen jour jours día días dias", 1440)),
    **_table("duration", ("week weeks woche wochen semaine semaines semana semanas", 10080)),
    **_table("duration", ("fortnight fortnights", 20160), ("month months monat monate monaten mois mes meses", 43800)),
    **_table("duration", ("year years yr yrs jahr jahre jahren an ans année années año años", 525600)),
}
_FORCES: Final = {
    **_table("pressure", ("bar barg bar(g)", 1), ("mbar hpa", 0.001), ("mpa", 10), ("kpa", 0.01), ("pa", 1e-5)),
    **_table("pressure", ("psi psig", 0.0689476), ("mmhg torr", 0.00133322), ("cmh2o cmh₂o", 0.000980665)),
    **_table("pressure", ("inhg", 0.0338639), ("atm", 1.01325)),
    **_table("torque", ("n·m nm n.m n⋅m newton-metres newton-meters", 1), ("kn·m knm", 1000), ("ncm n·cm", 0.01)),
    **_table("torque", ("ft-lb ft·lb lb-ft lbf·ft ft-lbs", 1.35582)),
    **_table("force", ("kn kilonewton kilonewtons", 1000), ("n newton newtons", 1)),
    **_table("speed", ("km/h kmh kph", 1 / 3.6), ("mph", 0.44704), ("knots", 0.514444)),
    **_table("rotation", ("rpm u/min tr/min r/min 1/min min-1 min⁻¹ upm", 1)),
    **_table("cycle", ("cycle cycles start starts batch batches stroke strokes charge charges revolutions", 1)),
    **_table("frequency", ("hz hertz", 60), ("khz", 6e4), ("mhz", 6e7), ("ghz", 6e10), ("bpm", 1)),
}
_SIZES: Final = {
    **_table("length", ("µm μm micron microns", 0.001), ("mm millimetre millimetres millimeter millimeters", 1)),
    **_table("length", ("milímetro milímetros millimètre millimètres", 1), ("dm", 100), ("mi mile miles", 1_609_344)),
    **_table("length", ("cm centimetre centimetres centimeter centimeters zentimeter centimètres centímetros", 10)),
    **_table("length", ("m metre metres meter meters metern mètre mètres metro metros", 1000), ("nmi", 1_852_000)),
    **_table("length", ("km kilometre kilometres kilometer kilometers kilometern kilomètres kilómetros", 1e6)),
    **_table("length", ("inch inches", 25.4), ("ft feet", 304.8)),
    **_table("area", ("m² m2 sqm qm quadratmeter", 1), ("cm² cm2", 1e-4), ("mm² mm2", 1e-6), ("km² km2", 1e6)),
    **_table("area", ("ha hectare hectares hektar", 1e4), ("acre acres", 4046.86), ("ft² ft2 sqft", 0.092903)),
    **_table("mass", ("g gram grams gramm gramme grammes gramo gramos", 0.001), ("mg milligram milligrams", 1e-6)),
    **_table("mass", ("µg μg ug mcg microgram micrograms", 1e-9), ("ng", 1e-12), ("lb lbs", 0.45359237)),
    **_table("mass", ("kg kilogram kilograms kilogramm kilogramme kilogrammes kilos kilogramos", 1)),
    **_table("mass", ("t tonne tonnes tons tonnen tonelada toneladas", 1000), ("oz ounce ounces", 0.0283495)),
    **_table("volume", ("ml millilitre millilitres milliliter milliliters cm³ cm3 ccm cc", 0.001), ("cl", 0.01)),
    **_table("volume", ("l litre litres liter liters litern litro litros dm³ dm3", 1), ("dl", 0.1), ("hl", 100)),
    **_table("volume", ("µl μl ul mm³ mm3", 1e-6), ("m³ m3 kubikmeter cbm", 1000), ("gal gallon gallons", 3.78541)),
    **_table("volume", ("ft³ ft3 cuft", 28.3168)),
    **_table("angle", ("°", 1)),
}
_ENERGIES: Final = {
    **_table("temperature", ("°c degc celsius grad k kelvin grados", 1), ("°f degf fahrenheit", 1)),
    **_table("power", ("w watt watts", 1), ("kw kilowatt kilowatts", 1000), ("mw megawatt megawatts", 1e6)),
    **_table("power", ("hp", 745.7), ("gw", 1e9)),
    **_table("apparent power", ("va", 1), ("kva", 1000), ("mva", 1e6)),
    **_table("energy", ("j joule joules ws", 1), ("kj", 1000), ("mj", 1e6), ("gj", 1e9), ("wh", 3600)),
    **_table("energy", ("kwh", 3.6e6), ("mwh", 3.6e9), ("gwh", 3.6e12), ("cal", 4.184), ("kcal", 4184), ("btu", 1055)),
    **_table("voltage", ("v volt volts", 1), ("kv", 1000)),
    **_table("current", ("a amps ampere amperes", 1), ("ma milliamps", 0.001), ("µa μa", 1e-6), ("ka", 1000)),
    **_table("resistance", ("ω ohm ohms", 1), ("kω", 1000), ("mω", 1e6)),
    **_table("illuminance", ("lux lx", 1)),
    **_table("luminous flux", ("lm lumen lumens", 1)),
    **_table("sound", ("db decibel decibels dezibel", 1)),
    **_table("sound/a", ("db(a) dba db-a", 1)),
    **_table("sound/c", ("db(c) dbc", 1)),
    **_table("data", ("byte bytes", 1), ("kb kib", 1e3), ("mb mib", 1e6), ("gb gib", 1e9), ("tb tib", 1e12)),
    **_table("data/duration", ("kbps kbit/s", 7500), ("mbps mbit/s", 7.5e6), ("gbps gbit/s", 7.5e9)),
    **_table("volume/duration", ("lpm", 1), ("gpm", 3.78541), ("cfm", 28.3168)),
}
_OTHERS: Final = {
    **_table(
        "money", ("eur euro euros € £ $ ¥ usd gbp pound pounds dollar dollars chf franken jpy yen sek nok dkk", 1)
    ),
    **_table("money", ("cad aud inr cny pln", 1)),
    **_table("share", ("% percent per-cent prozent", 1), ("‰", 0.1), ("ppm", 1e-4), ("ppb", 1e-7)),
    **_table("amount of substance", ("mol", 1), ("mmol", 1e-3), ("µmol μmol umol", 1e-6), ("nmol", 1e-9)),
    **_table("equivalents", ("meq mval", 1)),
    **_table("international units", ("iu i.u. i.e. ie", 1)),
    **_table("dose of radiation", ("sv", 1), ("msv", 1e-3), ("µsv μsv", 1e-6)),
    **_table("radioactivity", ("bq", 1), ("kbq", 1e3), ("mbq", 1e6), ("gbq", 1e9)),
}
UNITS: Final[dict[str, tuple[str, float]]] = {**_TIME, **_FORCES, **_SIZES, **_ENERGIES, **_OTHERS}
"""Units by their names in small letters. Compound ones are not among them: `unit` reads those too."""

_EXACT: Final[dict[str, Unit]] = {
    "mW": Unit("power", 1e-3),
    "mJ": Unit("energy", 1e-3),
    "mV": Unit("voltage", 1e-3),
    "mΩ": Unit("resistance", 1e-3),
    "mPa": Unit("pressure", 1e-8),
    "T": Unit("magnetic field", 1),
    "U": Unit("enzyme units", 1),
}
"""Units whose case tells them from others, or that are none in small letters."""
_CASED: Final = {
    "pa": ("Pa",), "n": ("N",), "w": ("W",), "v": ("V",), "k": ("K",), "a": ("A",), "j": ("J",), "va": ("VA",),
    "ie": ("IE",), "i.e.": ("I.E.",), "iu": ("IU",), "ma": ("mA",), "ka": ("kA",), "mi": ("mi",), "std": ("Std",),
    "ha": ("ha",), "sek": ("SEK",), "ms": ("ms",), "hp": ("hp", "HP"), "an": ("an",), "cal": ("cal",),
}  # fmt: skip
"""Short units are units only in their own case: "n", "v" and "a" are words too often."""
_RATED: Final = {
    "length/duration": ("speed", 1 / 60_000),
    "force/area": ("pressure", 1e-5),
}
"""Compounds that have a name of their own, and the factor to its first unit."""
_SQUARE: Final = re.compile(r"^(?P<power>square|sq|cubic|cu)\.?\s+(?P<unit>\S+)$", re.IGNORECASE)
_POWERS: Final = {"square": "²", "sq": "²", "cubic": "³", "cu": "³"}
_SHORT: Final = {
    **dict.fromkeys(("metre", "metres", "meter", "meters"), "m"),
    **dict.fromkeys(("centimetre", "centimetres", "centimeter", "centimeters"), "cm"),
    **dict.fromkeys(("millimetre", "millimetres", "millimeter", "millimeters"), "mm"),
    **dict.fromkeys(("kilometre", "kilometres", "kilometer", "kilometers"), "km"),
    **dict.fromkeys(("feet", "foot"), "ft"),
}
_PARTS: Final = re.compile(r"\s*/\s*|\s+(?:per|pro|je|par|por)\s+", re.IGNORECASE)
_BELOW: Final = {"d": ("duration", 1440.0), "a": ("duration", 525600.0), "night": ("duration/night", 1.0)}
"""Units that are ones only below the line: "mg/kg/d"."""
_MOST: Final = 3
COUNTED: Final = frozenset({"count", "number", "duration", "cycle", "share"})
"""What stays what it is per anything."""


@lru_cache(maxsize=4096)
def unit(written: str) -> Unit | None:
    """Return what a unit as it is written measures; None where it is none.

    >>> unit("ml per hour") == unit("ml/h"), unit("ml") == unit("ml/h"), unit("pallets")
    (True, False, None)
    """
    text = written.strip(" \t\n'\u2019")
    whole = _single(text)
    if whole is not None:
        return whole
    first, *below = _PARTS.split(text)
    made = _single(first)
    if made is None or not below or len(below) > _MOST:
        return None
    dimension, factor = made
    for part in below:
        under = _BELOW.get(part.casefold()) or _single(part) or (part.casefold().rstrip("s"), 1.0)
        if not part[:1].isalpha():
            return None
        dimension, factor = f"{dimension}/{under[0]}", factor / under[1]
        named, scale = _RATED.get(dimension, ("", 0.0))
        dimension, factor = (named, factor * scale) if named else (dimension, factor)
    return Unit(dimension, factor)


def fits(dimension: str, wanted: tuple[str, ...]) -> bool:
    """Say whether an amount is of a wanted kind; "5 mg/kg" is a mass to who asks for one, and no amount to who asks for ml/h."""
    return dimension in wanted or any(dimension.startswith(f"{kind}/") for kind in wanted)


def whole_of(dimension: str) -> str:
    """Return what an amount is of: days per year are days, and starts per hour starts."""
    above = dimension.split("/", maxsplit=1)[0]
    return above if above in COUNTED else dimension


def _single(text: str) -> Unit | None:
    if text in _EXACT:
        return _EXACT[text]
    squared = _SQUARE.match(text)
    if squared is not None:
        power = _POWERS[squared["power"].casefold()]
        return _single(_SHORT.get(squared["unit"].casefold(), squared["unit"]) + power)
    key = text.casefold().replace("° ", "°")
    key = key if key in UNITS else key.replace(" ", "")
    if key not in UNITS or (key in _CASED and text not in _CASED[key]):
        return None
    return Unit(*UNITS[key])
