"""Whether a run of a Word document can be seen: hidden, in the colour of what is behind it, or too small."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from docx.oxml.ns import qn

from remit.corpus.colours import WHITE, alike, colour_of

_TINY = 4
"""Half points: a font size is told in these."""
_LOWEST_ROW = 40
"""Twips, twentieths of a point."""
_MOST_STYLES = 30
_OFF = frozenset({"0", "false", "off", "none"})


class Looks:
    """The styles of a document, each with those it is based on."""

    def __init__(self, opened: Any) -> None:
        styles = opened.styles.element
        self._styles = {style.get(qn("w:styleId")): style for style in styles.iter(qn("w:style"))}
        self._defaults = styles.find(f"{qn('w:docDefaults')}/{qn('w:rPrDefault')}/{qn('w:rPr')}")
        self._usual = next(
            (s for s in self._styles.values() if s.get(qn("w:type")) == "paragraph" and s.get(qn("w:default")) == "1"),
            None,
        )

    def style_name(self, paragraph: Any) -> str:
        """Return the name of the heading or list style that a paragraph has, or that its style is based on."""
        chain = list(self._chain(_style_of(paragraph, "w:pPr", "w:pStyle")))
        names = [str(name.get(qn("w:val"), "")) for style in chain if (name := style.find(qn("w:name"))) is not None]
        known = (n for n in names if n.lower().startswith(("heading ", "title", "list")))
        return next(known, names[0] if names else "")

    def shade(self, cell: Any) -> str | None:
        """Return the colour behind a table cell, where it has one of its own."""
        return _shade(cell.find(qn("w:tcPr")))

    def row_gone(self, row: Any) -> str | None:
        """Return why a table row cannot be seen, or None where it can."""
        said = row.find(qn("w:trPr"))
        if said is None:
            return None
        if _first([said], "w:hidden", on=True):
            return "a row marked as hidden"
        if said.find(qn("w:del")) is not None:
            return "a row that was deleted"
        height = said.find(qn("w:trHeight"))
        exact = height is not None and height.get(qn("w:hRule")) == "exact"
        twips = str(height.get(qn("w:val"), "")) if height is not None and exact else ""
        return "a row of no height" if twips.isdecimal() and int(twips) < _LOWEST_ROW else None

    def unseen(self, run: Any, paragraph: Any, shade: str | None) -> str | None:
        """Return why a run cannot be seen, or None where it can; `shade` is the colour behind it."""
        said = list(self._properties(run, paragraph))
        if _first(said, "w:vanish", on=True) or _first(said, "w:specVanish", on=True):
            return "marked as hidden"
        size = _first(said, "w:sz")
        if size is not None and size.replace(".", "").isdecimal() and float(size) < _TINY:
            return "too small to be read"
        colour = colour_of((_first(said, "w:color") or "").lower())
        behind = (
            next((found for rpr in said if (found := _shade(rpr))), None)
            or _shade(paragraph.find(qn("w:pPr")))
            or shade
        )
        highlighted = (_first(said, "w:highlight") or "none") not in {"none", "white"}
        if not highlighted and alike(colour, colour_of((behind or "ffffff").lower()) or WHITE):
            return "in the colour of the page"
        return None

    def _properties(self, run: Any, paragraph: Any) -> Iterator[Any]:
        """Yield the properties of a run, the nearest first."""
        own = run.find(qn("w:rPr"))
        styles = (
            *self._chain(_style_of(run, "w:rPr", "w:rStyle")),
            *self._chain(_style_of(paragraph, "w:pPr", "w:pStyle")),
        )
        for found in (own, *(style.find(qn("w:rPr")) for style in styles), self._defaults):
            if found is not None:
                yield found

    def _chain(self, name: str | None) -> Iterator[Any]:
        style = self._styles.get(name) if name else self._usual
        for _ in range(_MOST_STYLES):  # styles based on each other would go round for ever
            if style is None:
                return
            yield style
            based = style.find(qn("w:basedOn"))
            style = None if based is None else self._styles.get(based.get(qn("w:val")))


def _style_of(element: Any, properties: str, tag: str) -> str | None:
    found = element.find(f"{qn(properties)}/{qn(tag)}")
    return None if found is None else str(found.get(qn("w:val")))


def _first(said: list[Any], tag: str, *, on: bool = False) -> str | None:
    """Return the value of a property where it is said first; `on`: of a switch, None where it is off."""
    for properties in said:
        found = properties.find(qn(tag))
        if found is not None:
            value = str(found.get(qn("w:val"), "1"))
            return None if on and value in _OFF else value
    return None


def _shade(properties: Any) -> str | None:
    found = None if properties is None else properties.find(qn("w:shd"))
    fill = "auto" if found is None else str(found.get(qn("w:fill"), "auto"))
    return None if fill.lower() == "auto" else fill
