"""Text to blocks: headings, paragraphs, list items, table rows and code, each at its exact place."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

BlockKind = Literal["paragraph", "item", "row", "code"]

_ATX = re.compile(r" {0,3}(#{1,6})(?![^ \t])")
_SETEXT = re.compile(r" {0,3}(=+|-{2,})[ \t]*$")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_ITEM = re.compile(r"[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?(?=\S)")
_FIRST_ITEM = re.compile(r"[ \t]*(?:[-*+•]|1[.)])[ \t]")
_QUOTE = re.compile(r" {0,3}>[ \t]?")
_DATE = re.compile(r"\d{1,2}\.? [^\W\d]+ \d{4}\b")
_NUMBERED = re.compile(r"(\d{1,3}(?:\.\d{1,3})*)[.)]?[ \t]+(?=[^\W\d])")

_HEADING_CHARS = 80
_HEADING_MOST = 500
_RULE_CHARS = 3
_TITLE_WORDS = 8


class Block(NamedTuple):
    """A stretch of text under one heading path. `body` is where its words begin, after a list marker or quote sign."""

    kind: BlockKind
    section: tuple[str, ...]
    start: int
    body: int
    end: int


class Heading(NamedTuple):
    """A heading: how deep, and its words."""

    level: int
    text: str


@dataclass(slots=True)
class _Scan:
    """Where a scan of the lines stands: finished blocks, the path of headings, and the block that is open."""

    blocks: list[Block] = field(default_factory=list)
    path: list[Heading] = field(default_factory=list)
    kind: BlockKind = "paragraph"
    start: int = -1
    body: int = -1
    end: int = -1
    lines: int = 0

    @property
    def section(self) -> tuple[str, ...]:
        return tuple(heading.text for heading in self.path)

    def open(self, kind: BlockKind, start: int, body: int, end: int) -> None:
        self.flush()
        self.kind, self.start, self.body, self.end, self.lines = kind, start, body, end, 1

    def extend(self, end: int) -> None:
        self.end, self.lines = end, self.lines + 1

    def flush(self) -> None:
        if self.start >= 0:
            self.blocks.append(Block(self.kind, self.section, self.start, self.body, self.end))
        self.start = -1

    def under(self, heading: Heading) -> None:
        self.flush()
        while self.path and self.path[-1].level >= heading.level:
            self.path.pop()
        self.path.append(heading)


class Outline(NamedTuple):
    """The blocks of a text, and its title where a first-level heading gives one."""

    title: str | None
    blocks: tuple[Block, ...]


def markdown_blocks(text: str, rows: frozenset[int]) -> Outline:
    """Return the outline of Markdown. `rows` are the numbers, from 0, of the lines that are table rows."""
    scan, fence, title = _Scan(), "", None
    for number, start, line in _lines(text):
        end = start + len(line)
        if fence:
            if line.strip().startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
                scan.flush()
            elif scan.start >= 0 and scan.kind == "code":
                scan.extend(end)
            else:
                scan.open("code", start, start, end)
        elif found := _FENCE.match(line):
            scan.flush()
            fence = found[1]
        elif number in rows and line.strip():
            scan.open("row", start, start, end)
        elif (heading := _markdown_heading(line, text, scan)) is not None:
            if scan.start >= 0 and _SETEXT.match(line):
                scan.start = -1  # the open line was the heading itself
            scan.under(heading)
            title = title or (heading.text if heading.level == 1 else None)
        else:
            _prose_line(scan, start, line)
    scan.flush()
    return Outline(title, tuple(scan.blocks))


def plain_blocks(text: str) -> Outline:
    """Return the outline of plain text: numbered lines, lines in capitals and short opening lines head its sections."""
    scan, title, fresh = _Scan(), None, True
    lines = [line for _, _, line in _lines(text)]
    for number, start, line in _lines(text):
        following = lines[number + 1] if number + 1 < len(lines) else ""
        heading = _plain_heading(line, following, first=number == 0) if fresh else None
        if heading is not None:
            scan.under(heading)
            title = title or (heading.text if heading.level == 1 else None)
            fresh = heading.level == 1 and bool(line.isupper())
        else:
            fresh = not line.strip()
            _prose_line(scan, start, line)
    scan.flush()
    return Outline(title, tuple(scan.blocks))


def row_blocks(text: str) -> Outline:
    """Return the outline of a table that was rendered one row a line."""
    rows = (Block("row", (), start, start, start + len(line)) for _, start, line in _lines(text) if line.strip())
    return Outline(None, tuple(rows))


def _lines(text: str) -> list[tuple[int, int, str]]:
    found, start = [], 0
    for number, line in enumerate(text.split("\n")):
        found.append((number, start, line))
        start += len(line) + 1
    return found


def _prose_line(scan: _Scan, start: int, line: str) -> None:
    quote = _QUOTE.match(line)
    inside = quote.end() if quote else 0
    if not line[inside:].strip() or _is_rule(line):
        scan.flush()
        return
    item = _ITEM.match(line, inside)
    running = scan.start >= 0 and scan.kind == "paragraph"
    if item and not (running and not _FIRST_ITEM.match(line, inside)):
        scan.open("item", start, start + item.end(), start + len(line))
    elif scan.start >= 0 and scan.kind != "row":
        scan.extend(start + len(line))
    else:
        scan.open("paragraph", start, start + inside, start + len(line))


def _markdown_heading(line: str, text: str, scan: _Scan) -> Heading | None:
    if found := _ATX.match(line):
        words = _plain_words(_without_closing(line[found.end() :].strip()))
        return Heading(len(found[1]), words) if words else None
    under = _SETEXT.match(line)
    if under and scan.start >= 0 and scan.kind == "paragraph" and scan.lines == 1:
        return Heading(1 if under[1][0] == "=" else 2, _plain_words(text[scan.body : scan.end]))
    return None


def _is_rule(line: str) -> bool:
    bare = line.replace(" ", "").replace("\t", "")
    return len(bare) >= _RULE_CHARS and bare[0] in "*-_" and bare == bare[0] * len(bare) and not line.startswith("    ")


def _without_closing(heading: str) -> str:
    bare = heading.rstrip("#")
    return bare if not bare or bare[-1] in " \t" else heading


def _plain_words(heading: str) -> str:
    linked = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading[:_HEADING_MOST])
    return " ".join(re.sub(r"[*`]", "", linked).split())


def _plain_heading(line: str, following: str, *, first: bool) -> Heading | None:
    words = " ".join(line.split())
    if not words or len(words) > _HEADING_CHARS or words[-1] in ".!?;,:" or _DATE.match(words):
        return None
    if words.isupper() and any(c.isalpha() for c in words):
        return Heading(1, words)
    if ": " in words:
        return None
    if numbered := _NUMBERED.match(words):
        # Numbered lines one below the other are a list.
        return None if _NUMBERED.match(following) else Heading(2 + numbered[1].count("."), words)
    opens = words[0].isupper() and following[:1].isupper() and len(following) > len(line)
    if opens and len(words.split()) <= _TITLE_WORDS:
        return Heading(1 if first else 2, words)
    return None
