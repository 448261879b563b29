"""NQ-open, TriviaQA and ASQA: questions put to an encyclopedia that does not come with them."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Final

from remit.cases.formats.question import Loaded, Question, answers_of
from remit.cases.formats.reading import Row, json_lines, read, unique
from remit.cases.formats.walking import json_under

_ID: Final = 12


def nq_open(path: Path) -> Loaded:
    """Return the questions of an NQ-open file: ``{"question", "answer": [...]}`` a line. Ids are digests of questions.

    Raises:
        InvalidInput: naming line and field of what cannot be used.
    """
    return Loaded(unique(path, read(path, json_lines(path), _nq), lambda one: one.id))


def triviaqa(path: Path) -> Loaded:
    """Return the questions of a TriviaQA file: one object whose ``Data`` lists them; all aliases count as answers.

    Raises:
        InvalidInput: naming line and field of what cannot be used.
    """
    rows = (row for _, row in json_under(path, "Data"))
    return Loaded(unique(path, read(path, rows, _trivia), lambda one: one.id))


def asqa(path: Path, *, part: str = "dev") -> Loaded:
    """Return the questions of one part of ``ASQA.json``. Long answers are golden; the short ones are kept by reading.

    ``more["readings"]`` holds each disambiguated question with its short answers, for the accuracy that ASQA reports.

    Raises:
        InvalidInput: naming line and field of what cannot be used.
    """
    rows = (row._replace(data={**row.data, "id": id}) for id, row in json_under(path, part))
    return Loaded(unique(path, read(path, rows, _asqa), lambda one: one.id))


def question_id(prefix: str, question: str) -> str:
    """Return an id for a question that was published without one."""
    return f"{prefix}-{hashlib.sha256(question.encode('utf-8', 'surrogatepass')).hexdigest()[:_ID]}"


def _nq(row: Row) -> Question:
    asked = row.text("question")
    id = row.text("id") if row.has("id") else question_id("nq", asked)
    return Question(id, asked, answers=answers_of(*row.texts("answer")), groups=(asked.casefold(),), kind="single-hop")


def _trivia(row: Row) -> Question:
    answer = row.row("Answer") if row.has("Answer") else Row(row.line, {}, "Answer")
    aliases = [answer.texts(name) for name in ("Aliases", "HumanAnswers") if answer.has(name)]
    value = (answer.text("Value"),) if answer.has("Value") else ()
    pages = [one.text("Title") for one in row.rows("EntityPages")] if row.has("EntityPages") else []
    asked = row.text("Question")
    return Question(
        row.text("QuestionId"),
        asked,
        answers=answers_of(*value, *(alias for names in aliases for alias in names)),
        groups=(asked.casefold(),),
        kind="trivia",
        more={"pages": pages},
    )


def _asqa(row: Row) -> Question:
    pairs = row.rows("qa_pairs") if row.has("qa_pairs") else []
    readings = [{"question": pair.text("question"), "answers": list(pair.texts("short_answers"))} for pair in pairs]
    notes = row.rows("annotations") if row.has("annotations") else []
    pages = [one.text("title") for one in row.rows("wikipages")] if row.has("wikipages") else []
    asked = row.text("ambiguous_question")
    return Question(
        row.text("id"),
        asked,
        answers=answers_of(*(note.text("long_answer") for note in notes)),
        groups=tuple(pages) or (asked,),
        kind="ambiguous",
        more={"readings": readings},
    )
