"""Markdown as it is stored: comments that no reader would see taken out, tables as rows that stand for themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from remit.corpus.tables import table_at

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_OPEN, _CLOSE = "<!--", "-->"


class Stored(NamedTuple):
    """Stored text, the numbers from 0 of its lines that are table rows, and the source's lines with a comment."""

    text: str
    rows: frozenset[int]
    comments: tuple[int, ...]


class _Line(NamedTuple):
    text: str
    code: bool
    commented: bool


def stored_markdown(text: str) -> Stored:
    """Return the text to store for a Markdown body."""
    lines = list(_visible(text))
    kept: list[str] = []
    rows: set[int] = set()
    index = 0
    plain = ["" if line.code else line.text for line in lines]  # a fence is no table, whatever it looks like
    while index < len(lines):
        table = table_at(plain, index)
        if table is None:
            kept.append(lines[index].text)
            index += 1
            continue
        found, taken = table
        rows.update(range(len(kept), len(kept) + len(found)))
        kept += found
        index += taken
    comments = tuple(number for number, line in enumerate(lines, 1) if line.commented)
    return Stored("\n".join(kept), frozenset(rows), comments)


def _visible(text: str) -> Iterator[_Line]:
    fence, inside = "", False
    for line in text.split("\n"):
        if fence:
            closes = line.strip().startswith(fence) and not line.strip().strip(fence[0])
            yield _Line(line, code=True, commented=False)
            fence = "" if closes else fence
            continue
        seen, inside, commented = _without_comments(line, inside=inside)
        if (found := _FENCE.match(seen)) and not inside:
            fence = found[1]
        yield _Line(seen, code=bool(fence), commented=commented)


def _without_comments(line: str, *, inside: bool) -> tuple[str, bool, bool]:
    seen, commented, rest = "", inside, line
    while rest:
        if inside:
            _, closed, rest = rest.partition(_CLOSE)
            inside = not closed
        else:
            before, opened, rest = rest.partition(_OPEN)
            seen += before
            inside = bool(opened)
            commented = commented or inside
    return seen, inside, commented
