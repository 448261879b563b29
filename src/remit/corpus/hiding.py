"""What single declarations of CSS do to the text of their element: hide it for sure, or perhaps."""

# ruff: noqa: SIM905 - a list of words is kept as words

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import pairwise
from types import MappingProxyType
from typing import Final, TypeVar

from remit.corpus.colours import WHITE, alike, colour_of, colours_in, transparent
from remit.corpus.lengths import length

WATCHED: Final = frozenset(
    "display visibility opacity font-size color background background-color background-image background-clip text-indent "
    "position left top right bottom clip clip-path width height max-width max-height inline-size block-size max-inline-size "
    "max-block-size overflow overflow-x overflow-y contain transform content-visibility font filter scale zoom translate "
    "rotate mask mask-image inset inset-inline inset-block inset-inline-start inset-inline-end inset-block-start "
    "inset-block-end margin margin-left margin-top margin-inline margin-block margin-inline-start margin-block-start "
    "padding-left padding-inline-start line-height text-fill-color text-stroke text-shadow text-security z-index "
    "mix-blend-mode letter-spacing".split()
)
"""The properties that are read, without the prefixes of browsers."""

_FAINT, _FLAT = 0.05, 0.1
_SCREEN = 800.0
NO_ROOM: Final = "given no room"
_FAR, _FARTHER, _ODD, _BEYOND = -300.0, -1000.0, -100.0, 5000.0
_OVERLAID = -4.0
_WIDE = 300.0
"""What 100 % of a place comes to: with it, `-100%` is just outside."""
_CALL = re.compile(r"(?<![\w-])([\w-]++)\(((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)")
_WORD = re.compile(r"[\w-]*+\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)|[^\s,()]+")
_PLACED = frozenset({"absolute", "fixed", "relative", "sticky"})
_STARTS = MappingProxyType(
    {"left": True, "right": True, "bottom": True, "top": False, "inset-inline-start": True, "inset-inline-end": True}
    | {"inset-block-start": False, "inset-block-end": True}
)
"""The sides by which an element is placed, each with whether far beyond it nobody gets by scrolling."""
_INSETS = MappingProxyType(
    {
        "inset": ("top", "right", "bottom", "left"),
        "inset-inline": ("inset-inline-start", "inset-inline-end"),
        "inset-block": ("inset-block-start", "inset-block-end"),
    }
)
_PUSHING = "margin-left margin-top margin-inline-start margin-block-start padding-left padding-inline-start".split()
_TURNING = frozenset({"rotatex", "rotatey", "rotate3d", "matrix3d", "perspective", "skew", "skewx", "skewy"})
_Side = TypeVar("_Side")
_PLAIN_COLOURS = frozenset({"currentcolor", "inherit", "initial", "unset", "revert", "revert-layer", "auto"})


def gone(said: Mapping[str, str]) -> str | None:
    """Return why nothing inside an element with these declarations is seen, or None where it may be."""
    if said.get("display") == "none":
        return "display: none"
    if said.get("content-visibility") == "hidden":
        return "content-visibility: hidden"
    if _faint(said):
        return "opacity 0"
    if said.get("text-security", "none") != "none":
        return "shown as dots"
    if _clip(said) == "gone" or _mask(said) == "gone":
        return "clipped away"
    if _no_room(said) or "flat" in _moves(said):
        return NO_ROOM
    return "outside the screen" if "gone" in {*_moves(said), *_places(said)} else None


def perhaps(said: Mapping[str, str]) -> str | None:
    """Return the declaration for which nobody can tell here whether the text is seen, or None where there is none."""
    for name in ("opacity", "font-size", "line-height", "text-indent"):
        if "(" in said.get(name, "") and length(said[name]) is None:
            return _told(said, name)
    for name in ("transform", "translate", "scale", "rotate", "zoom"):
        if name in said and "perhaps" in _moves({name: said[name]}):
            return _told(said, name)
    if "perhaps" in {_clip(said), _mask(said)}:
        return _told(said, *(name for name in ("clip-path", "clip", "mask-image", "mask") if name in said))
    return "its place" if "perhaps" in _places(said) else _blended(said) or _colours(said)


def hides(said: Mapping[str, str]) -> bool:
    """Say whether declarations, taken alone, hide what they are about, or may do so."""
    size = length(said.get("font-size", ""))
    colour = said.get("text-fill-color") or said.get("color") or ""
    backed = any(name.startswith("background") for name in said)
    return (
        gone(said) is not None
        or perhaps(said) is not None
        or said.get("visibility") in {"hidden", "collapse"}
        or (size is not None and size < 2)  # noqa: PLR2004 - pixels
        or (not backed and (transparent(colour) or alike(colour_of(colour), WHITE)))
    )


def _told(said: Mapping[str, str], name: str, *_: str) -> str:
    return f"{name}: {said[name][:60]}"


def _blended(said: Mapping[str, str]) -> str | None:
    if re.search(r"url\(|blur\((?!\s*0)|contrast\(\s*0|invert\((?!\s*0)", said.get("filter", "")):
        return _told(said, "filter")
    if said.get("mix-blend-mode", "normal") not in {"normal", *_PLAIN_COLOURS}:
        return _told(said, "mix-blend-mode")
    if said.get("z-index", "").startswith("-"):
        return _told(said, "z-index")
    width = length(said.get("letter-spacing", ""))
    return _told(said, "letter-spacing") if width is not None and width <= _OVERLAID else None


def _faint(said: Mapping[str, str]) -> bool:
    share = length(said.get("opacity", ""), percent=1)
    return (share is not None and share < _FAINT) or any(
        name == "opacity" and (share := length(inner, percent=1)) is not None and share < _FAINT
        for name, inner in _CALL.findall(said.get("filter", ""))
    )


def _colours(said: Mapping[str, str]) -> str | None:
    for name in ("color", "text-fill-color", "background-color"):
        text = said.get(name)
        if text and text not in _PLAIN_COLOURS and not transparent(text) and colour_of(text) is None and "(" in text:
            return _told(said, name)
    return None


def _no_room(said: Mapping[str, str]) -> bool:
    cut = any(re.search("hidden|clip", said.get(name, "")) for name in ("overflow", "overflow-x", "overflow-y"))
    if not cut and not re.search("paint|strict|content", said.get("contain", "")):
        return False
    names = "width height max-width max-height inline-size block-size max-inline-size max-block-size line-height"
    sizes = [length(said[name], percent=_SCREEN) for name in names.split() if name in said and name != "line-height"]
    if (line := said.get("line-height")) is not None and (high := length(line)) is not None:
        # A number of a line's height is a share of the letters' size.
        sizes.append(high * 16 if re.fullmatch(r"[\d.]+", line) else high)
    indent = length(said.get("text-indent", ""), percent=_WIDE)
    return any(size is not None and size <= 1 for size in sizes) or (indent is not None and indent >= _WIDE)


def _clip(said: Mapping[str, str]) -> str:
    found = {_cut(name, inner) for name, inner in _called(said.get("clip-path", ""))}
    for _, inner in _CALL.findall(said.get("clip", "")):
        sides = [length(word) for word in _WORD.findall(inner)]
        if len(sides) == 4 and None not in sides:  # noqa: PLR2004 - top, right, bottom, left
            top, right, bottom, left = (side or 0.0 for side in sides)
            found.add("gone" if bottom - top <= 1 or right - left <= 1 else "perhaps")
    return "gone" if "gone" in found else "perhaps" if "perhaps" in found else ""


@lru_cache(maxsize=1024)
def _called(text: str) -> tuple[tuple[str, str], ...]:
    """Return the functions of a value with what they are given; one without a name where it cannot be taken apart."""
    return tuple(_CALL.findall(text)) or ((("", text),) if "(" in text else ())


def _cut(name: str, inner: str) -> str:
    """Return what a shape leaves of an element: nothing ("gone"), all of it (""), or who knows."""
    shape = inner.partition("round")[0].partition(" at ")[0]
    if name in {"inset", "xywh", "rect"}:
        if name != "inset":
            return "perhaps"
        sides = [side for word in _WORD.findall(shape) if (side := length(word, percent=_WIDE)) is not None]
        if not sides or len(sides) < len(_WORD.findall(shape)):
            return "perhaps"
        top, right, bottom, left = _four(sides)
        if top + bottom >= _WIDE or left + right >= _WIDE:
            return "gone"
        return "" if max(map(abs, (top, right, bottom, left))) < 8 else "perhaps"  # noqa: PLR2004 - a margin
    if name in {"circle", "ellipse"}:
        sizes = [length(word, percent=_WIDE) for word in _WORD.findall(shape)]
        return "gone" if any(size is not None and size <= 1 for size in sizes) else "perhaps"
    if name == "polygon":
        points = [[length(word, percent=_WIDE) for word in _WORD.findall(point)] for point in inner.split(",")]
        plain = [(one[0], one[1]) for one in points if len(one) == 2 and None not in one]  # noqa: PLR2004 - x and y
        if len(plain) == len(points):
            twice = sum((x or 0) * (v or 0) - (u or 0) * (y or 0) for (x, y), (u, v) in pairwise([*plain, plain[0]]))
            return "gone" if abs(twice) < 4 else "perhaps"  # noqa: PLR2004 - two square pixels
    return "perhaps"


def _mask(said: Mapping[str, str]) -> str:
    text = f"{said.get('mask', '')} {said.get('mask-image', '')}"
    if "(" not in text:
        return ""
    colours = list(colours_in(text))
    clear = colours and "url(" not in text and all(transparent(colour) for colour in colours)
    return "gone" if clear else "perhaps"


def _moves(said: Mapping[str, str]) -> set[str]:
    """Return what transforms do: "flat", "gone" from the screen, or "perhaps"."""
    found = {_moved(name.lower(), inner) for name, inner in _called(said.get("transform", ""))}
    for name in ("scale", "translate"):
        if (text := said.get(name, "none")) != "none":
            found.add(_moved(name, text))
    if " " in (turn := said.get("rotate", "none")) and not turn.startswith("z "):
        found.add("perhaps")
    zoom = length(said.get("zoom", ""), percent=1)
    if zoom is not None and zoom < _FLAT:
        found.add("perhaps" if zoom == 0 else "flat")  # browsers take 0 for 1
    return found - {""}


def _moved(name: str, inner: str) -> str:
    words = _WORD.findall(inner)[: 1 if name in {"scalex", "scaley", "translatex", "translatey"} else 2]
    if name in {"scale", "scalex", "scaley", "scale3d"}:
        shares = [length(word, percent=1) for word in words]
        return "perhaps" if None in shares else "flat" if any(abs(share or 0) < _FLAT for share in shares) else ""
    if name.startswith("translate") and name != "translatez":
        ways = [length(word, percent=_WIDE) for word in words]
        if None in ways:
            return "perhaps"
        if any((way or 0) <= _FARTHER for way in ways) or (name != "translatey" and (ways[0] or 0) >= _BEYOND):
            return "gone"
        return "perhaps" if any((way or 0) <= _FAR or (way or 0) >= _BEYOND for way in ways) else ""
    if name == "matrix":
        numbers = [length(word) for word in _WORD.findall(inner)]
        if len(numbers) != 6 or None in numbers:  # noqa: PLR2004 - a matrix and a way
            return "perhaps"
        a, b, c, d, across, down = (number or 0.0 for number in numbers)
        if abs(a * d - b * c) < _FLAT * _FLAT:
            return "flat"
        return _moved("translate", f"{across}px {down}px")
    return "perhaps" if name in _TURNING or not name else ""


def _places(said: Mapping[str, str]) -> set[str]:
    """Return where an element lies: "gone" from the screen, "perhaps", or nothing to tell."""
    found = set()
    for name, value, on_purpose in _sides(said):
        at = length(value, percent=_WIDE)
        if at is None:
            found.add("perhaps" if "(" in value and "anchor" not in value else "")
        elif at <= (_FAR if on_purpose else _FARTHER):
            found.add("gone")
        elif at >= _BEYOND:
            found.add("gone" if _STARTS.get(name, "top" not in name and "block" not in name) else "perhaps")
        elif at <= (_ODD if on_purpose else _FAR):
            found.add("perhaps")
    return found - {""}


def _sides(said: Mapping[str, str]) -> Iterator[tuple[str, str, bool]]:
    """Yield each side by which an element is moved, with by how much, and whether that places it and nothing else."""
    if "text-indent" in said:
        yield "text-indent", said["text-indent"], True
    if said.get("position") in _PLACED:
        yield from ((name, said[name], True) for name in _STARTS if name in said)
        for name, sides in _INSETS.items():
            words = _four(_WORD.findall(said.get(name, "")))
            yield from ((side, word, True) for side, word in zip(sides, words, strict=False))
    yield from ((name, said[name], False) for name in _PUSHING if name in said)
    for name, side in (("margin-inline", "margin-inline-start"), ("margin-block", "margin-block-start")):
        yield from ((side, word, False) for word in _WORD.findall(said.get(name, ""))[:1])
    if words := _four(_WORD.findall(said.get("margin", ""))):
        yield "margin-top", words[0], False
        yield "margin-left", words[3], False


def _four(values: list[_Side]) -> list[_Side]:
    """Return top, right, bottom and left from as many values as CSS lets one write."""
    match values[:4]:
        case [one]:
            return [one] * 4
        case [upright, across]:
            return [upright, across] * 2
        case [top, across, bottom]:
            return [top, across, bottom, across]
    return values[:4]
