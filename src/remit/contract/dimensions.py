"""Which words of a question say what kind of amount its answer is: "heavy" a mass, "flow" a volume in a time. Pure."""

from __future__ import annotations

from typing import Final

from remit.contract.units import UNITS

ANY_DIMENSION: Final = tuple(
    sorted({dimension for dimension, _ in UNITS.values() if "/" not in dimension} | {"count", "number"})
)
"""Any dimension: the question does not say of what."""
MEASURED: Final = tuple(dimension for dimension in ANY_DIMENSION if dimension not in {"count", "number", "cycle"})
"""What "how much" of something may be: measured, not counted."""
DIMENSIONS: Final[dict[str, tuple[str, ...]]] = {
    word: dimensions
    for words, dimensions in (
        ("pressure", ("pressure",)),
        ("torque", ("torque",)),
        ("tight tightly", ("torque", "force")),
        ("tension", ("force", "pressure")),
        ("force load", ("force", "mass")),
        ("temperature hot warm cold heat cool degrees grad", ("temperature",)),
        ("vibration", ("speed",)),
        ("clearance offset runout gap diameter thickness width depth height distance radius play length", ("length",)),
        ("deep high wide thick far tall", ("length",)),
        ("speed fast quickly", ("speed", "rotation")),
        ("often frequently interval intervals", ("duration", "cycle")),
        ("frequency", ("duration", "cycle", "frequency")),
        ("long duration period", ("duration", "length", "cycle")),
        ("old age notice", ("duration",)),
        ("cost costs price fee charge pay paid wage salary expensive", ("money",)),
        ("weigh weight heavy mass", ("mass",)),
        ("volume capacity", ("volume",)),
        ("voltage", ("voltage",)),
        ("flow throughput", ("volume/duration", "mass/duration", "data/duration")),
        ("rate", ("volume/duration", "mass/duration", "data/duration", "rotation", "frequency", "share", "money")),
        ("dose dosage", ("mass", "volume", "international units", "amount of substance", "count")),
        ("noise loud sound", ("sound",)),
        ("illuminance brightness bright", ("illuminance", "luminous flux")),
        ("energy consumption", ("energy", "power", "volume", "mass")),
        ("power", ("power", "apparent power")),
        ("humidity concentration", ("share", "mass/volume", "amount of substance")),
        ("density", ("mass/volume",)),
        ("area", ("area",)),
        ("resistance", ("resistance",)),
        ("limit level setpoint allowance maximum minimum value", ANY_DIMENSION),
    )
    for word in words.split()
}
HEADS: Final = frozenset(
    "flow throughput rate dose dosage noise sound energy consumption power humidity concentration area resistance voltage length".split()  # noqa: SIM905 - a list of words reads better as words
)
"""Words that say what is measured only at the end of what is asked for: a flow indicator is a thing."""


def kinds_of(words: list[str]) -> tuple[str, ...]:
    """Return the dimensions that words name; a general word ("limit") adds none where another is specific."""
    general = [word for word in words if DIMENSIONS.get(word) == ANY_DIMENSION]
    found = [
        DIMENSIONS[word]
        for place, word in enumerate(words)
        if word in DIMENSIONS
        and (word not in HEADS or all(later in (*general, *HEADS) for later in words[place + 1 :]))
    ]
    specific = [dimensions for dimensions in found if dimensions != ANY_DIMENSION] or found
    return tuple(dict.fromkeys(dimension for dimensions in specific for dimension in dimensions))
