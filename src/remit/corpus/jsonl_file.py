"""JSON Lines: each line a document, under our own names, or as BEIR (`_id`, `text`) and FlashRAG (`id`, `contents`) write it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from remit.corpus.document import encodable
from remit.corpus.stated import FIELDS, Stated, checked
from remit.errors import Fault, InvalidInput

_LEAST_LINES = 2


class Line(NamedTuple):
    """One line: its number, what it says and its text, or else what is wrong with it. `ours`: in our own schema."""

    number: int
    stated: Stated
    text: str
    ours: bool
    faults: tuple[Fault, ...] = ()


def read_lines(path: Path, name: str, max_megabytes: int) -> Iterator[Line]:
    """Yield the lines of a file one by one, so that its size does not matter; `max_megabytes` bounds a line.

    Raises:
        InvalidInput: the file cannot be read.
    """
    limit = max_megabytes * 1_000_000
    try:
        with path.open("rb") as file:
            number = 0
            while line := file.readline(limit + 1):
                number += 1
                if len(line) > limit:
                    while line and not line.endswith(b"\n"):
                        line = file.readline(limit)
                    yield _wrong(number, Fault(name, number, None, f"is longer than {max_megabytes} MB: divide it"))
                elif line.strip():
                    yield _line(line, name, number)
    except OSError as error:
        fault = Fault(name, None, None, f"cannot be read ({error.strerror}): check its permissions")
        raise InvalidInput(str(fault), (fault,)) from error


def _line(line: bytes, name: str, number: int) -> Line:
    found, wrong = _loaded(line, first=number == 1)
    if wrong is not None:
        return _wrong(number, Fault(name, number, None, wrong))
    if not isinstance(found, dict):
        return _wrong(number, Fault(name, number, None, 'want an object, such as {"document": "A", "text": "..."}'))
    ours = "_id" not in found and "contents" not in found and not ("id" in found and "document" not in found)
    said = found if ours else _translated(found)
    faults = [Fault(name, number, key, "unknown field; known are text, " + ", ".join(FIELDS)) for key in _unknown(said)]
    faults += [Fault(name, number, key, "want it as labels: it says who may read") for key in _nearly(found)]
    stated: dict[str, Any] = {}
    for key in FIELDS.keys() & said.keys():
        try:
            stated[key] = checked(key, said[key])
        except ValueError as error:
            faults.append(Fault(name, number, key, str(error)))
    if "document" not in said:
        faults.append(Fault(name, number, "document", "is missing: each line names its document"))
    text = said.get("text")
    if why := _no_text(text):
        faults.append(Fault(name, number, "text", why))
    start, end = stated.get("valid_from"), stated.get("valid_to")
    if start and end and end < start:
        faults.append(Fault(name, number, "valid_to", f"{end} is before valid_from {start}"))
    if faults:
        return Line(number, Stated(), "", ours, tuple(faults))
    return Line(number, Stated(**stated), str(text), ours)


def _loaded(line: bytes, *, first: bool) -> tuple[Any, str | None]:
    """Return what a line holds, or what is wrong with it."""
    try:
        text = line.rstrip(b"\r\n").decode("utf-8-sig" if first else "utf-8")
        return json.loads(text, object_pairs_hook=_once), None
    except UnicodeDecodeError:
        return None, "is no UTF-8: save it as UTF-8"
    except json.JSONDecodeError as error:
        return None, f"is no JSON from its column {error.pos + 1} on: {error.msg}"
    except (ValueError, RecursionError) as error:
        return None, f"is no JSON: {error}"


def _no_text(text: object) -> str | None:
    if not isinstance(text, str) or not text.strip():
        return "is missing, blank or no text: nothing can be answered from it"
    return None if encodable(text) else "holds half a surrogate pair (\\ud800 to \\udfff), which is no text"


def _translated(found: dict[str, Any]) -> dict[str, Any]:
    """Return a line of BEIR or FlashRAG under our names. Ours count in it too, in BEIR's `metadata` as well."""
    metadata = found.get("metadata")
    said = {key: value for key, value in metadata.items() if key in FIELDS} if isinstance(metadata, dict) else {}
    said |= {key: value for key, value in found.items() if key in FIELDS}
    id = found.get("_id", found.get("id"))
    # Their ids are often numbers, and may hold what has a meaning in ours.
    said.setdefault("document", str(id).replace("@", "-").replace("#", "-") if isinstance(id, str | int) else id)
    text = found.get("text", found.get("contents"))
    if "text" not in found and "title" not in said and isinstance(text, str):
        lines = text.split("\n", 1)
        if len(lines) == _LEAST_LINES and lines[1].strip():
            said["title"], text = lines[0].strip().strip('"'), lines[1]
    if not str(said.get("title") or "").strip():
        said.pop("title", None)
    elif isinstance(said["title"], str):
        said["title"] = said["title"][:500]
    return {**said, "text": text}


def _unknown(said: dict[str, Any]) -> list[str]:
    return [key for key in said if key not in FIELDS and key != "text"]


def _nearly(found: dict[str, Any]) -> list[str]:
    """Return what would be labels of a line of others, but for its case: passed over, it would leave the document open."""
    metadata = found.get("metadata")
    keys = [*found, *(metadata if isinstance(metadata, dict) else ())]
    return [key for key in keys if key != "labels" and key.strip().casefold() == "labels" and key not in FIELDS]


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name stands in it twice: keep one")
    return found


def _wrong(number: int, fault: Fault) -> Line:
    return Line(number, Stated(), "", ours=True, faults=(fault,))
