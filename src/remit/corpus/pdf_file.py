"""PDF to text in blocks, page by page: each path ends in its page, headings are told by their size."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

import pypdfium2

from remit.corpus.composed import Composed, Composer
from remit.corpus.pdf_marks import Layers
from remit.corpus.pdf_page import Box, Line, Seen, joined, seen
from remit.corpus.stated import Stated
from remit.errors import Fault, InvalidInput

_ITEM = re.compile(r"(?:[•‣◦▪●■\-–*]|\d{1,3}[.)]|[a-z]\))\s+(?=\S)")  # noqa: RUF001 - signs of lists
_JUNK_TITLE = re.compile(r"microsoft word|untitled|\.(?:docx?|pdf|xlsx?|pptx?|indd|tex)\s*$", re.IGNORECASE)
_LARGER = 1.15
_HEADING_CHARS = 120
_GAP = 0.45
_LEVELS = 3
_PAGES_TO_REPEAT = 3


class _Page(NamedTuple):
    number: int
    seen: Seen


def read_pdf(content: bytes, name: str) -> Composed:
    """Return what the pages show.

    Raises:
        InvalidInput: it is no PDF, is damaged, or needs a password.
    """
    try:
        opened = pypdfium2.PdfDocument(content)
    except pypdfium2.PdfiumError as error:
        raise _fault(name, "is no PDF, is damaged, or needs a password: save it anew without one") from error
    warnings: list[Fault] = []
    try:
        title = opened.get_metadata_value("Title").strip()
        layers = Layers(opened)
        pages = [_Page(number, _seen(opened, number, layers, name)) for number in range(1, len(opened) + 1)]
    finally:
        opened.close()
    for page in pages:
        warnings += (
            Fault(name, None, None, f"page {page.number}: {count} hidden characters are left out ({why})")
            for why, count in page.seen.hidden.items()
        )
    running = _running([page.seen.lines for page in pages])
    if running:
        warnings.append(Fault(name, None, None, f"what stands at the edge of most pages is left out: {min(running)!r}"))
    composer = _composed(pages, running)
    if composer.unseen:
        warnings.append(Fault(name, None, None, "hidden characters are left out"))
    outline = composer.outline()
    if title and not _JUNK_TITLE.search(title):
        outline = outline._replace(title=title)
    images = sum(page.seen.images for page in pages)
    hint = "no page shows text; if these are scans, recognise the text and save it as visible text" if images else ""
    return Composed(composer.text(), outline, Stated(), None, tuple(warnings), hint)


def _seen(opened: Any, number: int, layers: Layers, name: str) -> Seen:
    try:
        page = opened[number - 1]
    except pypdfium2.PdfiumError as error:
        raise _fault(name, f"page {number} is damaged: save the file anew") from error
    try:
        return seen(page, Box(*page.get_cropbox()), layers)
    finally:
        page.close()


def _composed(pages: Sequence[_Page], running: frozenset[str]) -> Composer:
    kept = [(page.number, [line for line in page.seen.lines if _mark(line) not in running]) for page in pages]
    body = _usual_height([line for _, lines in kept for line in lines])
    larger = {_rounded(line) for _, lines in kept for line in lines if _heads(line, body)}
    levels = {size: min(rank, _LEVELS) for rank, size in enumerate(sorted(larger, reverse=True), 1)}
    composer = Composer()
    for number, lines in kept:
        composer.place = f"page {number}"
        for size, group in groupby(lines, key=lambda line: _rounded(line) if _heads(line, body) else 0.0):
            if size:
                composer.heading(levels[size], joined(list(group)))
                continue
            for block in _blocks(list(group)):
                words = joined(block)
                item = _ITEM.match(words)
                marker = item.group() if item else ""
                composer.add("item" if item else "paragraph", words[len(marker) :], marker)
    return composer


def _blocks(lines: Sequence[Line]) -> Iterator[list[Line]]:
    """Yield paragraphs and list items: a gap or a list sign begins one."""
    held: list[Line] = []
    for line in lines:
        if held and (_ITEM.match(line.words.lstrip()) or _apart(held[-1], line)):
            yield held
            held = []
        held.append(line)
    if held:
        yield held


def _apart(above: Line, below: Line) -> bool:
    gap = above.bottom - below.top
    return gap > _GAP * max(above.height, below.height) or gap < -2 * above.height


def _heads(line: Line, body: float) -> bool:
    return line.height >= body * _LARGER and len(line.words) <= _HEADING_CHARS and any(c.isalpha() for c in line.words)


def _usual_height(lines: Sequence[Line]) -> float:
    sizes: Counter[float] = Counter()
    for line in lines:
        sizes[_rounded(line)] += len(line.words)
    return max(sizes, key=lambda size: (sizes[size], -size), default=0.0)


def _rounded(line: Line) -> float:
    return round(line.height * 2) / 2


def _running(pages: Sequence[Sequence[Line]]) -> frozenset[str]:
    """Return what stands first or last on more than half of the pages, whatever its numbers."""
    found = Counter(mark for lines in pages if lines for mark in {_mark(lines[0]), _mark(lines[-1])})
    if len(pages) < _PAGES_TO_REPEAT:
        return frozenset()
    return frozenset(mark for mark, count in found.items() if count * 2 > len(pages))


def _mark(line: Line) -> str:
    return re.sub(r"\d+", "#", " ".join(line.words.split()))


def _fault(name: str, error: str) -> InvalidInput:
    fault = Fault(name, None, None, error)
    return InvalidInput(str(fault), (fault,))
