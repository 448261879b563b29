"""Lengths and numbers of CSS in pixels: plain ones, and those that `calc()`, `min()`, `max()` and `clamp()` come to."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import Final

NUMBER: Final = r"(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?"
ROOT: Final = 16.0
_UNITS = MappingProxyType(
    {"": 1, "px": 1, "pt": 4 / 3, "pc": 16, "rem": 16, "ex": 8, "ch": 8, "cap": 12, "ic": 16, "lh": 20, "rlh": 20}
    | {"cm": 37.8, "mm": 3.78, "q": 0.945, "in": 96}
    | {f"{kind}{unit}": 8 if unit.endswith(("h", "b")) else 12 for kind in ("", "s", "l", "d") for unit in ("vh", "vb")}
    | {f"{kind}{unit}": 12 for kind in ("", "s", "l", "d") for unit in ("vw", "vi", "vmin", "vmax")}
    | {f"cq{side}": 8 for side in ("w", "h", "i", "b", "min", "max")}
)
"""Pixels to a unit, as on a screen of 1200 by 800."""
_TOKEN = re.compile(rf"\s*({NUMBER})(%|[a-z]+)?|\s*(calc|min|max|clamp)?(\()|\s*([-+*/),])")
_SIGNED = re.compile(rf"([-+]?{NUMBER})(%|[a-z]+)?")
_DEEPEST, _LONGEST = 20, 500


def length(text: str, em: float = ROOT, percent: float | None = None) -> float | None:
    """Return a length in pixels, where 100 % is `percent` (1em unless told); None where it is none that can be read."""
    text = text.strip()
    whole = em if percent is None else percent
    if found := _SIGNED.fullmatch(text):
        return _in_pixels(found[1], found[2] or "", em, whole)
    if "(" not in text or len(text) > _LONGEST:
        return None
    try:
        return _Sum(text, em, whole).value()
    except (ValueError, ZeroDivisionError, OverflowError):
        return None


def _in_pixels(number: str, unit: str, em: float, whole: float) -> float | None:
    factor = em if unit == "em" else whole / 100 if unit == "%" else _UNITS.get(unit)
    return None if factor is None else float(number) * factor


class _Sum:
    """A sum under way, from left to right."""

    def __init__(self, text: str, em: float, whole: float) -> None:
        self._tokens: list[tuple[str, float]] = []
        at = 0
        while at < len(text):
            found = _TOKEN.match(text, at)
            if found is None:
                raise ValueError(text)
            at = found.end()
            if found[1]:
                value = _in_pixels(found[1], found[2] or "", em, whole)
                if value is None:
                    raise ValueError(found[2])
                self._tokens.append(("number", value))
            else:
                self._tokens.append((found[3] or "calc" if found[4] else found[5], 0.0))
        self._at = self._depth = 0

    def value(self) -> float:
        """Return what all of it comes to."""
        result = self._terms()
        if self._at < len(self._tokens):
            raise ValueError("more")
        return result

    def _peek(self) -> str:
        return self._tokens[self._at][0] if self._at < len(self._tokens) else ""

    def _take(self) -> tuple[str, float]:
        if self._at == len(self._tokens):
            raise ValueError("nothing")
        self._at += 1
        return self._tokens[self._at - 1]

    def _terms(self) -> float:
        total = self._factors()
        while (sign := self._peek()) in {"+", "-"}:
            self._at += 1
            total += self._factors() if sign == "+" else -self._factors()
        return total

    def _factors(self) -> float:
        total = self._one()
        while (sign := self._peek()) in {"*", "/"}:
            self._at += 1
            total = total * self._one() if sign == "*" else total / self._one()
        return total

    def _one(self) -> float:
        kind, value = self._take()
        if kind == "number":
            return value
        if kind in {"+", "-"}:
            number, value = self._take()
            if number != "number":
                raise ValueError(kind)
            return value if kind == "+" else -value
        if kind not in {"calc", "min", "max", "clamp"} or self._depth >= _DEEPEST:
            raise ValueError(kind)
        self._depth += 1
        found = [self._terms()]
        while self._peek() == ",":
            self._at += 1
            found.append(self._terms())
        if self._take()[0] != ")":
            raise ValueError(kind)
        self._depth -= 1
        return _of(kind, found)


def _of(kind: str, found: list[float]) -> float:
    match kind, found:
        case "calc", [one]:
            return one
        case "clamp", [least, wanted, most]:
            return max(least, min(wanted, most))
        case "min", _:
            return min(found)
        case "max", _:
            return max(found)
    raise ValueError(kind)
