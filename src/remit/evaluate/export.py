"""A run as other tools read it: Ragas, RAGChecker and DeepEval, whose judges then score it; TREC, for trec_eval and its kin."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from remit.errors import InvalidInput
from remit.evaluate.trial import Trial

Texts = Mapping[str, str]
"""What passages say, by id."""


def export(trials: Sequence[Trial], texts: Mapping[str, Texts], to: str, out: Path) -> list[Path]:
    """Write one file, or two, for each set and system into a folder, and return them.

    `texts` are those of passages by set. A question without a golden answer stands in TREC's files alone: the others have
    no place for one.

    Raises:
        InvalidInput: there is no such form, or the run was made before it kept what was sent.
    """
    if to not in FORMS:
        raise InvalidInput(f"{to!r} is no form to export to; known are {', '.join(FORMS)}")
    if trials and not any(trial.ranked for trial in trials):
        raise InvalidInput(
            "these trials do not say what was ranked and sent: run the experiment again in another folder"
        )
    out.mkdir(parents=True, exist_ok=True)
    held: dict[tuple[str, str], list[Trial]] = {}
    for trial in trials:
        held.setdefault((trial.set, trial.system), []).append(trial)
    written = []
    for (name, system), found in held.items():
        stem = f"{name}--{''.join(char if char.isalnum() else '-' for char in system)}"
        for ending, text in FORMS[to](found, texts.get(name, {})):
            path = out / f"{stem}.{ending}"
            path.write_text(text, encoding="utf-8")
            written.append(path)
    return written


def _ragas(trials: Sequence[Trial], texts: Texts) -> Iterator[tuple[str, str]]:
    """Yield lines of Ragas' `SingleTurnSample`."""
    lines = [
        {
            "user_input": trial.question,
            "response": trial.answer or "",
            "reference": trial.golden[0],
            "retrieved_contexts": _contexts(trial, texts),
        }
        for trial in trials
        if trial.golden
    ]
    yield "jsonl", "".join(f"{_json(line)}\n" for line in lines)


def _ragchecker(trials: Sequence[Trial], texts: Texts) -> Iterator[tuple[str, str]]:
    """Yield RAGChecker's `RAGResults`."""
    results = [
        {
            "query_id": trial.case,
            "query": trial.question,
            "gt_answer": trial.golden[0],
            "response": trial.answer or "",
            "retrieved_context": [{"doc_id": id, "text": texts.get(id, "")} for id in trial.sent],
        }
        for trial in trials
        if trial.golden
    ]
    yield "json", _json({"results": results}) + "\n"


def _deepeval(trials: Sequence[Trial], texts: Texts) -> Iterator[tuple[str, str]]:
    """Yield test cases by DeepEval's key names, for `EvaluationDataset.add_test_cases_from_json_file`."""
    cases = [
        {
            "name": trial.case,
            "input": trial.question,
            "actual_output": trial.answer or "",
            "expected_output": trial.golden[0],
            "retrieval_context": _contexts(trial, texts),
        }
        for trial in trials
        if trial.golden
    ]
    yield "json", _json(cases) + "\n"


def _trec(trials: Sequence[Trial], texts: Texts) -> Iterator[tuple[str, str]]:
    """Yield a run of documents, best first with falling scores, and the qrels of the gold ones."""
    run, qrels = [], []
    for trial in trials:
        documents = dict.fromkeys(_word(id.partition("@")[0]) for id in trial.ranked)
        tag = "".join(char if char.isalnum() else "-" for char in trial.system)
        run += [
            f"{_word(trial.case)} Q0 {document} {place} {len(documents) - place + 1} {tag}\n"
            for place, document in enumerate(documents, 1)
        ]
        golden = dict.fromkeys(_word(id.partition("@")[0]) for id in trial.gold)
        qrels += [f"{_word(trial.case)} 0 {document} 1\n" for document in golden]
    yield "run", "".join(run)
    yield "qrels", "".join(qrels)


def _word(id: str) -> str:
    """Return an id without blanks, which end a field of TREC's."""
    return "_".join(id.split())


def _contexts(trial: Trial, texts: Texts) -> list[str]:
    return [texts[id] for id in trial.sent if id in texts]


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


FORMS: Final[Mapping[str, Callable[[Sequence[Trial], Texts], Iterator[tuple[str, str]]]]] = {
    "ragas": _ragas,
    "ragchecker": _ragchecker,
    "deepeval": _deepeval,
    "trec": _trec,
}
