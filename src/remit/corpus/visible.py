"""Whether text on a page can be seen: what an element's styles come to, and the reason where it cannot."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from remit.corpus.colours import WHITE, Colour, alike, colour_of, colours_in, transparent
from remit.corpus.hiding import gone, perhaps
from remit.corpus.lengths import ROOT, length

_SMALLEST = 2.0
_DEEPEST = 20
_LONGEST = 2_000


class Ink(NamedTuple):
    """What letters are filled with: a colour, None for an unknown one; `clear` where what is behind them shows."""

    colour: Colour | None = (0, 0, 0)
    clear: bool = False


class Look(NamedTuple):
    """How text inside an element looks. `gone` says why nothing in it is seen, whatever stands inside.

    `perhaps` is the declaration that may hide it. `cast` is what shows through clear letters, where something does.
    """

    gone: str | None = None
    perhaps: str | None = None
    seen: bool = True
    size: float = ROOT
    ink: Ink = Ink()
    fill: Ink | None = None
    cast: Ink = Ink(clear=True)
    drawn: str | None = None
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
        ink = self.fill or self.ink
        if ink.clear:
            ink = self.cast
        if ink.clear:
            return None if self.drawn else "transparent"
        return "in the colour of its background" if alike(ink.colour, self.behind) else None

    def doubt(self) -> str | None:
        """Return the declaration for which it is not known whether text here is seen, or None."""
        return self.perhaps or (self.drawn if (self.fill or self.ink).clear and self.cast.clear else None)


def inside(outer: Look, said: Mapping[str, str]) -> Look:
    """Return how text looks inside an element with these properties, itself inside `outer`."""
    own = {name: value for name, value in said.items() if name.startswith("--")}
    named = {**outer.named, **own} if own else outer.named
    said = {name: value for name, text in said.items() if (value := _put_in(text, named)) is not None}
    if not said:
        return outer._replace(named=named)
    ink = _ink(said.get("color"), outer.ink) or outer.ink
    fill = _ink(said.get("text-fill-color"), outer.fill)
    behind, cast = _behind(said, ink, outer)
    seen = outer.seen
    if "visibility" in said:
        seen = said["visibility"] == "visible" or (said["visibility"] == "inherit" and outer.seen)
    return Look(
        outer.gone or gone(said),
        outer.perhaps or perhaps(said),
        seen,
        _size(said, outer.size),
        ink,
        fill,
        cast,
        _drawn(said) or outer.drawn,
        behind,
        named,
    )


def _ink(text: str | None, outer: Ink | None) -> Ink | None:
    if text is None or text in {"inherit", "unset"}:
        return outer
    if text == "currentcolor":
        return None
    return Ink(colour_of("black" if text in {"initial", "revert"} else text), transparent(text))


def _behind(said: Mapping[str, str], ink: Ink, outer: Look) -> tuple[Colour | None, Ink]:
    """Return the colour behind the text, and what shows through it: a background that is clipped to the letters is no other."""
    names = ("background-color", "background", "background-image")
    backs = [said[name] for name in names if name in said and said[name] not in {"none", "inherit", "unset"}]
    clipped = "text" in said.get("background-clip", "").split() or re.search(r"(?:^|\s)text(?:\s|$)", " ".join(backs))
    painted = next((found for back in reversed(backs) if (found := _painted(back, ink)) is not None), None)
    if painted is None:
        return outer.behind, outer.cast
    return (outer.behind, painted) if clipped else (painted.colour, Ink(clear=True))


def _painted(back: str, ink: Ink) -> Ink | None:
    """Return what a background shows; None where it lets everything through."""
    if transparent(back):
        return None
    back = back.replace("currentcolor", "" if ink.colour is None else "rgb({} {} {})".format(*ink.colour))
    if "url(" in back or "image" in back or "paint(" in back:
        return Ink(None)
    if "gradient(" in back:
        words = colours_in(back)
        found = [None if transparent(word) else colour_of(word) for word in words]
        if words and not any(found):
            return None
        one = found[0] if found else None
        return Ink(one if all(alike(one, other) for other in found) else None)
    return next((Ink(colour) for word in _words(back) if (colour := colour_of(word)) is not None), _unknown(back))


def _unknown(back: str) -> Ink | None:
    return Ink(None) if "(" in back else None


def _drawn(said: Mapping[str, str]) -> str | None:
    """Return the outline or shadow that may show letters which have no colour."""
    for name in ("text-stroke", "text-shadow"):
        if said.get(name, "none") not in {"none", "0", "inherit", "unset", "initial"}:
            return f"{name}: {said[name][:60]}"
    return None


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


def _words(text: str) -> list[str]:
    return re.findall(r"[\w-]+\((?:[^()]|\([^()]*\))*\)|\S+", text)


def _size(said: Mapping[str, str], outer: float) -> float:
    size = length(said["font-size"], outer) if "font-size" in said else None
    if size is None and "font" in said:
        size = next(
            (found for word in said["font"].split() if (found := length(word.partition("/")[0], outer)) is not None),
            None,
        )
    return outer if size is None else size
