"""Questions to learn from or to measure on, in the FlashRAG shape, and parts of them that divide no group."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from remit.errors import Fault, InvalidInput


class Question(NamedTuple):
    """A question with its golden answers and the documents that hold them (none where the set names none).

    `group` holds what hangs together, such as the questions on one article; it never stands in two parts.
    """

    id: str
    text: str
    golden: tuple[str, ...]
    gold: frozenset[str]
    group: str
    kind: str


def read_questions(path: Path) -> tuple[Question, ...]:
    """Return the questions of a JSONL file of ``{"id", "question", "golden_answers", "metadata"}`` lines.

    Raises:
        InvalidInput: with a fault for each line that cannot be used, naming line and field.
    """
    found, faults = [], []
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{path}: no questions ({type(error).__name__}); want JSON Lines in UTF-8") from error
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            found.append(_question(json.loads(line)))
        except (ValueError, KeyError, TypeError) as error:
            field = str(error.args[0]) if isinstance(error, KeyError) else None
            faults.append(Fault(str(path), number, field, "missing" if field else f"no question: {error}"))
    if faults:
        raise InvalidInput(f"{path}: {len(faults)} lines are no questions", tuple(faults))
    return tuple(found)


def held_back(questions: Iterable[Question], *, part: int, of: int) -> frozenset[str]:
    """Return the ids of the questions in one of `of` parts; a group's name decides, so that no group is divided."""
    return frozenset(question.id for question in questions if part_of(question.group, of) == part)


def part_of(group: str, of: int) -> int:
    """Return in which of `of` parts a group lies."""
    return int(hashlib.sha256(group.encode("utf-8", "surrogatepass")).hexdigest(), 16) % of


def _question(line: Any) -> Question:
    if not isinstance(line, dict) or not isinstance(line.get("metadata") or {}, dict):
        raise TypeError("want an object, and an object as metadata")
    about = line.get("metadata") or {}
    text, golden, gold = line["question"], line["golden_answers"], about.get("gold") or []
    if not isinstance(text, str) or not text.strip() or not _texts(golden) or not _texts(gold):
        raise ValueError("want a question, and lists of texts as golden_answers and metadata.gold")
    group = str(about.get("title") or line["id"])
    kind = str(about.get("kind") or about.get("type") or "")
    return Question(str(line["id"]), text, tuple(golden), frozenset(gold), group, kind)


def _texts(raw: object) -> bool:
    return isinstance(raw, list) and all(isinstance(one, str) for one in raw)
