"""Word documents (DOCX) to text in blocks: heading styles, lists and tables; what is hidden is left out and told."""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Iterator
from typing import Any, NamedTuple

import docx
from docx.exceptions import InvalidXmlError
from docx.opc.exceptions import OpcError
from docx.oxml.ns import qn
from lxml import etree

from remit.corpus.composed import Composed, Composer
from remit.corpus.docx_look import Looks
from remit.corpus.stated import Stated
from remit.errors import Fault, InvalidInput

_LARGEST = 200_000_000
_PARTS = 10_000
_HEADING = re.compile(r"heading (\d)", re.IGNORECASE)
_LIST = re.compile(r"list|bullet", re.IGNORECASE)
_LEFT_OUT = frozenset(map(qn, ("w:del", "w:moveFrom", "w:instrText", "w:delText", "w:txbxContent")))
_TRANSPARENT = frozenset(map(qn, ("w:sdt", "w:sdtContent", "w:ins", "w:moveTo", "w:customXml", "w:smartTag")))
_SPAN_MOST = 50
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    RuntimeError,
    etree.LxmlError,
    OpcError,
    InvalidXmlError,
    # What the library stumbles over where a part is there and is not what it should be.
    AttributeError,
    LookupError,
    TypeError,
    ValueError,
)


class _Opened(NamedTuple):
    """What is read of a document: its body, how things look, and what its properties say."""

    body: Any
    looks: Looks
    title: str
    language: str


def read_docx(content: bytes, name: str) -> Composed:
    """Return what a document shows. Footnotes, headers, footers, comments and text boxes are not read.

    Raises:
        InvalidInput: it is no DOCX, is damaged, or would unpack to more than can be held.
    """
    try:
        _measured(content, name)
        opened = _opened(content)
    except _BROKEN as error:
        raise _fault(name, "is no DOCX, is damaged, or needs a password: save it anew as .docx") from error
    reader = _Body(opened.looks, name)
    reader.read(opened.body)
    outline = reader.composer.outline()
    if outline.title is None and opened.title.strip():
        outline = outline._replace(title=opened.title.strip())
    warnings = [
        Fault(name, None, None, f"{place}: {count} hidden characters are left out ({why})")
        for (place, why), count in reader.hidden.items()
    ]
    if reader.composer.unseen:
        warnings.append(Fault(name, None, None, "hidden characters are left out"))
    return Composed(reader.composer.text(), outline, Stated(), opened.language or None, tuple(warnings))


class _Body:
    """A walk over the body; tables in cells are read as part of their cell."""

    def __init__(self, looks: Looks, name: str) -> None:
        self.composer = Composer()
        self.hidden: dict[tuple[str, str], int] = {}
        self._name = name
        self._looks = looks
        self._paragraphs = 0

    def read(self, parent: Any) -> None:
        """Read paragraphs and tables, in order."""
        for child in _children(parent):
            if child.tag == qn("w:p"):
                self._paragraph(child)
            elif child.tag == qn("w:tbl"):
                self._table(child)

    def _paragraph(self, element: Any) -> None:
        self._paragraphs += 1
        words = self._words(element, None, f"paragraph {self._paragraphs}")
        style = self._looks.style_name(element)
        numbered = element.find(f"{qn('w:pPr')}/{qn('w:numPr')}") is not None
        if style.lower() == "title":
            self.composer.heading(0, words)
        elif found := _HEADING.match(style):
            self.composer.heading(min(int(found[1]) or 1, 6), words)
        elif numbered or _LIST.match(style):
            self.composer.add("item", words, "- ")
        else:
            self.composer.add("paragraph", words)

    def _table(self, element: Any) -> None:
        rows = [self._row(row) for row in _children(element) if row.tag == qn("w:tr")]
        rows = [row for row in rows if any(row)]
        if len(rows) == 1:
            self.composer.add("paragraph", "; ".join(cell for cell in rows[0] if cell))
            return
        for cells in rows[1:]:
            self.composer.row(rows[0], cells)

    def _row(self, element: Any) -> list[str]:
        cells: list[str] = []
        gone = self._looks.row_gone(element)
        for cell in (c for c in _children(element) if c.tag == qn("w:tc")):
            shade, self._paragraphs = self._looks.shade(cell), self._paragraphs + 1
            place = f"paragraph {self._paragraphs}, in a table"
            words = " ".join(self._words(p, shade, place, gone) for p in cell.iter(qn("w:p")))
            span = cell.find(f"{qn('w:tcPr')}/{qn('w:gridSpan')}")
            times = int(span.get(qn("w:val"), "1")) if span is not None and span.get(qn("w:val"), "").isdecimal() else 1
            cells += [" ".join(words.split())] * max(1, min(times, _SPAN_MOST))
        return cells

    def _words(self, paragraph: Any, shade: str | None, place: str, gone: str | None = None) -> str:
        words = []
        for run in _runs(paragraph):
            text = "".join(_texts(run))
            if why := gone or self._looks.unseen(run, paragraph, shade):
                if count := len("".join(text.split())):
                    self.hidden[place, why] = self.hidden.get((place, why), 0) + count
            else:
                words.append(text)
        return "".join(words)


def _children(parent: Any) -> Iterator[Any]:
    """Yield what stands in a body, table or row, inside content controls and accepted insertions too."""
    waiting = list(reversed(parent))
    while waiting:
        child = waiting.pop()
        if child.tag in _TRANSPARENT:
            waiting += reversed(child)
        else:
            yield child


def _runs(paragraph: Any) -> Iterator[Any]:
    """Yield the runs of a paragraph, in links, fields and insertions too; deleted text is no part of it."""
    waiting = list(reversed(paragraph))
    while waiting:
        child = waiting.pop()
        if child.tag == qn("w:r"):
            yield child
        elif child.tag not in _LEFT_OUT:
            waiting += reversed(child)


def _texts(run: Any) -> Iterator[str]:
    for child in run:
        if child.tag == qn("w:t"):
            yield child.text or ""
        elif child.tag in {qn("w:tab"), qn("w:ptab")}:
            yield " "
        elif child.tag in {qn("w:br"), qn("w:cr")}:
            yield "\n"
        elif child.tag == qn("w:noBreakHyphen"):
            yield "-"


def _opened(content: bytes) -> _Opened:
    opened = docx.Document(io.BytesIO(content))
    body, said = opened.element.body, opened.core_properties
    if body is None:
        raise ValueError("no body")
    return _Opened(body, Looks(opened), said.title or "", said.language or "")


def _measured(content: bytes, name: str) -> None:
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        parts = packed.infolist()
        if len(parts) > _PARTS or sum(part.file_size for part in parts) > _LARGEST:
            raise _fault(name, f"unpacks to more than {_LARGEST // 1_000_000} MB: take out its pictures, or divide it")


def _fault(name: str, error: str) -> InvalidInput:
    fault = Fault(name, None, None, error)
    return InvalidInput(str(fault), (fault,))
