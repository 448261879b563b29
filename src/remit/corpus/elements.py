"""What an element of a page says about whether its text is seen, by its kind, its attributes and its styles."""

# ruff: noqa: SIM905 - a list of words is kept as words

from __future__ import annotations

from types import MappingProxyType
from typing import Any, Final

from remit.corpus.hiding import NO_ROOM
from remit.corpus.styles import Sheet
from remit.corpus.visible import Look, inside

BLOCKS: Final = frozenset(
    "address article aside blockquote body center dd details dialog div dl dt fieldset figcaption figure footer form "
    "h1 h2 h3 h4 h5 h6 header hr html legend li main ol p pre section summary ul table caption thead tbody tfoot tr td "
    "th".split()
)
_ELSE: Final = MappingProxyType(
    {
        "noscript": "for browsers without scripts",
        "noembed": "for browsers without plug-ins",
        "meter": "for browsers without meters",
        "progress": "for browsers without progress bars",
    }
)
_NOTES: Final = frozenset({"annotation", "annotation-xml"})
_BRACKET: Final = 2


def look_of(element: Any, outer: Look, sheet: Sheet) -> Look:
    """Return how text looks inside an element that stands where text looks like `outer`.

    Raises:
        ValueError: the page takes too long.
    """
    look = inside(outer, sheet.of(element))
    if look.gone == NO_ROOM and outer.gone is None and element.tag in {"td", "th"}:  # most cells grow with their text
        look = look._replace(gone=None, perhaps=look.perhaps or "the size of a cell")
    why = _shut(element)
    return look._replace(gone=look.gone or why) if why else look


def styled_elsewhere(root: Any) -> bool:
    """Say whether a page takes styles for the screen from another file."""
    links = (link for link in root.iter("link") if "stylesheet" in (link.get("rel") or "").lower().split())
    seen = any((link.get("media") or "all").strip().lower() not in {"print", "speech"} for link in links)
    return seen or any("@import" in (style.text or "").lower() for style in root.iter("style"))


def _shut(element: Any) -> str | None:
    """Return why browsers show nothing of an element, whatever its styles are; None where they do."""
    tag = element.tag
    if "hidden" in element.attrib:
        return "the hidden attribute"
    if "popover" in element.attrib:
        return "a closed popover"
    if tag == "dialog" and "open" not in element.attrib:
        return "a closed dialog"
    if tag == "rp" and len((element.text or "").strip()) >= _BRACKET:  # a bracket keeps reading and base apart
        return "for browsers without ruby"
    if tag in _NOTES and any(above.tag == "math" for above in element.iterancestors()):
        return "a note on a formula"
    return _ELSE.get(tag)
