"""Whether text on a page can be seen: what an element's styles come to, and the reason where it cannot."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from remit.corpus.colours import WHITE, Colour, colour_of, transparent

_CLOSE = 40
_SMALLEST = 2.0
_FAR = -300.0
_FAINT = 0.05
_ROOT = 16.0
_DEEPEST = 20
_LONGEST = 2_000
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?")
_LENGTH = re.compile(rf"({_NUMBER.pattern})(px|pt|em|rem|ex|ch|vw|vh|cm|mm|in|%)?")
_SINGLE = re.compile(r"^(?:calc|min|max)\(\s*([^\s()]+)\s*\)$")
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
    named: Mapping[str, str] = MappingProxyType({})

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
    own = {name: value for name, value in said.items() if name.startswith("--")}
    named = {**outer.named, **own} if own else outer.named
    said = {name: value for name, text in said.items() if (value := _put_in(text, named)) is not None}
    colour, gone = outer.colour, outer.gone or _gone(said)
    if said.get("color", "currentcolor") not in {"currentcolor", "inherit", "unset"}:
        colour = colour_of(said["color"])
        if transparent(said["color"]):
            gone = gone or "transparent"
    behind = outer.behind
    if (back := said.get("background-color") or said.get("background")) and not transparent(back):
        back = back.replace("currentcolor", "" if colour is None else "rgb({} {} {})".format(*colour))
        behind = (
            None if "url(" in back or "gradient" in back else next(filter(None, map(colour_of, _words(back))), None)
        )
    seen = outer.seen
    if "visibility" in said:
        seen = said["visibility"] == "visible" or (said["visibility"] == "inherit" and outer.seen)
    return Look(gone, seen, _size(said, outer.size), colour, behind, named)


def _put_in(text: str, named: Mapping[str, str], depth: int = 0) -> str | None:
    """Return a value with the custom properties that it names put in; None where one is missing: it then says nothing."""
    while (start := text.rfind("var(")) >= 0:  # the last one holds no other
        end = text.find(")", start)
        name, comma, otherwise = text[start + 4 : end if end >= 0 else None].partition(",")
        value = named.get(name.strip(), otherwise.strip() if comma else None)
        if value is None or depth > _DEEPEST or len(text) > _LONGEST:
            return None
        depth += 1
        text = text[:start] + value + (text[end + 1 :] if end >= 0 else "")
    return text


def alike(one: Colour | None, other: Colour | None) -> bool:
    """Say whether two colours can hardly be told apart; an unknown one can."""
    return one is not None and other is not None and sum(abs(a - b) for a, b in zip(one, other, strict=True)) < _CLOSE


def _words(text: str) -> list[str]:
    return re.findall(r"[\w-]+\((?:[^()]|\([^()]*\))*\)|\S+", text)


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
    found = _LENGTH.fullmatch(_SINGLE.sub(r"\1", text))
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
