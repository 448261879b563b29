"""YAML front matter and sidecar files, read node by node so that each fault names its line and field."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import yaml

from remit.corpus.composed import UNSEEN
from remit.corpus.stated import FIELDS, Stated, checked
from remit.errors import Fault, InvalidInput

MAX_CHARS = 64 * 1024
MAX_DEPTH = 4
SIDECAR = ".meta.yaml"
"""A sidecar of `x.csv` is `x.csv.meta.yaml`."""

_STRICT = frozenset({"labels", "collection", "supersedes", "status", "authority"})
"""Fields in which a bare number, date or yes/no is taken for a mistake instead of for its letters."""

_FIELD = re.compile(rf"\s*(?:{'|'.join(FIELDS)})\s*[:=]")
_FIRST_LINES = 100
_READ_AS = {"null": "nothing", "bool": "yes or no", "int": "a number", "float": "a number", "timestamp": "a date"}


class Divided(NamedTuple):
    """A text without its front matter, the front matter (None: there is none), and how many lines that took."""

    front: str | None
    body: str
    lines: int


def divide(text: str, file: str) -> Divided:
    """Return front matter and body of a text whose lines end in a line feed.

    Raises:
        InvalidInput: front matter is opened and never closed, is too large, or is not where it would be read.
    """
    if not (text == "---" or text.startswith("---\n")):
        if line := _misplaced(text):
            error = "front matter is read between two lines of --- alone, from the first line on: write it so"
            raise _fault(file, line, None, error)
        return Divided(None, text, 0)
    lines = text.split("\n")
    close = next((n for n, line in enumerate(lines[1:], 1) if line.rstrip() in {"---", "..."}), None)
    if close is None:
        raise _fault(file, 1, None, "front matter is opened by --- and never closed: close it by a line of ---")
    return Divided("\n".join(lines[1:close]), "\n".join(lines[close + 1 :]), close + 1)


def parse(text: str, file: str, first_line: int = 1) -> Stated:
    """Return what a YAML text says. `first_line` is the line of `file` on which it begins.

    Raises:
        InvalidInput: with a fault for each thing wrong.
    """
    if len(text) > MAX_CHARS:
        raise _fault(
            file, first_line, None, f"more than {MAX_CHARS} characters of front matter: it holds fields, no text"
        )
    root = _composed(text, file, first_line)
    if root is None:
        return Stated()
    if not isinstance(root, yaml.MappingNode):
        raise _fault(file, first_line, None, "want fields, such as `title: Permit to work`")
    faults: list[Fault] = []
    said: dict[str, Any] = {}
    seen: set[str] = set()
    for key, value in root.value:
        name = key.value if isinstance(key, yaml.ScalarNode) else "?"
        line = first_line + key.start_mark.line
        try:
            said[name] = _value(name, value, twice=name in seen)
        except ValueError as error:
            faults.append(Fault(file, line, name, str(error)))
        seen.add(name)
    if not faults and (early := _ends_early(said)):
        line = next(first_line + key.start_mark.line for key, _ in root.value if key.value == "valid_to")
        faults.append(Fault(file, line, "valid_to", early))
    if faults:
        raise InvalidInput(str(faults[0]), tuple(faults))
    return Stated(**said)


def _misplaced(text: str) -> int:
    """Return the line on which something begins that was meant as front matter; 0 where there is none.

    Taken for text, it would leave the document to whatever the path rules or the command line say of those without labels.
    """
    lines = [UNSEEN.sub("", line).strip() for line in text[:MAX_CHARS].split("\n", _FIRST_LINES)]
    first = next((n for n, line in enumerate(lines) if line), 0)
    mark = lines[first][:3]
    if mark not in {"---", "+++"}:
        return 0
    for line in lines[first + 1 :]:
        if line.startswith((mark, "...")):
            return 0
        if _FIELD.match(line):
            return first + 1
    return 0


def _value(name: str, node: yaml.Node, *, twice: bool) -> object:
    if name not in FIELDS:
        raise ValueError(f"unknown field; known are {', '.join(FIELDS)}")
    if twice:
        raise ValueError("is given twice: keep one")
    return checked(name, _plain(node, strict=name in _STRICT, lenient=name == "language"))


def _ends_early(said: dict[str, Any]) -> str | None:
    start, end = said.get("valid_from"), said.get("valid_to")
    return f"{end} is before valid_from {start}" if start and end and end < start else None


def _composed(text: str, file: str, first_line: int) -> yaml.Node | None:
    try:
        # Events come one by one, without recursion: what could grow or nest without end is refused before it is built.
        depth = 0
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            line = first_line + (event.start_mark.line if event.start_mark else 0)
            if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
                raise _fault(file, line, None, "anchors and aliases (& and *) are not read: write the value out")
            if depth > MAX_DEPTH:
                raise _fault(file, line, None, "is nested too deeply")
        return yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = first_line + mark.line if mark else first_line
        raise _fault(file, line, None, f"is no YAML: {error.problem or error.context}") from error
    except yaml.YAMLError as error:
        raise _fault(file, first_line, None, "is no YAML: it holds a character that YAML does not allow") from error


def _plain(node: yaml.Node, *, strict: bool, lenient: bool = False) -> object:
    kind = node.tag.rpartition(":")[2]
    if not isinstance(node, yaml.ScalarNode) and kind not in {"seq", "map"}:
        raise ValueError("has a tag (!): want a plain list or plain fields")
    if isinstance(node, yaml.SequenceNode):
        return [_plain(item, strict=strict) for item in node.value]
    if isinstance(node, yaml.MappingNode):
        found: dict[str, object] = {}
        for key, value in node.value:
            name = str(_plain(key, strict=False))
            if name in found:
                raise ValueError(f"{name!r} is given twice: keep one")
            found[name] = _plain(value, strict=strict)
        return found
    if kind != "str" and not lenient and (strict or kind not in {"int", "float", "timestamp"}):
        read_as = _READ_AS.get(kind, f"a {kind}")
        raise ValueError(f"{node.value!r} is read as {read_as}: put it in quotes" if node.value else "is blank")
    return node.value


def _fault(file: str, line: int, field: str | None, error: str) -> InvalidInput:
    fault = Fault(file, line, field, error)
    return InvalidInput(str(fault), (fault,))
