"""KILT: ``{"id", "input", "output": [{"answer", "provenance", "meta"}]}`` a line. Wizard of Wikipedia, ELI5 and FEVER in it.

FEVER and ELI5 are read in their own formats, too.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from remit.cases.formats.question import Loaded, Question, answers_of
from remit.cases.formats.reading import Row, Wrong, json_lines, read, unique

_LABELS: Final = {"SUPPORTS": "supports", "REFUTES": "refutes", "NOT ENOUGH INFO": "not enough info"}


def kilt(path: Path) -> Loaded:
    """Return the inputs of a KILT file. Gold is the Wikipedia pages of the provenance, as ``wikipedia_id``.

    Raises:
        InvalidInput: naming line and field of what cannot be used.
    """
    return Loaded(unique(path, read(path, json_lines(path), _kilt), lambda one: one.id))


def wow(path: Path) -> Loaded:
    """Return the turns of Wizard of Wikipedia in KILT form: the dialogue so far is asked, its last line last.

    Raises:
        InvalidInput: as `kilt`.
    """
    return Loaded(tuple(replace(one, kind="dialogue") for one in kilt(path).questions))


def eli5(path: Path) -> Loaded:
    """Return the questions of an ELI5 file, in KILT form or as first published (``q_id``, ``title``, ``answers``).

    Raises:
        InvalidInput: naming line and field of what cannot be used.
    """

    def question(row: Row) -> Question:
        return replace(_kilt(row), kind="long-form") if row.has("input") else _eli5(row)

    return Loaded(unique(path, read(path, json_lines(path), question), lambda one: one.id))


def fever(path: Path) -> Loaded:
    """Return the claims of a FEVER file, in KILT form or as first published (``claim``, ``label``, ``evidence``).

    Raises:
        InvalidInput: naming line and field of what cannot be used; a label that FEVER does not have.
    """

    def question(row: Row) -> Question:
        return _verdict(_kilt(row)) if row.has("input") else _fever(row)

    return Loaded(unique(path, read(path, json_lines(path), question), lambda one: one.id))


def _kilt(row: Row) -> Question:
    outputs = row.rows("output") if row.has("output") else []
    answers = [one.text("answer") for one in outputs if one.has("answer")]
    provenance = [where for one in outputs if one.has("provenance") for where in one.rows("provenance")]
    pages = tuple(dict.fromkeys(one.text("wikipedia_id") for one in provenance if one.has("wikipedia_id")))
    asked = row.text("input")
    return Question(
        row.text("id"),
        asked,
        answers=answers_of(*answers),
        gold=pages,
        groups=pages or (asked,),
        kind="question",
        more={"titles": [one.text("title") for one in provenance if one.has("title")]},
    )


def _eli5(row: Row) -> Question:
    asked, more = row.text("title"), row.text("selftext", empty=True) if row.has("selftext") else ""
    answers = row.row("answers") if row.has("answers") else None
    texts = answers.texts("text") if answers is not None else ()
    scores = answers.listed("score") if answers is not None and answers.has("score") else [0] * len(texts)
    if len(scores) != len(texts):
        raise Wrong("answers.score", f"{len(scores)} scores for {len(texts)} answers")
    best = [text for _, text in sorted(zip(scores, texts, strict=True), key=lambda pair: -pair[0])]
    return Question(
        row.text("q_id"),
        f"{asked}\n{more}".strip(),
        answers=answers_of(*best),
        groups=(asked.casefold(),),
        kind="long-form",
    )


def _fever(row: Row) -> Question:
    claim = row.text("claim")
    label = _label(row.text("label")) if row.has("label") else ""
    pages = tuple(dict.fromkeys(_pages(row.data.get("evidence"))))
    return Question(
        row.text("id"),
        claim,
        answers=answers_of(label),
        gold=pages,
        groups=pages or (claim,),
        kind="fact-check",
        answerable=label != _LABELS["NOT ENOUGH INFO"],
    )


def _verdict(one: Question) -> Question:
    labels = [_label(answer) for answer in one.answers]
    answerable = _LABELS["NOT ENOUGH INFO"] not in labels
    return replace(one, answers=answers_of(*labels), kind="fact-check", answerable=answerable)


def _label(said: str) -> str:
    if said not in _LABELS:
        raise Wrong("label", f"{said!r} is none of {', '.join(_LABELS)}")
    return _LABELS[said]


def _pages(evidence: Any) -> list[str]:
    """Return the pages that FEVER's sets of evidence name: lists of [annotation, evidence, page, sentence]."""
    if evidence is None:
        return []
    try:
        return [str(piece[2]) for pieces in evidence for piece in pieces if piece[2] is not None]
    except (TypeError, IndexError, KeyError) as error:
        raise Wrong("evidence", "want lists of [annotation, evidence, page, sentence]") from error
