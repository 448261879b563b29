"""HTML to text in blocks, as a person would see the page: what its styles hide is left out and told."""

# ruff: noqa: SIM905 - a list of words is kept as words

from __future__ import annotations

import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from lxml import etree

from remit.corpus.blocks import BlockKind
from remit.corpus.composed import ELSEWHERE, Composed, Composer
from remit.corpus.elements import BLOCKS, look_of, styled_elsewhere
from remit.corpus.frontmatter import parse
from remit.corpus.stated import Stated
from remit.corpus.styles import Sheet
from remit.corpus.visible import Look
from remit.errors import Fault, InvalidInput

_CHARSET = re.compile(rb"<meta[^>]*?charset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
_META = "remit:"
_NEARLY = re.compile(r"remit[^0-9a-z:]", re.IGNORECASE)
_UNREAD = frozenset(
    "script style template head svg iframe object embed canvas audio video map select datalist button nav textarea "
    "frameset noframes input img".split()
)
_SPAN_MOST = 50


@dataclass(slots=True)
class _Table:
    """A table under way: its rows, each with whether all its cells are headings."""

    rows: list[tuple[list[str], bool, bool]] = field(default_factory=list)
    cells: list[str] = field(default_factory=list)
    heads: list[bool] = field(default_factory=list)


_TOLD_RULES, _TOLD_OF_RULE = 5, 80
"""How many rules that are not read are told of a page, and how much of each."""


def read_html(content: bytes, name: str) -> Composed:
    """Return what a page shows.

    Raises:
        InvalidInput: its encoding is unknown, it nests too deeply, or what it says of itself is wrong.
    """
    root = _parsed(_decoded(content, name), name)
    page = _Page(root, name)
    try:
        page.walk()
    except ValueError as error:
        raise _fault(name, None, str(error)) from error
    composer, title = page.composer, root.findtext(".//head/title")
    outline = composer.outline()
    if outline.title is None and title and title.strip():
        outline = outline._replace(title=" ".join(title.split()))
    if composer.unseen:
        page.warn(None, "hidden characters are left out")
    language = root.get("lang") or None
    return Composed(composer.text(), outline, _stated(root, name), language, tuple(page.warnings))


class _Page:
    """A walk over a page, from start tag to end tag, without recursion: pages nest as deeply as they like."""

    def __init__(self, root: Any, name: str) -> None:
        self.composer, self.warnings = Composer(), list[Fault]()
        self._root, self._name = root, name
        try:
            self._sheet = Sheet([style.text or "" for style in root.iter("style") if _on_screen(style)])
        except ValueError as error:
            raise _fault(name, None, str(error)) from error
        self._looks = [Look()]
        self._words: list[str] = []
        self._items: list[str] = []
        self._term = ""
        self._tables: list[_Table | None] = []
        self._code = 0
        self._told: set[tuple[int | None, str]] = set()
        if styled_elsewhere(root):
            self.warn(None, ELSEWHERE)
        for rule in self._sheet.unread[:_TOLD_RULES]:
            self.warn(
                None, f"what a style rule hides is not left out, for the rule is not read: {rule[:_TOLD_OF_RULE]}"
            )

    def walk(self) -> None:
        """Read the whole page."""
        walker = etree.iterwalk(self._root, events=("start", "end", "comment", "pi"))
        comments = 0
        for event, element in walker:
            if event == "comment":
                comments += bool((element.text or "").strip())
                self._say(element.tail)
            elif event == "pi":
                self._say(element.tail)
            elif event == "end":
                self._end(element)
            elif not self._start(element):
                walker.skip_subtree()
        self._flush()
        if comments:
            self.warn(None, f"{comments} {'comment' if comments == 1 else 'comments'} that readers do not see left out")

    def warn(self, line: int | None, error: str) -> None:
        """Note what was left out, each place and reason once."""
        if (line, error) not in self._told:
            self._told.add((line, error))
            self.warnings.append(Fault(self._name, line, None, error))

    def _start(self, element: Any) -> bool:
        tag = element.tag
        look = look_of(element, self._looks[-1], self._sheet)
        if tag in BLOCKS:
            self._boundary(element)
        self._looks.append(look)
        if tag in _UNREAD or look.gone:
            if look.gone and tag not in _UNREAD and any(text.strip() for text in _texts(element)):
                self.warn(element.sourceline, f"hidden text is left out ({look.gone})")
            return False
        if tag == "table":
            self._tables.append(_Table() if _is_data(element) else None)
        elif tag in {"ul", "ol"}:
            self._items.append("1" if tag == "ol" else "")
        self._code += tag == "pre"
        if tag == "br":
            self._words.append("\n")
        self._say(element.text, element)
        return True

    def _end(self, element: Any) -> None:
        tag, look = element.tag, self._looks.pop()
        if not (tag in _UNREAD or look.gone):
            table = self._tables[-1] if self._tables else None
            if tag in {"td", "th"} and table is not None:
                self._cell(element, table)
            elif tag == "tr" and table is not None:
                _close_row(element, table)
            elif tag in BLOCKS:
                self._flush(tag)
            if tag == "table" and (done := self._tables.pop()) is not None:
                _render(done, self.composer)
            elif tag in {"ul", "ol"} and self._items:
                self._items.pop()
            self._code -= tag == "pre"
        self._say(element.tail, element.getparent())

    def _boundary(self, element: Any) -> None:
        # Inside a cell of a data table blocks only part words; what is there becomes one cell.
        if self._tables and self._tables[-1] is not None and element.tag != "table":
            self._words.append(" ")
        else:
            self._flush()

    def _say(self, text: str | None, element: Any = None) -> None:
        if not text:
            return
        look = self._looks[-1]
        if (why := look.unseen()) is None:
            if (doubt := look.doubt()) is not None and text.strip():
                self.warn(None, f"text that may be hidden is kept, for a style is not read ({doubt})")
            self._words.append(text if self._code else " ".join(f"x{text}x".split())[1:-1])
        elif text.strip():
            self.warn(element.sourceline if element is not None else None, f"hidden text is left out ({why})")

    def _flush(self, tag: str = "") -> None:
        words, self._words = "".join(self._words), []
        if self._tables and self._tables[-1] is not None and tag not in {"caption", "table", ""}:
            self._words = [words, " "]
        elif tag == "dt":
            self._term = " ".join(words.split()).rstrip(":")
        elif words.strip():
            if tag[:1] == "h" and tag[1:].isdigit():
                self.composer.heading(int(tag[1:]), words)
                return
            kind: BlockKind = "code" if self._code else "item" if self._items else "paragraph"
            term, self._term = self._term, ""
            self.composer.add(kind, f"{term}: {words.strip()}" if term else words, "- " if kind == "item" else "")

    def _cell(self, element: Any, table: _Table) -> None:
        words, self._words = " ".join("".join(self._words).split()), []
        span = element.get("colspan", "1")
        times = min(int(span), _SPAN_MOST) if span.isdecimal() and span.isascii() else 1
        table.cells += [words] * max(1, times)
        table.heads.append(element.tag == "th")


def _close_row(element: Any, table: _Table) -> None:
    if any(table.cells):
        in_head = element.getparent() is not None and element.getparent().tag == "thead"
        keyed = table.heads[0] and not any(table.heads[1:]) and len(table.heads) > 1
        table.rows.append((table.cells, in_head or all(table.heads), keyed))
    table.cells, table.heads = [], []


def _render(table: _Table, composer: Composer) -> None:
    rows = table.rows
    if rows and all(keyed and len(cells) == 2 for cells, _, keyed in rows):  # noqa: PLR2004 - a key and its value
        for (key, value), _, _ in rows:
            composer.row([key], [value])
        return
    heads = 0
    while heads < len(rows) and rows[heads][1]:
        heads += 1
    heads = heads if 0 < heads < len(rows) else 1
    width = max((len(cells) for cells, _, _ in rows), default=0)
    header = [
        " ".join(dict.fromkeys(c[at] for c, _, _ in rows[:heads] if at < len(c) and c[at])) for at in range(width)
    ]
    for cells, _, _ in rows[heads:]:
        composer.row(header, cells)


def _is_data(table: Any) -> bool:
    """Say whether a table holds data: it nests no other, and has two rows and two columns at least."""
    if table.get("role") in {"presentation", "none"} or next(table.iterdescendants("table"), None) is not None:
        return False
    widths = [sum(1 for cell in row.iterchildren("td", "th")) for row in table.iter("tr")]
    return len(widths) > 1 and max(widths) > 1


def _texts(element: Any) -> Iterator[str]:
    for inner in element.iter():
        if isinstance(inner.tag, str) and inner.tag not in {"script", "style"}:
            yield inner.text or ""
        if inner is not element:
            yield inner.tail or ""


def _on_screen(style: Any) -> bool:
    return (style.get("media") or "all").strip().lower() in {"all", "screen", ""}


def _decoded(content: bytes, name: str) -> str:
    if content.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        try:
            return content.decode("utf-16")
        except UnicodeDecodeError as error:
            raise _fault(name, None, "is damaged UTF-16: save it as UTF-8") from error
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        found = _CHARSET.search(content[:4096])
        if found is None:
            raise _fault(name, line, "is no UTF-8 and names no charset: save it as UTF-8") from error
    charset = found[1].decode("ascii", "replace")
    try:
        return content.decode(charset)
    except (UnicodeError, LookupError) as error:
        raise _fault(name, line, f"cannot be read as {charset}: save it as UTF-8") from error


def _parsed(text: str, name: str) -> Any:
    parser = etree.HTMLParser(huge_tree=True, recover=True, no_network=True, encoding="utf-8")
    try:
        root = etree.fromstring(text.encode("utf-8", "replace"), parser=parser)
    except etree.XMLSyntaxError as error:
        raise _fault(name, None, "holds no HTML: nothing can be answered from it") from error
    if root is None:
        raise _fault(name, None, "holds no HTML: nothing can be answered from it")
    limits = [entry for entry in parser.error_log if entry.type_name == "ERR_RESOURCE_LIMIT"]
    if limits:  # the parser stops there, and the rest of the page would be missing
        raise _fault(name, limits[0].line, "nests too deeply: simplify it")
    return root


def _stated(root: Any, name: str) -> Stated:
    """Return what ``<meta name="remit:labels" content="[staff]">`` and the like in the head say, as front matter would."""
    lines, first = [], 1
    for meta in root.iter("meta"):
        key = (meta.get("name") or "").strip()
        other = (meta.get("property") or meta.get("itemprop") or meta.get("http-equiv") or "").strip()
        if _NEARLY.match(key) or other.lower().startswith(_META):  # not read, it would leave the page open
            raise _fault(name, meta.sourceline, f'{key or other}: want <meta name="remit:FIELD" content="...">')
        if key.lower().startswith(_META):
            if meta.getparent().tag != "head":  # the body may hold what others wrote
                raise _fault(name, meta.sourceline, f"{key} stands outside <head>: move it there")
            first = meta.sourceline or 1
            value = " ".join((meta.get("content") or "").split())
            lines.append(f"{key[len(_META) :].lower()}: {value}")
            parse(lines[-1], name, first)
    return parse("\n".join(lines), name, first) if lines else Stated()


def _fault(name: str, line: int | None, error: str) -> InvalidInput:
    fault = Fault(name, line, None, error)
    return InvalidInput(str(fault), (fault,))
