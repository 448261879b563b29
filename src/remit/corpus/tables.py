"""Tables as text in which each row stands for itself: ``Pump: P-101; Cover bolt torque: 45 Nm.``, one row a line."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence

from remit.errors import Fault, InvalidInput

_DELIMITER = re.compile(r":?-+:?")
_CELL_END = re.compile(r"(?<!\\)\|")

csv.field_size_limit(1 << 27)  # the size of the file is the limit that counts


def rendered_row(header: Sequence[str], cells: Sequence[str]) -> str:
    """Return one row as a line that can be read without the rest of the table; blank cells are left out."""
    pairs = [f"{name}: {cell}" for name, cell in zip(header, map(_one_line, cells), strict=False) if cell]
    line = "; ".join(pairs)
    return line if not line or line[-1] in ".!?" else f"{line}."


def column_names(cells: Sequence[str]) -> list[str]:
    """Return the header as words: `bolt_torque` is "bolt torque"; a blank one is named by its place."""
    names = (_one_line(cell.replace("_", " ")).rstrip(":") for cell in cells)
    return [name or f"Column {place}" for place, name in enumerate(names, 1)]


def rendered_csv(text: str, file: str, *, tabs: bool) -> str:
    """Return a CSV or TSV text with one line for each data row, in their order (line n is row n).

    Raises:
        InvalidInput: there is no header, or a row does not fit it.
    """
    first = text.split("\n", 1)[0]
    delimiter = "\t" if tabs else ";" if ";" in first and "," not in first else ","
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    header: list[str] = []
    lines: list[str] = []
    try:
        for cells in reader:
            if not any(cell.strip() for cell in cells):
                continue
            if not header:
                header = column_names(cells)
                continue
            if len(cells) > len(header):
                raise _fault(
                    file, reader.line_num, f"{len(cells)} cells under {len(header)} columns: quote or remove some"
                )
            lines.append(rendered_row(header, cells))
    except csv.Error as error:
        raise _fault(file, reader.line_num, f"is no table: {error}") from error
    return "\n".join(lines)


def table_at(lines: Sequence[str], index: int) -> tuple[list[str], int] | None:
    """Return the rendered rows of the Markdown table that begins on a line, and how many lines it takes."""
    header = _cells(lines[index])
    if header is None or index + 1 >= len(lines):
        return None
    marks = _cells(lines[index + 1]) or [lines[index + 1].strip()]
    if len(marks) != len(header) or not all(map(_DELIMITER.fullmatch, marks)):
        return None
    names, rows, end = column_names(header), [], index + 2
    while end < len(lines) and (cells := _cells(lines[end])) is not None:
        rows.append(rendered_row(names, cells))
        end += 1
    return [row for row in rows if row], end - index


def _cells(line: str) -> list[str] | None:
    bare = line.strip()
    if not _CELL_END.search(bare):
        return None
    bare = bare.removeprefix("|")
    bare = bare[:-1] if bare.endswith("|") and not bare.endswith("\\|") else bare
    return [cell.strip().replace("\\|", "|") for cell in _CELL_END.split(bare)]


def _one_line(cell: str) -> str:
    return " ".join(cell.split())


def _fault(file: str, line: int, error: str) -> InvalidInput:
    fault = Fault(file, line, None, error)
    return InvalidInput(str(fault), (fault,))
