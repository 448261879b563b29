"""Question sets: what is asked, the golden answers and the documents that hold them, in FlashRAG's shape or in our own."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from remit.cases.case import json_lines
from remit.contract.terms import content_terms
from remit.errors import Fault, InvalidInput

_TERMS = 3
"""Terms from which two questions of the same terms are the same question in other words."""


class Question(NamedTuple):
    """One question of a set. `gold` are the ids of documents, without revision; `part` names the file it stood in."""

    id: str
    question: str
    golden: tuple[str, ...]
    gold: tuple[str, ...]
    part: str
    asker: str
    group: str = ""


def read_questions(path: Path, *, asker: str) -> list[Question]:
    """Return the questions of a JSONL file that say where their answer stands; those that do not are left out.

    A line has `id`, `question`, `golden_answers`, and either `gold_documents` or `metadata.gold`.

    Raises:
        InvalidInput: a line lacks what it needs, or no line says where its answer stands.
    """
    found, faults = [], []
    for number, raw in json_lines(path):
        wrong = [
            Fault(str(path), number, field, told)
            for field, told in (
                ("id", "want a text or a number"),
                ("question", "want a text that is not blank"),
                ("golden_answers", "want a list of texts"),
            )
            if not _right(field, raw.get(field))
        ]
        gold = _gold(raw)
        if wrong or gold is None:
            faults += wrong or [Fault(str(path), number, "gold_documents", "want a list of document ids")]
        elif gold and raw["golden_answers"]:
            golden, who = tuple(raw["golden_answers"]), str(raw.get("asker") or asker)
            group = str(raw.get("group") or "")
            found.append(Question(str(raw["id"]), raw["question"], golden, gold, path.stem, who, group))
    if faults:
        raise InvalidInput(f"{path}: {len(faults)} faults: {faults[0]}", tuple(faults))
    if not found:
        raise InvalidInput(
            f"{path}: no line names the documents that hold its answer (gold_documents or metadata.gold)"
        )
    return found


def grouped(questions: Sequence[Question], titles: Mapping[str, str]) -> dict[str, list[Question]]:
    """Return the questions by group: those that share a document, a title of one, their terms, or a declared group.

    A group's name is made of what is in it and not of chance, so that it is the same whatever is built from it.
    """
    leader: dict[str, str] = {}

    def find(name: str) -> str:
        leader.setdefault(name, name)
        while leader[name] != name:
            leader[name] = leader[leader[name]]
            name = leader[name]
        return name

    def join(one: str, other: str) -> None:
        first, second = sorted((find(one), find(other)))
        leader[second] = first

    for question in questions:
        own = f"question {question.id}"
        for tie in _ties(question, titles):
            join(own, tie)
    groups: defaultdict[str, list[Question]] = defaultdict(list)
    for question in sorted(questions, key=lambda q: q.id):
        groups[find(f"question {question.id}")].append(question)
    return {f"{members[0].id}": members for members in groups.values()}


def _ties(question: Question, titles: Mapping[str, str]) -> Iterable[str]:
    yield from (f"document {document}" for document in question.gold)
    yield from (f"title {titles[document].casefold()}" for document in question.gold if titles.get(document))
    if question.group:
        yield f"declared {question.group}"
    terms = {term.term for term in content_terms(question.question)}
    if len(terms) >= _TERMS:
        yield f"terms {' '.join(sorted(terms))}"


def _right(field: str, value: object) -> bool:
    if field == "id":
        return isinstance(value, str | int) and str(value) != ""
    if field == "question":
        return isinstance(value, str) and bool(value.strip())
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _gold(raw: Mapping[str, Any]) -> tuple[str, ...] | None:
    """Return the ids of the gold documents, none where the line has none, None where what it has is wrong."""
    metadata = raw.get("metadata")
    given = raw.get("gold_documents", metadata.get("gold", []) if isinstance(metadata, dict) else [])
    if not isinstance(given, list) or not all(isinstance(one, str) for one in given):
        return None
    return tuple(dict.fromkeys(one.partition("@")[0] for one in given))
