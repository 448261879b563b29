"""Markdown as it is stored: what no reader would see taken out, tables as rows that stand for themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pkgutil import resolve_name
from typing import NamedTuple

from remit.corpus.tables import table_at

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_OPEN, _CLOSE = "<!--", "-->"
_MAY_HIDE = re.compile(
    r"<(?:script|style|template|dialog|noscript|noembed|noframes|datalist|meter|progress|rp|annotation)\b"
    r"|<[a-z][^<>]*(?:hidden|popover|style|color)",
    re.IGNORECASE,
)
_HTML = "remit.corpus.inline_html:without_hidden"
"""Loaded when there is something to look at, with the parser that it needs."""
_COMMENTED = "a comment that readers do not see is left out"


class Stored(NamedTuple):
    """Stored text, the numbers from 0 of its lines that are table rows, and by the source's lines what was left out."""

    text: str
    rows: frozenset[int]
    told: tuple[tuple[int | None, str], ...]


class _Line(NamedTuple):
    text: str
    code: bool
    commented: bool


def stored_markdown(text: str) -> Stored:
    """Return the text to store for a Markdown body.

    Raises:
        ValueError: its HTML nests too deeply, or takes too long.
    """
    lines = list(_visible(text))
    whole, told = "\n".join(line.text for line in lines), tuple[tuple[int | None, str], ...]()
    if _MAY_HIDE.search(whole):
        whole, told = resolve_name(_HTML)(whole, [line.code for line in lines])
    seen = whole.split("\n")
    kept: list[str] = []
    rows: set[int] = set()
    index = 0
    plain = [
        "" if line.code else one for line, one in zip(lines, seen, strict=True)
    ]  # a fence is no table, whatever it looks like
    while index < len(lines):
        table = table_at(plain, index)
        if table is None:
            kept.append(seen[index])
            index += 1
            continue
        found, taken = table
        rows.update(range(len(kept), len(kept) + len(found)))
        kept += found
        index += taken
    comments = [(number, _COMMENTED) for number, line in enumerate(lines, 1) if line.commented]
    return Stored("\n".join(kept), frozenset(rows), (*comments, *told))


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
