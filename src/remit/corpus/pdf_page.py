"""The lines of one PDF page as they are seen: what is invisible, tiny, in the page's own colour or outside it is apart."""

from __future__ import annotations

import ctypes
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from statistics import median
from typing import Any, NamedTuple

import pypdfium2.raw as pdf

from remit.corpus.colours import WHITE, Colour, alike
from remit.corpus.pdf_marks import Layers, Marks, taken_off

_TINY = 2.0
_FAINT = 13
_OPAQUE = 128
_HYPHEN = "\x02"
_NO_FILL = frozenset({pdf.FPDF_TEXTRENDERMODE_INVISIBLE, pdf.FPDF_TEXTRENDERMODE_CLIP})
_STROKED = frozenset({pdf.FPDF_TEXTRENDERMODE_STROKE, pdf.FPDF_TEXTRENDERMODE_STROKE_CLIP})


class Box(NamedTuple):
    """A rectangle on the page, in points."""

    left: float
    bottom: float
    right: float
    top: float

    def holds(self, x: float, y: float) -> bool:
        """Say whether a point lies inside."""
        return self.left <= x <= self.right and self.bottom <= y <= self.top


@dataclass(slots=True)
class Line:
    """A line of text: its words, how high its characters are, and where it stands."""

    words: str = ""
    heights: list[float] = field(default_factory=list)
    left: float = 0.0
    right: float = 0.0
    bottom: float = 0.0
    top: float = 0.0

    @property
    def height(self) -> float:
        """Return the usual height of its characters."""
        return median(self.heights) if self.heights else 0.0


class Seen(NamedTuple):
    """What a page shows, and for each reason how many characters it hides."""

    lines: list[Line]
    hidden: Counter[str]
    images: int


class _Backdrop(NamedTuple):
    order: int
    box: Box
    colour: Colour | None
    covers: bool


def seen(page: Any, box: Box, layers: Layers) -> Seen:
    """Return the lines of an open page, whose visible part is `box`."""
    marks = taken_off(page.raw, layers)
    backdrops, orders = _backdrops(page.raw, marks)
    text = page.get_textpage()
    hidden: Counter[str] = Counter()
    lines = [Line()]
    reasons: dict[int, str | None] = dict(marks.unseen)
    shown: dict[int, str] = dict.fromkeys(marks.replaced, "")
    try:
        for at in range(text.count_chars()):
            code = pdf.FPDFText_GetUnicode(text.raw, at)
            letter = chr(code) if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000 else ""  # noqa: PLR2004 - Unicode
            if letter in {"\n", "\r"}:
                lines.append(Line())
                continue
            if pdf.FPDFText_IsGenerated(text.raw, at) == 1:
                lines[-1].words += letter
                continue
            if shown and (key := _address(pdf.FPDFText_GetTextObject(text.raw, at))) in shown:
                shown[key] += letter
            place = _place(text.raw, at)
            why = _reason(text.raw, at, reasons, backdrops, orders)
            why = why or ("outside the page" if not box.holds(*_middle(place)) else None)
            why = why or (
                "too small to be read" if max(place.right - place.left, place.top - place.bottom) < _TINY else None
            )
            if why:
                hidden[why] += bool(letter.strip())
            else:
                _append(lines[-1], letter, place)
    finally:
        text.close()
    for key, instead in marks.replaced.items():
        if _letters(instead) != _letters(shown[key]):
            hidden["a replacement text that says something else"] += len(_letters(instead))
    kept = [line for line in lines if line.words.strip(f" {_HYPHEN}") and line.heights]
    return Seen(kept, hidden, sum(b.colour is None for b in backdrops))


def joined(lines: list[Line]) -> str:
    """Return lines as running text; a word that was divided at the end of a line is whole again."""
    text = " ".join(line.words.strip(" ") for line in lines)
    # Before a capital or a number the hyphen is part of a code.
    return re.sub(rf"{_HYPHEN}\s*(\S?)", lambda found: found[1] if found[1].islower() else f"-{found[1]}", text)


def _letters(text: str) -> str:
    """Return the letters and digits of a text: its signs, spaces and ligatures may differ from what is shown."""
    return "".join(c for c in unicodedata.normalize("NFKC", text) if c.isalnum())


def _append(line: Line, letter: str, place: Box) -> None:
    if letter.strip():
        if not line.heights:
            line.left, line.bottom, line.right, line.top = place
        line.heights.append(place.top - place.bottom)
        line.right = max(line.right, place.right)
        line.bottom, line.top = min(line.bottom, place.bottom), max(line.top, place.top)
    line.words += letter


def _place(text: Any, at: int) -> Box:
    rect = pdf.FS_RECTF()
    pdf.FPDFText_GetLooseCharBox(text, at, rect)
    return Box(rect.left, min(rect.bottom, rect.top), rect.right, max(rect.bottom, rect.top))


def _middle(box: Box) -> tuple[float, float]:
    return (box.left + box.right) / 2, (box.bottom + box.top) / 2


def _reason(
    text: Any, at: int, known: dict[int, str | None], backdrops: list[_Backdrop], orders: dict[int, int]
) -> str | None:
    """Return why a character is not seen; it is looked up once for the run of text that it is part of."""
    thing = pdf.FPDFText_GetTextObject(text, at)
    key = _address(thing)
    if key not in known:
        known[key] = _why(thing, orders.get(key), backdrops) if key else None
    return known[key]


def _why(thing: Any, order: int | None, backdrops: list[_Backdrop]) -> str | None:
    mode = pdf.FPDFTextObj_GetTextRenderMode(thing)
    if mode in _NO_FILL:
        return f"invisible, render mode {mode}"
    if mode in _STROKED:
        return None
    colour, alpha = _fill(thing)
    if alpha < _FAINT:
        return "transparent"
    if order is None:  # inside a form, whose place on the page is not known here
        return "in the colour of the page" if alike(colour, WHITE) and not backdrops else None
    x, y = _middle(_bounds(thing))
    under = [b for b in backdrops if b.order < order and b.box.holds(x, y)]
    behind = under[-1].colour if under else WHITE
    if alike(colour, behind):
        return "in the colour of the page"
    return "covered" if any(b.covers and b.order > order and b.box.holds(x, y) for b in backdrops) else None


def _backdrops(page: Any, marks: Marks) -> tuple[list[_Backdrop], dict[int, int]]:
    """Return what is painted on the page, in order, and the place in that order of each run of text."""
    found: list[_Backdrop] = []
    orders: dict[int, int] = {}
    for order, (thing, kind) in enumerate(_things(page)):
        if _address(thing) in marks.unseen:
            continue
        if kind == pdf.FPDF_PAGEOBJ_TEXT:
            orders[_address(thing)] = order
            continue
        solid = not pdf.FPDFPageObj_HasTransparency(thing)
        if kind == pdf.FPDF_PAGEOBJ_PATH:
            fill, stroke = ctypes.c_int(), ctypes.c_int()
            pdf.FPDFPath_GetDrawMode(thing, fill, stroke)
            colour, alpha = _fill(thing)
            if fill.value and alpha >= _OPAQUE:
                found.append(_Backdrop(order, _bounds(thing), colour, solid))
        else:
            found.append(_Backdrop(order, _bounds(thing), None, solid and kind == pdf.FPDF_PAGEOBJ_IMAGE))
    return found, orders


def _things(page: Any) -> Iterator[tuple[Any, int]]:
    for at in range(pdf.FPDFPage_CountObjects(page)):
        thing = pdf.FPDFPage_GetObject(page, at)
        yield thing, pdf.FPDFPageObj_GetType(thing)


def _fill(thing: Any) -> tuple[Colour | None, int]:
    red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
    if not pdf.FPDFPageObj_GetFillColor(thing, red, green, blue, alpha):
        return None, 255
    return (red.value, green.value, blue.value), alpha.value


def _bounds(thing: Any) -> Box:
    sides = [ctypes.c_float() for _ in range(4)]
    if not pdf.FPDFPageObj_GetBounds(thing, *sides):
        return Box(0, 0, 0, 0)
    return Box(*(side.value for side in sides))


def _address(thing: Any) -> int:
    return ctypes.cast(thing, ctypes.c_void_p).value or 0
