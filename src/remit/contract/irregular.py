"""English words whose forms no stemmer brings together, as matching terms."""

from __future__ import annotations

from typing import Final

_FAMILIES: Final = (
    "hold held",
    "keep kept",
    "run ran",
    "wear worn wore",
    "take took taken",
    "give gave given",
    "build built",
    "bring brought",
    "find found",
    "choose chose chosen",
    "begin began begun",
    "break broke broken",
    "write wrote written",
    "drive drove driven",
    "send sent",
    "leave left",
    "lose lost",
    "pay paid",
    "sell sold",
    "buy bought",
    "tell told",
    "teach taught",
    "wind wound",
    "set setting",
    "shut shutdown",
    "speak spoke spoken",
    "rise rose risen",
    "fall fell fallen",
    "draw drew drawn",
    "freeze froze frozen",
    "child children",
    "man men",
    "woman women",
    "person people",
)

IRREGULAR: Final[dict[str, tuple[str, ...]]] = {
    form: tuple(other for other in family.split() if other != form) for family in _FAMILIES for form in family.split()
}
"""The other forms of each form."""
