"""FlashRAG: ``{"id", "question", "golden_answers", "metadata"}`` a line, and ``{"id", "contents"}`` for the corpus.

The first line of ``contents`` is the title. `metadata` may hold ``gold``, ``candidates``, ``groups``, ``title``, ``type``,
``answerable`` and ``documents``, as the sets prepared for Remit have it; the rest of it is kept as it is.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from remit.cases.formats.question import Loaded, Question, Text, answers_of, content_id, distinct
from remit.cases.formats.reading import Row, json_lines, read, unique

_LINES: Final = 2


def flashrag(path: Path) -> Loaded:
    """Return the questions of a file, with the texts of ``corpus.jsonl`` beside it where there is one.

    Raises:
        InvalidInput: naming line and field of what cannot be used.
    """
    corpus = path.with_name("corpus.jsonl")
    asked = read(path, json_lines(path), _question)
    inside = [text for question, texts in asked for text in texts]
    beside = flashrag_corpus(corpus) if corpus.is_file() and corpus != path else ()
    return Loaded(unique(path, (question for question, _ in asked), lambda one: one.id), distinct([*beside, *inside]))


def flashrag_corpus(path: Path) -> tuple[Text, ...]:
    """Return the texts of a corpus file.

    Raises:
        InvalidInput: naming line and field of what cannot be used.
    """
    return unique(path, read(path, json_lines(path), _text), lambda one: one.id)


def _text(row: Row) -> Text:
    contents = row.text("contents")
    parts = contents.split("\n", 1)
    split = len(parts) == _LINES and bool(parts[1].strip())
    title = row.text("title", empty=True) if row.has("title") else parts[0].strip().strip('"') if split else ""
    return Text(row.text("id"), title, parts[1] if split and parts[0].strip().strip('"') == title else contents)


def _question(row: Row) -> tuple[Question, list[Text]]:
    id, asked = row.text("id"), row.text("question")
    more = row.row("metadata") if row.has("metadata") else Row(row.line, {}, "metadata")
    texts = [_inside(one) for one in more.rows("documents")] if more.has("documents") else []
    answers = row.texts("golden_answers") if row.has("golden_answers") else ()
    gold = more.texts("gold") if more.has("gold") else ()
    said = more.data.get("answerable")
    question = Question(
        id,
        asked,
        answers=answers_of(*answers),
        gold=gold,
        candidates=more.texts("candidates") if more.has("candidates") else tuple(text.id for text in texts),
        groups=_groups(more, gold, asked),
        kind=more.text("type") if more.has("type") else "question",
        answerable=said if isinstance(said, bool) else True,
        more={key: value for key, value in more.data.items() if key not in _TAKEN},
    )
    return question, texts


_TAKEN: Final = {"gold", "candidates", "groups", "type", "answerable"}


def _inside(row: Row) -> Text:
    contents = row.text("contents")
    title = row.text("title", empty=True) if row.has("title") else ""
    return Text(row.text("id") if row.has("id") else content_id(title, contents), title, contents)


def _groups(more: Row, gold: tuple[str, ...], asked: str) -> tuple[str, ...]:
    named: tuple[Any, ...] = ()
    for key in ("groups", "title", "entity"):
        if more.has(key):
            named = more.texts(key)
            break
    return named or gold or (asked,)
