"""BEIR: a folder with ``corpus.jsonl``, ``queries.jsonl`` and ``qrels/NAME.tsv``."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Final

from remit.cases.formats.question import Loaded, Question, Text
from remit.cases.formats.reading import Row, fault, json_lines, lines, read, unique

_FIELDS: Final = 3


def beir(path: Path, *, part: str = "test") -> Loaded:
    """Return the queries that one part of a BEIR folder judges, with their grades, and the corpus.

    A text judged above 0 is gold. Queries that the part does not judge are left out, as its evaluation does.

    Raises:
        NothingThere: a file is missing.
        InvalidInput: naming file, line and field of what cannot be used.
    """
    corpus = unique(path / "corpus.jsonl", read(path / "corpus.jsonl", json_lines(path / "corpus.jsonl"), _text), _id)
    known, judged = {text.id for text in corpus}, _qrels(path / "qrels" / f"{part}.tsv")
    queries = read(path / "queries.jsonl", json_lines(path / "queries.jsonl"), lambda row: _question(row, judged))
    kept = unique(path / "queries.jsonl", [one for one in queries if one.id in judged], lambda one: one.id)
    missing = judged.keys() - {one.id for one in kept}
    if missing:
        raise fault(path / "queries.jsonl", None, "_id", f"{min(missing)!r} is judged in the qrels and is not there")
    lost = {id for one in kept for id in one.gold} - known
    if lost:
        raise fault(path / "corpus.jsonl", None, "_id", f"{min(lost)!r} is judged in the qrels and is not there")
    return Loaded(kept, corpus)


def _id(text: Text) -> str:
    return text.id


def _text(row: Row) -> Text:
    title = row.text("title", empty=True) if row.has("title") else ""
    return Text(row.text("_id"), title, row.text("text", empty=True))


def _question(row: Row, judged: dict[str, dict[str, int]]) -> Question:
    id = row.text("_id")
    grades = judged.get(id, {})
    gold = tuple(text for text, grade in grades.items() if grade > 0)
    return Question(id, row.text("text"), gold=gold, grades=grades, groups=gold or (id,), kind="retrieval")


def _qrels(path: Path) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = defaultdict(dict)
    for number, line in lines(path):
        fields = line.split("\t")
        if number == 1 and fields[0] == "query-id":
            continue
        if len(fields) != _FIELDS:
            raise fault(
                path, number, None, f"want query-id, corpus-id and score apart by tabs, not {len(fields)} fields"
            )
        try:
            found[fields[0]][fields[1]] = int(fields[2])
        except ValueError as error:
            raise fault(path, number, "score", f"{fields[2]!r} is no whole number") from error
    return dict(found)
