"""Text composed block by block by the readers of HTML, PDF and DOCX: stored text with each block at its exact place."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

from remit.corpus.blocks import Block, BlockKind, Heading, Outline
from remit.corpus.stated import Stated
from remit.corpus.tables import column_names, rendered_row
from remit.errors import Fault

_NOTHING = (
    "\x00-\x08\x0e-\x1f\x7f-\x9f\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff"
    "\ufff0-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e00ff\U000e01f0-\U000e0fff"
)
ELSEWHERE = "has a style sheet in another file, which is not read: what it hides is kept"
"""What an ingest says once for all pages of which it is true, and not of each."""
_VARIANT = "\ufe00-\ufe0f\U000e0100-\U000e01ef"

UNSEEN = re.compile(f"[{_NOTHING}]|(?<=[{_NOTHING}{_VARIANT}\u200c\u200d])[{_VARIANT}]")
"""Characters nobody sees: controls, direction marks and overrides, zero-width ones, tags, and selectors of a variant
that follow no letter but another such one, which can spell out any text. Joiners, and a letter's one selector, stay:
scripts and emoji need them."""

_LONGEST_HEADING = 300


class Composed(NamedTuple):
    """A file as its reader made it. `title` and `language` are what it carries; what is stated goes before both."""

    text: str
    outline: Outline
    stated: Stated
    language: str | None
    warnings: tuple[Fault, ...]
    hint: str = ""
    """What to do where there is no text."""


class Composer:
    """Collects blocks under their headings. `place` is a last part of every path, such as "page 3"."""

    def __init__(self) -> None:
        self.place: str | None = None
        self.unseen = False
        self._text: list[str] = []
        self._length = 0
        self._blocks: list[Block] = []
        self._path: list[Heading] = []
        self._title: str | None = None
        self._listed = ""

    def heading(self, level: int, words: str) -> None:
        """Open a section; its heading stands in the text and is no passage of its own."""
        words = self._clean(words).replace("\n", " ")
        if not words:
            return
        while self._path and self._path[-1].level >= level:
            self._path.pop()
        self._path.append(Heading(level, words[:_LONGEST_HEADING]))
        if level <= 1 and self._title is None:
            self._title = words[:_LONGEST_HEADING]
        self._put(words)
        self._listed = ""

    def add(self, kind: BlockKind, words: str, marker: str = "") -> None:
        """Add a block; `marker` is what stands before its words, such as the sign of a list item."""
        words = self._clean(words, keep_lines=kind == "code")
        if not words:
            return
        start = self._put(marker + words, "\n" if kind == self._listed else "\n\n")
        self._listed = kind if kind in {"item", "row"} else ""
        section = tuple(heading.text for heading in self._path)
        path = section if self.place is None else (*section, self.place)
        self._blocks.append(Block(kind, path, start, start + len(marker), start + len(marker) + len(words)))

    def row(self, header: Sequence[str], cells: Sequence[str]) -> None:
        """Add a table row that can be read without the rest of its table; cells beyond the header are kept."""
        names = column_names([*header, *("" for _ in cells[len(header) :])])
        self.add("row", rendered_row(names, [self._clean(cell) for cell in cells]))

    def outline(self) -> Outline:
        """Return the blocks, and the first heading of the highest level as title."""
        return Outline(self._title, tuple(self._blocks))

    def text(self) -> str:
        """Return the whole text."""
        return "".join(self._text)

    def _put(self, words: str, gap: str = "\n\n") -> int:
        # A line feed composes with nothing, so that blocks in NFC make a text in NFC.
        if self._text:
            self._text.append(gap)
            self._length += len(gap)
        start = self._length
        self._text.append(words)
        self._length += len(words)
        return start

    def _clean(self, words: str, *, keep_lines: bool = False) -> str:
        bare = UNSEEN.sub("", words)
        self.unseen = self.unseen or len(bare) != len(words)
        text = unicodedata.normalize("NFC", bare)
        if keep_lines:
            return "\n".join(line.rstrip() for line in text.split("\n")).strip("\n")
        return "\n".join(line for line in (" ".join(part.split()) for part in text.split("\n")) if line)
