"""RGB, RAMDocs and CLAPnq: questions that come with good and bad passages, or with none that answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from remit.cases.formats.openqa import question_id
from remit.cases.formats.question import Loaded, Question, Text, answers_of, distinct
from remit.cases.formats.reading import Row, Wrong, read, unique
from remit.cases.formats.walking import json_rows

Made = tuple[Question, tuple[Text, ...]]


def rgb(path: Path) -> Loaded:
    """Return the questions of an RGB file (``en.json``, ``en_refine.json``, ``en_int.json``, ``en_fact.json``, ``zh*``).

    Passages of `positive` are gold, those of `negative` noise, those of ``positive_wrong`` say ``fakeanswer``. Where the
    answer has parts (integration), each part's spellings stand in ``more["parts"]`` and all of them count as answers.

    Raises:
        InvalidInput: naming line and field of what cannot be used.
    """
    return _loaded(path, read(path, json_rows(path), _rgb))


def ramdocs(path: Path) -> Loaded:
    """Return the questions of ``RAMDocs_test.jsonl``: all of ``gold_answers`` are right, ``wrong_answers`` misinformation.

    Raises:
        InvalidInput: naming line and field of what cannot be used.
    """
    return _loaded(path, read(path, json_rows(path), _ramdocs))


def clapnq(path: Path) -> Loaded:
    """Return the questions of an annotated CLAPnq file; one without an answer is not answerable from its passage.

    Raises:
        InvalidInput: naming line and field of what cannot be used.
    """
    return _loaded(path, read(path, json_rows(path), _clapnq))


def _loaded(path: Path, made: list[Made]) -> Loaded:
    questions = unique(path, (question for question, _ in made), lambda one: one.id)
    return Loaded(questions, distinct(text for _, texts in made for text in texts))


def _rgb(row: Row) -> Made:
    right, wrong = _passages(row, "positive"), _passages(row, "positive_wrong")
    noise = _passages(row, "negative")
    parts = [_spellings("answer", one) for one in _several(row, "answer")]
    integration = row.has("answer1")
    fake = row.texts("fakeanswer") if row.has("fakeanswer") else ()
    texts = distinct([*right, *wrong, *noise])
    asked = row.text("query")
    question = Question(
        f"rgb-{row.text('id')}",
        asked,
        answers=answers_of(*(one for part in parts for one in part)),
        gold=tuple(text.id for text in distinct(right)),
        candidates=tuple(text.id for text in texts),
        groups=(asked.casefold(),),
        kind="integration" if integration else "counterfactual" if wrong else "noise",
        more={"parts": [list(part) for part in parts], "wrong_answers": list(fake)},
    )
    return question, texts


def _several(row: Row, name: str) -> list[Any]:
    value = row.data.get(name)
    if isinstance(value, str):
        return [value]
    if not isinstance(value, list) or not value:
        raise Wrong(name, "want a text or a list of texts")
    return value if any(isinstance(one, list) for one in value) else [value]


def _spellings(name: str, value: Any) -> tuple[str, ...]:
    listed = value if isinstance(value, list) else [value]
    if not all(isinstance(one, str) for one in listed):
        raise Wrong(name, "want texts, or lists of spellings")
    return tuple(listed)


def _passages(row: Row, name: str) -> list[Text]:
    if not row.has(name):
        return []
    flat = [one for part in row.listed(name) for one in (part if isinstance(part, list) else [part])]
    if not all(isinstance(one, str) and one.strip() for one in flat):
        raise Wrong(name, "want passages as texts")
    return [Text.of("", one) for one in flat]


def _ramdocs(row: Row) -> Made:
    asked, documents = row.text("question"), row.rows("documents")
    texts = [Text.of("", one.text("text")) for one in documents]
    types = [one.text("type") for one in documents]
    entities = row.texts("disambig_entity") if row.has("disambig_entity") else ()
    question = Question(
        row.text("id") if row.has("id") else question_id("ramdocs", asked),
        asked,
        answers=answers_of(*row.texts("gold_answers")),
        gold=tuple(dict.fromkeys(text.id for text, said in zip(texts, types, strict=True) if said == "correct")),
        candidates=tuple(dict.fromkeys(text.id for text in texts)),
        groups=(asked.casefold(),),
        kind="conflict",
        more={
            "wrong_answers": list(row.texts("wrong_answers")) if row.has("wrong_answers") else [],
            "entities": list(entities),
            "types": dict(zip((text.id for text in texts), types, strict=True)),
        },
    )
    return question, distinct(texts)


def _clapnq(row: Row) -> Made:
    passages = row.rows("passages")
    texts = [Text.of(one.text("title", empty=True), one.text("text")) for one in passages]
    outputs = row.rows("output") if row.has("output") else []
    answers = answers_of(*(one.text("answer", empty=True) for one in outputs if one.has("answer")))
    sentences = [text for one in outputs if one.has("selected_sentences") for text in one.texts("selected_sentences")]
    titles = tuple(dict.fromkeys(text.title for text in texts if text.title))
    ids = tuple(dict.fromkeys(text.id for text in texts))
    question = Question(
        row.text("id"),
        row.text("input"),
        answers=answers,
        gold=ids if answers else (),
        candidates=ids,
        groups=titles or ids,
        kind="long-form",
        answerable=bool(answers),
        more={"grounding": sentences},
    )
    return question, distinct(texts)
