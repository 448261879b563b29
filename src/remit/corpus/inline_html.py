"""HTML inside Markdown: what its elements hide from readers is taken out, by the rules that pages are read by."""

# ruff: noqa: SIM905 - a list of words is kept as words

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from lxml import etree

from remit.corpus.elements import BLOCKS, look_of
from remit.corpus.styles import Sheet
from remit.corpus.visible import Look

_TOKEN = re.compile(
    r"(?<!\\)<(?P<close>/)?(?P<tag>[a-zA-Z][\w-]*)(?=[\s/>])(?P<says>(?:[^<>\"']|\"[^\"]{0,5000}\"|'[^']{0,5000}')*+)>"
    r"|(?P<blank>\n[ \t]*(?=\n))"
)
_SAYS = re.compile(r"([^\s\"'<>/=]+)(?:\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'=<>`]+)))?")
_TICKS = re.compile(r"(?<!\\)`+|\n[ \t]*(?=\n)")
_TICKS_LOOK = 100
_UNREAD = frozenset("script style template noframes datalist".split())
_VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())
_CLOSED_BY_NEXT = frozenset("li p dt dd tr td th option a".split())
_FORMATTING = frozenset("a b big code em font i s small strike strong tt u nobr".split())
_DEEPEST = 200
_UNREAD_RULES = 5


class Shown(NamedTuple):
    """Text as a reader sees it, with its lines as they were; and by line number what is to be told of it."""

    text: str
    told: tuple[tuple[int | None, str], ...]


def without_hidden(text: str, code: Sequence[bool]) -> Shown:
    """Return Markdown without what its HTML hides. `code` says of each line whether it is code, where tags are text.

    Raises:
        ValueError: its elements nest too deeply, or its styles take too long.
    """
    walk = _Walk(text, _without_code(text, code))
    walk.run()
    return Shown(walk.kept(), tuple(dict.fromkeys(walk.told)))


class _Open(NamedTuple):
    tag: str
    element: etree._Element
    look: Look


class _Walk:
    """A walk along a text from tag to tag. `plain` is the text with its code dotted out."""

    def __init__(self, text: str, plain: str) -> None:
        self._text, self._plain, self._low = text, plain, plain.lower()
        self._lines = [found.start() for found in re.finditer("\n", text)]
        self._last = {found[1]: found.start() for found in re.finditer(r"</([a-z][\w-]*)", self._low)}
        self._sheet = Sheet(list(self._styles()))
        root = etree.Element("html")
        whole = look_of(root, Look(), self._sheet)
        body = etree.SubElement(root, "body")
        self._stack = [_Open("body", body, look_of(body, whole, self._sheet))]
        self._out: list[tuple[int, int]] = []
        self.told: list[tuple[int | None, str]] = [
            (None, f"what a style rule hides is not left out, for the rule is not read: {rule[:80]}")
            for rule in self._sheet.unread[:_UNREAD_RULES]
        ]

    def run(self) -> None:
        """Walk to the end."""
        at = 0
        while (found := _TOKEN.search(self._plain, at)) is not None:
            self._words(at, found.start())
            at = found.end()
            if found["blank"] is not None:
                self._paragraph_ends(at)
            elif found["close"]:
                self._close(found)
            else:
                at = self._open(found)
        self._words(at, len(self._text))

    def kept(self) -> str:
        """Return what is seen; of what is not, the ends of lines stay."""
        parts, at = [], 0
        for start, end in self._out:
            parts += [self._text[at:start], "\n" * self._text.count("\n", start, end)]
            at = end
        return "".join([*parts, self._text[at:]])

    def _words(self, start: int, end: int) -> None:
        look = self._stack[-1].look
        if not self._text[start:end].strip():
            return
        if (why := look.unseen()) is not None:
            self._leave_out(start, end, why)
        elif (doubt := look.doubt()) is not None:
            self.told.append((self._line(start), f"text that may be hidden is kept, for a style is not read ({doubt})"))

    def _leave_out(self, start: int, end: int, why: str) -> None:
        first = start + len(self._text[start:end]) - len(self._text[start:end].lstrip())
        self._out.append((start, end))
        self.told.append((self._line(first), f"hidden text is left out ({why})"))

    def _open(self, found: re.Match[str]) -> int:
        """Go into an element, and return where to go on."""
        tag, end = found["tag"].lower(), found.end()
        if tag in _UNREAD:
            return self._unread(tag, found)
        says = _said(found["says"])
        if tag in _VOID or (not says and tag not in BLOCKS and self._last.get(tag, -1) < end):
            return end
        if self._stack[-1].tag == tag and tag in _CLOSED_BY_NEXT:
            self._pop()
        if len(self._stack) > _DEEPEST:
            raise ValueError(f"nests more than {_DEEPEST} HTML elements: close them")
        above = self._stack[-1]
        element = etree.SubElement(above.element, tag)
        for name, value in says.items():
            element.set(name, value)
        if tag == "rp":
            element.text = self._plain[end : max(end, self._plain.find("<", end))]
        look = look_of(element, above.look, self._sheet)
        self._stack.append(_Open(tag, element, look))
        if look.unseen() is not None:
            self._out.append(found.span())
        return end

    def _unread(self, tag: str, found: re.Match[str]) -> int:
        close = self._low.find(f"</{tag}", found.end()) if self._last.get(tag, -1) >= found.end() else -1
        if close < 0:
            self.told.append((self._line(found.start()), f"<{tag}> is never closed: what follows it is kept"))
            return found.end()
        end = self._low.find(">", close)
        end = len(self._text) if end < 0 else end + 1
        self._leave_out(found.start(), end, f"<{tag}>")
        return end

    def _close(self, found: re.Match[str]) -> None:
        tag = found["tag"].lower()
        if all(one.tag != tag for one in self._stack[1:]):
            return
        while self._stack[-1].tag != tag:
            self._pop()
        if self._stack[-1].look.unseen() is not None:
            self._out.append(found.span())
        self._pop()

    def _paragraph_ends(self, at: int) -> None:
        while len(self._stack) > 1:
            tag = self._stack[-1].tag
            goes_on = tag in _FORMATTING or (tag in BLOCKS and tag != "p")
            if goes_on or (tag != "p" and self._last.get(tag, -1) >= at):
                return
            self._pop()

    def _pop(self) -> None:
        gone = self._stack.pop()
        self._stack[-1].element.remove(gone.element)

    def _line(self, at: int) -> int:
        return bisect_right(self._lines, at - 1) + 1

    def _styles(self) -> Iterator[str]:
        at = 0
        while (found := re.compile(r"<style\b([^<>]*)>").search(self._low, at)) is not None:
            end = self._low.find("</style", found.end())
            if end < 0:
                return
            at = end
            if _said(found[1]).get("media", "all").strip() in {"all", "screen", ""}:
                yield self._plain[found.end() : end]


def _said(text: str) -> dict[str, str]:
    """Return the attributes of a tag; the first of a name counts. Values that no element can hold are left out."""
    said: dict[str, str] = {}
    for name, *values in _SAYS.findall(text):
        if re.fullmatch(r"[a-zA-Z_][\w.-]*", name):
            said.setdefault(name.lower(), "".join(c for c in "".join(values) if c >= " " or c in "\t\n"))
    return said


def _without_code(text: str, code: Sequence[bool]) -> str:
    """Return the text with code in blocks and between backticks as full stops, everything else in its place."""
    lines = ("." * len(line) if is_code else line for line, is_code in zip(text.split("\n"), code, strict=True))
    plain = "\n".join(lines)
    marks = list(_TICKS.finditer(plain))
    parts, at, number = [], 0, 0
    while number < len(marks):
        end = _same(marks, number)
        if end is None:
            number += 1
            continue
        start, stop = marks[number].start(), marks[end].end()
        parts += [plain[at:start], re.sub(r"[^\n]", ".", plain[start:stop])]
        at, number = stop, end + 1
    return "".join([*parts, plain[at:]])


def _same(marks: list[re.Match[str]], number: int) -> int | None:
    """Return which mark closes the code that one opens, in the same paragraph; None where none does."""
    if (ticks := marks[number].group())[0] != "`":
        return None
    for at in range(number + 1, min(len(marks), number + _TICKS_LOOK)):
        if marks[at].group()[0] != "`":
            return None
        if marks[at].group() == ticks:
            return at
    return None
