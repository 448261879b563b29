"""HotpotQA, 2WikiMultiHopQA and MuSiQue: questions over several paragraphs, which come with each question."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from remit.cases.formats.question import Loaded, Question, Text, answers_of, distinct
from remit.cases.formats.reading import Row, Wrong, json_lines, read, unique
from remit.cases.formats.walking import json_array

_PAIR, _TRIPLE = 2, 3
_PREFIX: Final = "hop__"


def hotpotqa(path: Path) -> Loaded:
    """Return the questions of a HotpotQA file (a JSON array) and their paragraphs.

    Raises:
        InvalidInput: naming line and field of what cannot be used.
    """
    return _loaded(path, read(path, json_array(path), _hotpot))


def two_wiki(path: Path) -> Loaded:
    """Return the questions of a 2WikiMultiHopQA file, with the aliases of ``id_aliases.json`` beside it where it is there.

    Raises:
        InvalidInput: naming line and field of what cannot be used.
    """
    aliases = _aliases(path.with_name("id_aliases.json"))
    return _loaded(path, read(path, json_array(path), lambda row: _two_wiki(row, aliases)))


def musique(path: Path) -> Loaded:
    """Return the questions of a MuSiQue file (JSON Lines) and their paragraphs.

    The full set asks each question twice, with and without the paragraphs that answer it: the second gets an id of its own.

    Raises:
        InvalidInput: naming line and field of what cannot be used.
    """
    return _loaded(path, read(path, json_lines(path), _musique))


Made = tuple[Question, tuple[Text, ...]]


def _loaded(path: Path, made: list[Made]) -> Loaded:
    questions = unique(path, (question for question, _ in made), lambda one: one.id)
    return Loaded(questions, distinct(text for _, texts in made for text in texts))


def _hotpot(row: Row) -> Made:
    paragraphs = [_paragraph(row, at, value) for at, value in enumerate(row.listed("context"))]
    held = {title: Text.of(title, "".join(sentences)) for title, sentences in paragraphs}
    told = row.listed("supporting_facts") if row.has("supporting_facts") else []
    facts = [_fact(at, value) for at, value in enumerate(told)]
    titles = tuple(dict.fromkeys(title for title, _ in facts))
    question = Question(
        row.text("_id"),
        row.text("question"),
        answers=answers_of(row.text("answer")) if row.has("answer") else (),
        gold=tuple(held[title].id for title in titles if title in held),
        candidates=tuple(text.id for text in held.values()),
        groups=titles or (row.text("question"),),
        kind="multi-hop",
        more={
            "type": row.data.get("type"),
            "level": row.data.get("level"),
            "grounding": _sentences(facts, dict(paragraphs)),
        },
    )
    return question, tuple(held.values())


def _sentences(facts: list[tuple[str, int]], paragraphs: dict[str, list[str]]) -> list[str]:
    """Return the supporting sentences. Some published numbers point past the end of their paragraph: those hold none."""
    return [paragraphs[title][at].strip() for title, at in facts if at < len(paragraphs.get(title, ()))]


def _two_wiki(row: Row, aliases: dict[str, tuple[str, ...]]) -> Made:
    question, texts = _hotpot(row)
    triples = row.listed("evidences") if row.has("evidences") else []
    for at, triple in enumerate(triples):
        if not isinstance(triple, list) or len(triple) != _TRIPLE:
            raise Wrong(f"evidences[{at}]", "want subject, relation and object")
    others = aliases.get(row.text("answer_id"), ()) if row.has("answer_id") else ()
    answers = answers_of(*question.answers, *others)
    more = {**question.more, "evidences": triples}
    return replace(question, answers=answers, more=more), texts


def _aliases(path: Path) -> dict[str, tuple[str, ...]]:
    def told(row: Row) -> tuple[str, tuple[str, ...]]:
        named = [row.texts(name) for name in ("aliases", "demonyms") if row.has(name)]
        return row.text("Q_id"), tuple(name for names in named for name in names)

    return dict(read(path, json_lines(path), told)) if path.is_file() else {}


def _musique(row: Row) -> Made:
    paragraphs = row.rows("paragraphs")
    texts = [Text.of(one.text("title", empty=True), one.text("paragraph_text")) for one in paragraphs]
    support = [text for one, text in zip(paragraphs, texts, strict=True) if one.data.get("is_supporting") is True]
    answerable = row.data.get("answerable", True)
    if not isinstance(answerable, bool):
        raise Wrong("answerable", "want true or false")
    id, steps = row.text("id"), row.rows("question_decomposition") if row.has("question_decomposition") else []
    aliases = row.texts("answer_aliases") if row.has("answer_aliases") else ()
    question = Question(
        id if answerable else f"{id}#unanswerable",
        row.text("question"),
        answers=answers_of(row.text("answer"), *aliases) if row.has("answer") and answerable else (),
        gold=tuple(dict.fromkeys(text.id for text in support)),
        candidates=tuple(dict.fromkeys(text.id for text in texts)),
        groups=_hops(id),
        kind="multi-hop",
        answerable=answerable,
        more={"decomposition": [step.text("question") for step in steps]},
    )
    return question, distinct(texts)


def _hops(id: str) -> tuple[str, ...]:
    """Return the single-hop questions that a MuSiQue id lists: questions that share one share its answer."""
    _, _, hops = id.partition(_PREFIX)
    return tuple(dict.fromkeys(hop for hop in hops.split("_") if hop)) or (id,)


def _paragraph(row: Row, at: int, value: Any) -> tuple[str, list[str]]:
    match value:
        case [str(title), list(sentences)] if all(isinstance(one, str) for one in sentences):
            return title, sentences
        case _:
            raise Wrong(f"context[{at}]", "want a title and a list of sentences")


def _fact(at: int, value: Any) -> tuple[str, int]:
    match value:
        case [str(title), int(number)] if not isinstance(number, bool) and number >= 0:
            return title, number
        case _:
            raise Wrong(f"supporting_facts[{at}]", "want a title and the number of a sentence")
