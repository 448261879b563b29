"""Colours of CSS as red, green and blue: names, hex, rgb(), hsl(), hwb(), lab(), lch(), oklab(), oklch(), color()."""

# ruff: noqa: SIM905 - a list of words is kept as words

from __future__ import annotations

import re
from collections.abc import Sequence
from math import cos, radians, sin
from types import MappingProxyType

Colour = tuple[int, int, int]
WHITE: Colour = (255, 255, 255)
_FAINT = 0.05
_CLOSE = 40
_RGB = 3
_RGBA = 4
_LINEAR = 0.0031308
_CUBE = 6 / 29
_D65 = (0.95047, 1.0, 1.08883)

# W3C, CSS Color Module Level 4, 6.1
_NAMES = MappingProxyType(
    dict(
        pair.split(":")
        for pair in (
            "aliceblue:f0f8ff antiquewhite:faebd7 aqua:00ffff aquamarine:7fffd4 azure:f0ffff beige:f5f5dc bisque:ffe4c4 "
            "black:000000 blanchedalmond:ffebcd blue:0000ff blueviolet:8a2be2 brown:a52a2a burlywood:deb887 "
            "cadetblue:5f9ea0 chartreuse:7fff00 chocolate:d2691e coral:ff7f50 cornflowerblue:6495ed cornsilk:fff8dc "
            "crimson:dc143c cyan:00ffff darkblue:00008b darkcyan:008b8b darkgoldenrod:b8860b darkgray:a9a9a9 "
            "darkgreen:006400 darkgrey:a9a9a9 darkkhaki:bdb76b darkmagenta:8b008b darkolivegreen:556b2f "
            "darkorange:ff8c00 darkorchid:9932cc darkred:8b0000 darksalmon:e9967a darkseagreen:8fbc8f "
            "darkslateblue:483d8b darkslategray:2f4f4f darkslategrey:2f4f4f darkturquoise:00ced1 darkviolet:9400d3 "
            "deeppink:ff1493 deepskyblue:00bfff dimgray:696969 dimgrey:696969 dodgerblue:1e90ff firebrick:b22222 "
            "floralwhite:fffaf0 forestgreen:228b22 fuchsia:ff00ff gainsboro:dcdcdc ghostwhite:f8f8ff gold:ffd700 "
            "goldenrod:daa520 gray:808080 green:008000 greenyellow:adff2f grey:808080 honeydew:f0fff0 hotpink:ff69b4 "
            "indianred:cd5c5c indigo:4b0082 ivory:fffff0 khaki:f0e68c lavender:e6e6fa lavenderblush:fff0f5 "
            "lawngreen:7cfc00 lemonchiffon:fffacd lightblue:add8e6 lightcoral:f08080 lightcyan:e0ffff "
            "lightgoldenrodyellow:fafad2 lightgray:d3d3d3 lightgreen:90ee90 lightgrey:d3d3d3 lightpink:ffb6c1 "
            "lightsalmon:ffa07a lightseagreen:20b2aa lightskyblue:87cefa lightslategray:778899 lightslategrey:778899 "
            "lightsteelblue:b0c4de lightyellow:ffffe0 lime:00ff00 limegreen:32cd32 linen:faf0e6 magenta:ff00ff "
            "maroon:800000 mediumaquamarine:66cdaa mediumblue:0000cd mediumorchid:ba55d3 mediumpurple:9370db "
            "mediumseagreen:3cb371 mediumslateblue:7b68ee mediumspringgreen:00fa9a mediumturquoise:48d1cc "
            "mediumvioletred:c71585 midnightblue:191970 mintcream:f5fffa mistyrose:ffe4e1 moccasin:ffe4b5 "
            "navajowhite:ffdead navy:000080 oldlace:fdf5e6 olive:808000 olivedrab:6b8e23 orange:ffa500 orangered:ff4500 "
            "orchid:da70d6 palegoldenrod:eee8aa palegreen:98fb98 paleturquoise:afeeee palevioletred:db7093 "
            "papayawhip:ffefd5 peachpuff:ffdab9 peru:cd853f pink:ffc0cb plum:dda0dd powderblue:b0e0e6 purple:800080 "
            "rebeccapurple:663399 red:ff0000 rosybrown:bc8f8f royalblue:4169e1 saddlebrown:8b4513 salmon:fa8072 "
            "sandybrown:f4a460 seagreen:2e8b57 seashell:fff5ee sienna:a0522d silver:c0c0c0 skyblue:87ceeb "
            "slateblue:6a5acd slategray:708090 slategrey:708090 snow:fffafa springgreen:00ff7f steelblue:4682b4 "
            "tan:d2b48c teal:008080 thistle:d8bfd8 tomato:ff6347 turquoise:40e0d0 violet:ee82ee wheat:f5deb3 "
            "white:ffffff whitesmoke:f5f5f5 yellow:ffff00 yellowgreen:9acd32 "
            # of the system, as browsers show them in a light page
            "canvas:ffffff canvastext:000000 field:ffffff fieldtext:000000 window:ffffff windowtext:000000 "
            "background:ffffff"
        ).split()
    )
)
_HEX = re.compile(r"#?([0-9a-f]{6})(?:[0-9a-f]{2})?|#([0-9a-f])([0-9a-f])([0-9a-f])[0-9a-f]?")
_CALL = re.compile(r"(rgba?|hsla?|hwb|lab|lch|oklab|oklch|color|light-dark)\((.*)\)", re.DOTALL)
_WORD = re.compile(
    r"(?:rgba?|hsla?|hwb|lab|lch|oklab|oklch|color)\([^()]*\)|#[0-9a-f]{3,8}\b|(?<![\w-])[a-z]{3,}(?![\w(-])"
)
_NUMBER = re.compile(r"([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)(%|deg|grad|rad|turn)?|none")
_TURNS = MappingProxyType({"deg": 1.0, "grad": 0.9, "rad": 57.29577951308232, "turn": 360.0, "": 1.0, "%": 3.6})

Part = tuple[float, str]


def colour_of(text: str) -> Colour | None:
    """Return a colour from its name or notation, in small letters; None for what is no plain colour."""
    text = text.strip()
    if found := _HEX.fullmatch(_NAMES.get(text, text)):
        digits = found[1] or "".join(digit * 2 for digit in found.groups()[1:])
        return int(digits[:2], 16), int(digits[2:4], 16), int(digits[4:], 16)
    if (call := _CALL.fullmatch(text)) is None:
        return None
    if call[1] == "light-dark":
        return colour_of(call[2].partition(",")[0])
    space, _, numbers = call[2].strip().partition(" ") if call[1] == "color" else ("", "", call[2])
    parts = _parts(numbers)
    return None if len(parts) < _RGB else _called(call[1], space, parts)


def transparent(text: str) -> bool:
    """Say whether a colour lets nearly everything through."""
    if text in {"transparent", "none"}:
        return True
    if (call := _CALL.fullmatch(text)) is not None:
        parts = _parts(call[2].strip().partition(" ")[2] if call[1] == "color" else call[2])
        return len(parts) >= _RGBA and _share(parts[3]) < _FAINT
    return bool(re.fullmatch(r"#(?:[0-9a-f]{6}0[0-9a-c]|[0-9a-f]{3}0)", text))


def colours_in(text: str) -> list[str]:
    """Return what is a colour in a longer value, such as a gradient, each as it is written."""
    return [word for word in _WORD.findall(text) if transparent(word) or colour_of(word) is not None]


def alike(one: Colour | None, other: Colour | None) -> bool:
    """Say whether two colours can hardly be told apart; an unknown one can."""
    return one is not None and other is not None and sum(abs(a - b) for a, b in zip(one, other, strict=True)) < _CLOSE


def _parts(inner: str) -> list[Part]:
    return [(float(found[1] or 0), found[2] or "") for found in _NUMBER.finditer(inner)]


def _called(kind: str, space: str, parts: Sequence[Part]) -> Colour | None:
    one, two, three = parts[:3]
    if kind.startswith("rgb"):
        return _rounded([n * 2.55 if unit else n for n, unit in (one, two, three)])
    if kind.startswith("hsl"):
        return _hsl(_degrees(one), two[0] / 100, three[0] / 100)
    if kind == "hwb":
        white, black = two[0] / 100, three[0] / 100
        if white + black >= 1:
            return _rounded([255 * white / (white + black)] * 3)
        pure = _hsl(_degrees(one), 1.0, 0.5)
        return _rounded([value * (1 - white - black) + 255 * white for value in pure])
    if kind == "color":
        values = [n / 100 if unit else n for n, unit in (one, two, three)]
        if "xyz" in space:
            return _of_linear(_matrix(values, _FROM_XYZ))
        return _of_linear(values) if "linear" in space else _rounded([255 * value for value in values])
    light = one[0]
    if kind in {"lch", "oklch"}:
        whole = 0.4 if kind == "oklch" else 150.0
        chroma, hue = _of_whole(two, whole), radians(_degrees(three))
        across, along = chroma * cos(hue), chroma * sin(hue)
    else:
        whole = 0.4 if kind == "oklab" else 125.0
        across, along = _of_whole(two, whole), _of_whole(three, whole)
    return _lab(light, across, along) if not kind.startswith("ok") else _oklab(_share(one), across, along)


def _degrees(part: Part) -> float:
    return part[0] * _TURNS[part[1]]


def _of_whole(part: Part, whole: float) -> float:
    return part[0] * whole / 100 if part[1] == "%" else part[0]


def _share(part: Part) -> float:
    return part[0] / 100 if part[1] == "%" else part[0]


def _hsl(hue: float, saturation: float, light: float) -> Colour:
    spread = saturation * min(light, 1 - light)
    values = []
    for offset in (0, 8, 4):
        at = (offset + hue / 30) % 12
        values.append(255 * (light - spread * max(-1.0, min(at - 3, 9 - at, 1.0))))
    return _rounded(values)


# W3C, CSS Color Module Level 4, 10: sample code for conversions
_FROM_XYZ = (
    (3.2404542, -1.5371385, -0.4985314),
    (-0.9692660, 1.8760108, 0.0415560),
    (0.0556434, -0.2040259, 1.0572252),
)
_FROM_LMS = ((4.0767416621, -3.3077115913, 0.2309699292), (-1.2684380046, 2.6097574011, -0.3413193965), (-0.0041960863, -0.7034186147, 1.7076147010))  # fmt: skip
_FROM_OKLAB = ((1.0, 0.3963377774, 0.2158037573), (1.0, -0.1055613458, -0.0638541728), (1.0, -0.0894841775, -1.2914855480))  # fmt: skip


def _lab(light: float, across: float, along: float) -> Colour:
    middle = (light + 16) / 116
    roots = (middle + across / 500, middle, middle - along / 200)
    white = zip(roots, _D65, strict=True)
    return _of_linear(_matrix([(f**3 if f > _CUBE else (f - 4 / 29) * 3 * _CUBE**2) * w for f, w in white], _FROM_XYZ))


def _oklab(light: float, across: float, along: float) -> Colour:
    return _of_linear(_matrix([root**3 for root in _matrix([light, across, along], _FROM_OKLAB)], _FROM_LMS))


def _matrix(values: Sequence[float], rows: Sequence[Sequence[float]]) -> list[float]:
    return [sum(weight * value for weight, value in zip(row, values, strict=True)) for row in rows]


def _of_linear(values: Sequence[float]) -> Colour:
    return _rounded([255 * (12.92 * v if v <= _LINEAR else 1.055 * v ** (1 / 2.4) - 0.055) for v in values])


def _rounded(values: Sequence[float]) -> Colour:
    red, green, blue = (round(min(255.0, max(0.0, value))) for value in values)
    return red, green, blue
