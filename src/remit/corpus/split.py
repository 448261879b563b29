"""Text to passages: up to about 200 words, never across a heading, a list with its lead-in, a row in one piece."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby, pairwise
from typing import Literal, NamedTuple

from remit.corpus.blocks import Block, Outline, markdown_blocks, plain_blocks, row_blocks
from remit.corpus.document import Passage, Span
from remit.corpus.sentences import sentences, trimmed

PASSAGE_WORDS = 200
TABLE_WORDS = 100
"""Rows stand for themselves: shorter passages tell more precisely which rows were found."""

_CJK = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_WORD = re.compile(rf"[{_CJK}]|[^\s{_CJK}]{{1,16}}")
_HARD_BREAK = re.compile(r"(?:  |\\)\n")
_WRAP_AT_MOST = 100

Layout = Literal["markdown", "plain", "rows", "composed"]
"""How a text is laid out; the blocks of a composed one are known already."""


class Piece(NamedTuple):
    """A passage before it has a name."""

    section: tuple[str, ...]
    start: int
    end: int
    sentences: tuple[Span, ...]
    kind: Literal["prose", "table"]


class Split(NamedTuple):
    """A text in pieces, and the title its first-level heading gives."""

    title: str | None
    pieces: tuple[Piece, ...]


class _Unit(NamedTuple):
    """What is not divided among passages while it fits into one."""

    spans: tuple[Span, ...]
    start: int
    end: int
    words: int


def split(
    text: str,
    layout: Layout,
    rows: frozenset[int] = frozenset(),
    outline: Outline | None = None,
    *,
    language: str = "en",
) -> Split:
    """Return the pieces of a stored text.

    `rows` are the numbers of the lines of Markdown that are table rows, `outline` the blocks of a composed text.
    """
    if outline is None:
        outline = _OUTLINES[layout](text, rows)
    breaks = _breaks(text, layout)
    pieces: list[Piece] = []
    for (section, table), grouped in groupby(outline.blocks, key=lambda block: (block.section, block.kind == "row")):
        blocks = list(grouped)
        units = _rows(blocks) if table else _units(text, blocks, breaks, language)
        limit = TABLE_WORDS if table else PASSAGE_WORDS
        pieces += (
            Piece(section, packed[0].start, packed[-1].end, _spans(packed), "table" if table else "prose")
            for packed in _packed(_measured(text, units, limit), limit)
        )
    return Split(outline.title, tuple(pieces))


def to_passages(document: str, revision: str, text: str, pieces: Iterable[Piece]) -> tuple[Passage, ...]:
    """Return the pieces as passages of a revision, named ``document@revision#ordinal``."""
    return tuple(
        Passage(
            id=f"{document}@{revision}#{ordinal}",
            document=document,
            revision=revision,
            ordinal=ordinal,
            section=piece.section,
            start=piece.start,
            end=piece.end,
            text=text[piece.start : piece.end],
            sentences=piece.sentences,
            kind=piece.kind,
        )
        for ordinal, piece in enumerate(pieces)
    )


def words(text: str, start: int, end: int) -> int:
    """Return how long a stretch is, in words; a CJK character is one, and so are 16 characters without a space."""
    return sum(1 for _ in _WORD.finditer(text, start, end))


_OUTLINES: dict[Layout, Callable[[str, frozenset[int]], Outline]] = {
    "markdown": markdown_blocks,
    "plain": lambda text, _: plain_blocks(text),
    "rows": lambda text, _: row_blocks(text),
}


def _breaks(text: str, layout: Layout) -> tuple[int, ...]:
    if layout == "plain":
        return _line_breaks(text)
    # A composed text has line feeds only where somebody put a line break.
    hard = re.compile(r"\n") if layout == "composed" else _HARD_BREAK
    return tuple(match.end() for match in hard.finditer(text))


def _rows(blocks: Iterable[Block]) -> Iterator[tuple[Span, ...]]:
    for block in blocks:
        yield (Span(block.start, block.end),)


def _units(text: str, blocks: list[Block], breaks: Sequence[int], language: str) -> Iterator[tuple[Span, ...]]:
    # A lead-in ("The steps are:") and the list after it are one unit; every other block is its own.
    waiting: list[Span] = []
    for index, block in enumerate(blocks):
        waiting += _sentences(text, block, breaks, language)
        following = blocks[index + 1].kind if index + 1 < len(blocks) else None
        leads = block.kind == "paragraph" and text[block.start : block.end].rstrip().endswith(":")
        listed = block.kind == "item"
        if following == "item" and (leads or listed):
            continue
        yield tuple(waiting)
        waiting = []


def _sentences(text: str, block: Block, breaks: Sequence[int], language: str) -> list[Span]:
    if block.kind == "code":
        lines = re.finditer(r"[^\n]+", text[block.start : block.end])
        found = (trimmed(text, block.start + m.start(), block.start + m.end()) for m in lines)
        return [span for span in found if span]
    return sentences(text, block.body, block.end, breaks, language)


def _measured(text: str, spans: Iterable[tuple[Span, ...]], limit: int) -> Iterator[_Unit]:
    for group in spans:
        if not group:
            continue
        length = words(text, group[0].start, group[-1].end)
        if length <= limit:
            yield _Unit(group, group[0].start, group[-1].end, length)
            continue
        for span in group:
            for part in _parts(text, span, limit):
                yield _Unit((part,), part.start, part.end, words(text, part.start, part.end))


def _parts(text: str, span: Span, limit: int) -> Iterator[Span]:
    # A "sentence" longer than a passage (a dump, a text without stops) is cut between words.
    found = list(_WORD.finditer(text, span.start, span.end))
    for first in range(0, len(found), limit):
        yield Span(found[first].start(), found[min(first + limit, len(found)) - 1].end())


def _packed(units: Iterable[_Unit], limit: int) -> Iterator[list[_Unit]]:
    held: list[_Unit] = []
    for unit in units:
        if held and sum(u.words for u in held) + unit.words > limit:
            yield held
            held = []
        held.append(unit)
    if held:
        yield held


def _spans(units: list[_Unit]) -> tuple[Span, ...]:
    return tuple(span for unit in units for span in unit.spans)


def _line_breaks(text: str) -> tuple[int, ...]:
    # In plain text a line ends on purpose where the next word, a capital or a number, would still have fitted.
    lines = text.split("\n")
    width = min(max(map(len, lines)), _WRAP_AT_MOST)
    found, place = [], 0
    for line, following in pairwise(lines):
        place += len(line) + 1
        first = following.split(maxsplit=1)[0] if following.strip() else ""
        if first and not first[0].islower() and len(line.rstrip()) + 1 + len(first) <= width:
            found.append(place)
    return tuple(found)
