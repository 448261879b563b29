"""Files to stored text: Markdown, plain text, CSV, TSV, HTML, PDF, DOCX and, line by line, JSONL."""

from __future__ import annotations

import re
import unicodedata
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Callable, Iterator
from pathlib import Path
from pkgutil import resolve_name
from types import MappingProxyType
from typing import NamedTuple

from remit.corpus.blocks import Outline
from remit.corpus.composed import UNSEEN, Composed
from remit.corpus.frontmatter import SIDECAR, divide, parse
from remit.corpus.jsonl_file import Line, read_lines
from remit.corpus.markdown import stored_markdown
from remit.corpus.split import Layout
from remit.corpus.stated import Stated
from remit.corpus.tables import rendered_csv
from remit.errors import Fault, InvalidInput

LAYOUTS: dict[str, Layout] = {
    ".md": "markdown",
    ".markdown": "markdown",
    ".txt": "plain",
    ".csv": "rows",
    ".tsv": "rows",
}
"""The suffixes of texts."""

COMPOSED = MappingProxyType(
    {
        ".html": "remit.corpus.html_file:read_html",
        ".htm": "remit.corpus.html_file:read_html",
        ".pdf": "remit.corpus.pdf_file:read_pdf",
        ".docx": "remit.corpus.docx_file:read_docx",
    }
)
"""The readers of other files by suffix, loaded when there is such a file."""

LINES = ".jsonl"
SUFFIXES = (*LAYOUTS, *COMPOSED, LINES)
"""All suffixes that can be read."""

_NEWLINE = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_WARNINGS_A_FILE = 5
_OF_ONE = ("document", "revision", "title")


class Reading(NamedTuple):
    """A file as it will be stored: text in NFC, how it is laid out, what it says of itself, and what was left out.

    `language` is what the file carries by itself; whatever is stated goes before it. `line` is that of a JSONL file.
    """

    text: str
    layout: Layout
    rows: frozenset[int]
    stated: Stated
    warnings: tuple[Fault, ...]
    outline: Outline | None = None
    language: str | None = None
    line: int | None = None


def read_file(path: Path, name: str, max_megabytes: int) -> Reading:
    """Return the reading of one file; faults call it `name`.

    Raises:
        InvalidInput: it cannot be read, is no text, is too large, is empty, or what it says of itself is wrong.
    """
    suffix = path.suffix.lower()
    if suffix in COMPOSED:
        return _composed(path, name, max_megabytes)
    layout = LAYOUTS.get(suffix)
    if layout is None:
        raise fault(name, None, f"files of kind {path.suffix or '(none)'} are not read: want {', '.join(SUFFIXES)}")
    front, body, taken = divide(_decoded(path, name, max_megabytes), name)
    stated = Stated() if front is None else parse(front, name, first_line=2)
    if (beside := _sidecar(path, name, max_megabytes)) is not None:
        if front is not None:
            raise _told_twice(name, path)
        stated = beside
    if layout == "rows":
        clean, warnings = _without_unseen(body, name, taken)
        text = rendered_csv(unicodedata.normalize("NFC", clean), name, tabs=suffix == ".tsv")
        return _reading(text, layout, frozenset(), stated, warnings, name)
    return _of_text(body, layout, stated, name, taken)


def read_each(path: Path, name: str, max_megabytes: int) -> Iterator[Reading | InvalidInput]:
    """Yield the reading of each document of a file, or what is wrong with it; only JSONL holds more than one.

    Raises:
        InvalidInput: nothing in the file can be used.
    """
    if path.suffix.lower() != LINES:
        yield read_file(path, name, max_megabytes)
        return
    said = _sidecar(path, name, max_megabytes) or Stated()
    if single := [field for field in _OF_ONE if getattr(said, field) is not None]:
        raise fault(name + SIDECAR, None, "each line has its own: leave it out here", single[0])
    empty = True
    for line in read_lines(path, name, max_megabytes):
        empty = False
        try:
            yield _of_line(line, said, name)
        except InvalidInput as error:
            yield error
    if empty:
        raise fault(name, None, "holds no lines: nothing can be answered from it")


def fault(file: str, line: int | None, error: str, field: str | None = None) -> InvalidInput:
    """Return the error for one thing wrong in one file."""
    found = Fault(file, line, field, error)
    return InvalidInput(str(found), (found,))


def _of_line(line: Line, said: Stated, name: str) -> Reading:
    if line.faults:
        raise InvalidInput(str(line.faults[0]), line.faults)
    body = _NEWLINE.sub("\n", line.text)
    reading = _of_text(body, "markdown" if line.ours else "plain", line.stated.filled(said), name, 0)
    told = tuple(Fault(name, line.number, w.field, w.error) for w in reading.warnings[:1])
    return reading._replace(line=line.number, warnings=told)


def _of_text(body: str, layout: Layout, stated: Stated, name: str, taken: int) -> Reading:
    clean, warnings = _without_unseen(body, name, taken)
    text, rows = unicodedata.normalize("NFC", clean), frozenset[int]()
    if layout == "markdown":
        try:
            text, rows, told = stored_markdown(text)
        except ValueError as error:
            raise fault(name, None, str(error)) from error
        warnings += [Fault(name, None if line is None else taken + line, None, what) for line, what in told]
    return _reading(text, layout, rows, stated, warnings, name)


def _reading(
    text: str, layout: Layout, rows: frozenset[int], stated: Stated, warnings: list[Fault], name: str
) -> Reading:
    if not text.strip():
        raise fault(name, None, "holds no text: nothing can be answered from it")
    # Taking something out can bring a mark next to a letter it composes with.
    return Reading(unicodedata.normalize("NFC", text), layout, rows, stated, tuple(_few(warnings)))


def _composed(path: Path, name: str, max_megabytes: int) -> Reading:
    read: Callable[[bytes, str], Composed] = resolve_name(COMPOSED[path.suffix.lower()])
    text, outline, stated, language, warnings, hint = read(_content(path, name, max_megabytes), name)
    if (beside := _sidecar(path, name, max_megabytes)) is not None:
        if stated != Stated():
            raise _told_twice(name, path)
        stated = beside
    if not outline.blocks:
        why = hint or "nothing can be answered from it"
        unseen = f" ({warnings[0].error})" if warnings else ""
        raise fault(name, None, f"holds no text that can be seen: {why}{unseen}")
    return Reading(text, "composed", frozenset(), stated, tuple(_few(list(warnings))), outline, language)


def _sidecar(path: Path, name: str, max_megabytes: int) -> Stated | None:
    sidecar = path.with_name(path.name + SIDECAR)
    if not sidecar.is_file():
        if (other := _meant(path)) is not None:
            raise fault(name, None, f"{other} beside it is not read: name it {path.name}{SIDECAR}, or exclude both")
        return None
    return parse(_decoded(sidecar, name + SIDECAR, max_megabytes), name + SIDECAR)


def _meant(path: Path) -> str | None:
    """Return a file beside another that was meant as its sidecar, and would leave it open to whom it names not."""
    own = (f"{path.name}.meta.yml", f"{path.name}{SIDECAR.upper()}", f"{path.name}.meta.json")
    of_stem = () if path.with_suffix("").exists() else (f"{path.stem}{SIDECAR}", f"{path.stem}.meta.yml")
    return next((one for one in (*own, *of_stem) if path.with_name(one).is_file()), None)


def _told_twice(name: str, path: Path) -> InvalidInput:
    return fault(name, 1, f"has front matter and a sidecar {path.name}{SIDECAR}: keep one of the two")


def _content(path: Path, name: str, max_megabytes: int) -> bytes:
    try:
        if path.stat().st_size > max_megabytes * 1_000_000:
            raise fault(
                name,
                None,
                f"is larger than {max_megabytes} MB: divide it, or raise max_megabytes under [ingest] in remit.toml",
            )
        return path.read_bytes()
    except OSError as error:
        raise fault(name, None, f"cannot be read ({error.strerror}): check its permissions") from error


def _decoded(path: Path, name: str, max_megabytes: int) -> str:
    content = _content(path, name, max_megabytes)
    if content.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        raise fault(name, 1, "is UTF-16: save it as UTF-8")
    if b"\0" in content:
        raise fault(
            name,
            content.count(b"\n", 0, content.index(b"\0")) + 1,
            "is binary, no text: give it its own suffix, or exclude it",
        )
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise fault(name, line, f"is no UTF-8 (byte 0x{content[error.start]:02x}): save it as UTF-8") from error
    return _NEWLINE.sub("\n", text)


def _without_unseen(body: str, name: str, taken: int) -> tuple[str, list[Fault]]:
    warnings = []
    for number, line in enumerate(body.split("\n"), taken + 1):
        if found := UNSEEN.search(line):
            warnings.append(
                Fault(name, number, None, f"hidden characters are left out (first U+{ord(found.group()):04X})")
            )
    return UNSEEN.sub("", body), warnings


def _few(warnings: list[Fault]) -> list[Fault]:
    if len(warnings) <= _WARNINGS_A_FILE:
        return warnings
    last = warnings[_WARNINGS_A_FILE - 1]
    more = len(warnings) - _WARNINGS_A_FILE + 1
    told = f"{last.error}, and {more - 1} {'lines' if last.line is not None else 'places'} more"
    return [*warnings[: _WARNINGS_A_FILE - 1], Fault(last.file, last.line, None, told)]
