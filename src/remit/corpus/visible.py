"""Whether text on a page can be seen: what an element's styles come to, and the reason where it cannot."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

Colour = tuple[int, int, int]
WHITE: Colour = (255, 255, 255)
_CLOSE = 40
_SMALLEST = 2.0
_FAR = -300.0
_FAINT = 0.05
_ROOT = 16.0

_NAMES: Mapping[str, Colour] = MappingProxyType(
    {
        "white": WHITE,
        "snow": (255, 250, 250),
        "ivory": (255, 255, 240),
        "azure": (240, 255, 255),
        "ghostwhite": (248, 248, 255),
        "floralwhite": (255, 250, 240),
        "whitesmoke": (245, 245, 245),
        "black": (0, 0, 0),
        "red": (255, 0, 0),
        "green": (0, 128, 0),
        "blue": (0, 0, 255),
        "yellow": (255, 255, 0),
        "gray": (128, 128, 128),
        "grey": (128, 128, 128),
        "silver": (192, 192, 192),
        "navy": (0, 0, 128),
    }
)
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?")
_LENGTH = re.compile(rf"({_NUMBER.pattern})(px|pt|em|rem|ex|ch|vw|vh|cm|mm|in|%)?")
_UNITS = MappingProxyType(
    {"pt": 4 / 3, "rem": 16, "ex": 8, "ch": 8, "vw": 12, "vh": 8, "cm": 37.8, "mm": 3.78, "in": 96, "px": 1}
)
_CLIPPED = re.compile(r"rect\(\s*(?:0|1)(?:px)?[\s,]+(?:0|1)(?:px)?[\s,]+(?:0|1)(?:px)?[\s,]+(?:0|1)(?:px)?\s*\)")
_CUT = re.compile(r"inset\(\s*(?:[5-9]\d|100)(?:\.\d+)?%\s*\)|circle\(\s*0(?:px|%)?[\s)]")
_SHRUNK = re.compile(r"scale(?:3d|x|y)?\(\s*0(?:\.0+)?\s*[,)]|translate(?:x|y)?\([^)]*-\d{4,}")


class Look(NamedTuple):
    """How text inside an element looks. `gone` says why nothing in it is seen, whatever stands inside."""

    gone: str | None = None
    seen: bool = True
    size: float = _ROOT
    colour: Colour | None = (0, 0, 0)
    behind: Colour | None = WHITE

    def unseen(self) -> str | None:
        """Return why text here cannot be seen, or None where it can."""
        if self.gone:
            return self.gone
        if not self.seen:
            return "visibility: hidden"
        if self.size < _SMALLEST:
            return f"font size {self.size:.0f}"
        return "in the colour of its background" if alike(self.colour, self.behind) else None


def inside(outer: Look, said: Mapping[str, str]) -> Look:
    """Return how text looks inside an element with these properties, itself inside `outer`."""
    colour, gone = outer.colour, outer.gone or _gone(said)
    if "color" in said:
        colour = colour_of(said["color"])
        if _transparent(said["color"]):
            gone = gone or "transparent"
    behind = outer.behind
    if (back := said.get("background-color") or said.get("background")) and not _transparent(back):
        behind = (
            None if "url(" in back or "gradient" in back else next(filter(None, map(colour_of, _words(back))), None)
        )
    seen = outer.seen
    if "visibility" in said:
        seen = said["visibility"] == "visible" or (said["visibility"] == "inherit" and outer.seen)
    return Look(gone, seen, _size(said, outer.size), colour, behind)


def alike(one: Colour | None, other: Colour | None) -> bool:
    """Say whether two colours can hardly be told apart; an unknown one can."""
    return one is not None and other is not None and sum(abs(a - b) for a, b in zip(one, other, strict=True)) < _CLOSE


def colour_of(text: str) -> Colour | None:
    """Return a colour from its name, ``#hex`` or ``rgb()``; None for others."""
    if text in _NAMES:
        return _NAMES[text]
    if found := re.fullmatch(r"#?([0-9a-f]{6})(?:[0-9a-f]{2})?", text):
        return int(found[1][:2], 16), int(found[1][2:4], 16), int(found[1][4:], 16)
    if found := re.fullmatch(r"#([0-9a-f])([0-9a-f])([0-9a-f])[0-9a-f]?", text):
        return int(found[1] * 2, 16), int(found[2] * 2, 16), int(found[3] * 2, 16)
    if text.startswith("rgb"):
        parts = re.findall(rf"({_NUMBER.pattern})(%?)", text)[:3]
        values = [round(min(255.0, max(0.0, float(n) * (2.55 if unit else 1)))) for n, unit in parts]
        return (values[0], values[1], values[2]) if len(values) == len(WHITE) else None
    return None


def _words(text: str) -> list[str]:
    return re.findall(r"rgba?\([^)]*\)|\S+", text)


def _transparent(colour: str) -> bool:
    if colour in {"transparent", "none"}:
        return True
    if colour.startswith(("rgba(", "rgb(")):
        parts = re.findall(rf"({_NUMBER.pattern})(%?)", colour)
        return len(parts) > len(WHITE) and float(parts[3][0]) / (100 if parts[3][1] else 1) < _FAINT
    return bool(re.fullmatch(r"#(?:[0-9a-f]{6}0[0-9a-c]|[0-9a-f]{3}0)", colour))


def _gone(said: Mapping[str, str]) -> str | None:
    if said.get("display") == "none" or said.get("content-visibility") == "hidden":
        return "display: none"
    faint = _NUMBER.fullmatch(said.get("opacity", "").removesuffix("%"))
    if faint and float(faint.group()) / (100 if said["opacity"].endswith("%") else 1) < _FAINT:
        return "opacity 0"
    if re.search(r"opacity\(\s*0(?:\.0+)?%?\s*\)", said.get("filter", "")):
        return "opacity 0"
    if _CLIPPED.search(said.get("clip", "")) or _CUT.search(said.get("clip-path", "")):
        return "clipped away"
    if _SHRUNK.search(said.get("transform", "")) or _no_room(said):
        return "given no room"
    return "outside the screen" if _off_screen(said) else None


def _no_room(said: Mapping[str, str]) -> bool:
    sizes = [length(said[name]) for name in ("width", "height", "max-width", "max-height") if name in said]
    cut = "hidden" in said.get("overflow", "") or "clip" in said.get("overflow", "")
    return cut and any(size is not None and size <= 1 for size in sizes)


def _off_screen(said: Mapping[str, str]) -> bool:
    names = ["text-indent"]
    if said.get("position") in {"absolute", "fixed", "relative"}:
        names += ["left", "top", "right", "bottom"]
    return any((at := length(said.get(name, ""))) is not None and at <= _FAR for name in names)


def length(text: str, whole: float = _ROOT) -> float | None:
    """Return a length in pixels, where `whole` is 1em and 100 %; None where it is no plain length."""
    found = _LENGTH.fullmatch(text)
    if found is None:
        return None
    unit = found[2] or "px"
    factor = whole if unit == "em" else whole / 100 if unit == "%" else _UNITS[unit]
    return float(found[1]) * factor


def _size(said: Mapping[str, str], outer: float) -> float:
    size = length(said["font-size"], outer) if "font-size" in said else None
    if size is None and "font" in said:
        size = next(
            (found for word in said["font"].split() if (found := length(word.partition("/")[0], outer)) is not None),
            None,
        )
    return outer if size is None else size
