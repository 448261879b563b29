"""Files to stored text: Markdown, plain text, CSV and TSV. HTML, PDF, DOCX and JSONL are not read yet."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path
from typing import NamedTuple

from remit.corpus.frontmatter import SIDECAR, divide, parse
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
"""The suffixes that can be read."""

_NEWLINE = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_HIDDEN = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x9f\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff"
    "\ufff9-\ufffb\U000e0000-\U000e007f]"
)
"""Characters nobody sees: controls, direction marks and overrides, zero-width ones, tags. Joiners stay: scripts and
emoji need them."""

_WARNINGS_A_FILE = 5


class Reading(NamedTuple):
    """A file as it will be stored: text in NFC, how it is laid out, what it says of itself, and what was left out."""

    text: str
    layout: Layout
    rows: frozenset[int]
    stated: Stated
    warnings: tuple[Fault, ...]


def read_file(path: Path, name: str, max_megabytes: int) -> Reading:
    """Return the reading of one file; faults call it `name`.

    Raises:
        InvalidInput: it cannot be read, is no text, is too large, is empty, or what it says of itself is wrong.
    """
    layout = LAYOUTS.get(path.suffix.lower())
    if layout is None:
        raise fault(name, None, f"files of kind {path.suffix or '(none)'} are not read: want {', '.join(LAYOUTS)}")
    front, body, taken = divide(_decoded(path, name, max_megabytes), name)
    stated = Stated() if front is None else parse(front, name, first_line=2)
    sidecar = path.with_name(path.name + SIDECAR)
    if sidecar.is_file():
        if front is not None:
            raise fault(name, 1, f"has front matter and a sidecar {sidecar.name}: keep one of the two")
        stated = parse(_decoded(sidecar, name + SIDECAR, max_megabytes), name + SIDECAR)
    clean, warnings = _without_hidden(body, name, taken)
    text, rows = unicodedata.normalize("NFC", clean), frozenset[int]()
    if layout == "markdown":
        text, rows, comments = stored_markdown(text)
        warnings += [
            Fault(name, taken + line, None, "a comment that readers do not see is left out") for line in comments
        ]
    elif layout == "rows":
        text = rendered_csv(text, name, tabs=path.suffix.lower() == ".tsv")
    if not text.strip():
        raise fault(name, None, "holds no text: nothing can be answered from it")
    # Taking something out can bring a mark next to a letter it composes with.
    return Reading(unicodedata.normalize("NFC", text), layout, rows, stated, tuple(_few(warnings)))


def fault(file: str, line: int | None, error: str, field: str | None = None) -> InvalidInput:
    """Return the error for one thing wrong in one file."""
    found = Fault(file, line, field, error)
    return InvalidInput(str(found), (found,))


def _decoded(path: Path, name: str, max_megabytes: int) -> str:
    try:
        if path.stat().st_size > max_megabytes * 1_000_000:
            raise fault(
                name,
                None,
                f"is larger than {max_megabytes} MB: divide it, or raise max_megabytes under [ingest] in remit.toml",
            )
        content = path.read_bytes()
    except OSError as error:
        raise fault(name, None, f"cannot be read ({error.strerror}): check its permissions") from error
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


def _without_hidden(body: str, name: str, taken: int) -> tuple[str, list[Fault]]:
    warnings = []
    for number, line in enumerate(body.split("\n"), taken + 1):
        if found := _HIDDEN.search(line):
            warnings.append(
                Fault(name, number, None, f"hidden characters are left out (first U+{ord(found.group()):04X})")
            )
    return _HIDDEN.sub("", body), warnings


def _few(warnings: list[Fault]) -> list[Fault]:
    if len(warnings) <= _WARNINGS_A_FILE:
        return warnings
    last = warnings[_WARNINGS_A_FILE - 1]
    more = len(warnings) - _WARNINGS_A_FILE + 1
    return [
        *warnings[: _WARNINGS_A_FILE - 1],
        Fault(last.file, last.line, None, f"{last.error}, and {more - 1} lines more"),
    ]
