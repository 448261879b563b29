"""What mends the four revision failures of the protocol: better metadata or a better encoder. Prints a table and writes report.md.

    python experiments/revisions/attribution.py --store STORE --questions train.jsonl --out FOLDER

A terse current revision stands beside the detailed old one that it replaces, with another value. As it is, the metadata do not say
so: the old one only calls itself obsolete in its title; or neither says anything; or both claim to be current; or the new one
is not readable for the asker. Repaired, the old one is superseded by the new one, and nothing else is changed: labels stay.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import numpy as np
from tqdm import tqdm

from remit.adapters.table import adapter
from remit.cases.build import build_cases
from remit.cases.case import REVISION_KINDS, Case
from remit.cases.material import Changes
from remit.cases.questions import read_questions
from remit.cases.variant import STORE, holding, make_variant
from remit.corpus.encoding import EncoderChoice
from remit.corpus.sqlite import SqliteCorpus
from remit.decide.decision import Action
from remit.evaluate.desk import Desk
from remit.evaluate.result import Result
from remit.measure.bootstrap import interval
from remit.record.setup import read_point
from remit.settings import Settings

HERE = Path(__file__).parent
NAMES = {
    "stale": "old revision only called obsolete",
    "unlabelled-revision": "neither labelled",
    "conflicting-metadata": "both claim to be current",
    "inaccessible-replacement": "replacement not readable",
}
WORSE, BETTER = "static", "minilm"
SEED = 31


class Column(NamedTuple):
    """One column: whether the metadata are repaired, and the encoder."""

    title: str
    repaired: bool
    encoder: str


COLUMNS = (
    Column("as it is", repaired=False, encoder=WORSE),
    Column("metadata repaired", repaired=True, encoder=WORSE),
    Column("better encoder", repaired=False, encoder=BETTER),
    Column("both", repaired=True, encoder=BETTER),
)


def lines_of(kind: str, lines: list[dict], *, repaired: bool) -> list[dict]:
    """Return the old and the new revision's lines of a case, as they are or repaired."""
    old, new = ({k: v for k, v in line.items() if k not in {"status", "supersedes"}} for line in lines)
    mended = {"status": "current", "supersedes": [f"{old['document']}@{old['revision']}"], "valid_from": "2000-01-02"}
    if repaired:
        return [{**old, "status": "superseded"}, {**new, **mended}]
    if kind == "stale":
        return [
            {**old, "title": f"{old['title']} (obsolete)"},
            {**new, "status": "current", "valid_from": "2000-01-02"},
        ]
    if kind == "unlabelled-revision":
        return [old, {k: v for k, v in new.items() if k != "valid_from"}]
    if kind == "conflicting-metadata":
        return [{**old, "status": "current"}, {**new, "status": "current"}]
    return [{**old, "status": "current"}, {**new, **mended}]


def wanted(case: Case, lines: list[dict]) -> Case:
    """Return the case with the value in force as its golden answer; where the asker may not read it, none is acceptable."""
    new = f"{lines[1]['document']}@{lines[1]['revision']}"
    other = ast.literal_eval(re.fullmatch(r"""(?:'.*?'|".*?") and ('.*'|".*")""", case.note)[1])
    acceptable = (Action.ABSTAIN, Action.DENY) if case.kind == "inaccessible-replacement" else (Action.ANSWER,)
    return case.model_copy(update={"golden_answers": (other,), "gold_documents": (new,), "acceptable": acceptable})


def shown(results: Iterable[Result], column: str) -> str:
    """Return right and wrong as a cell: the value in force answered (or nothing, where it may not be read), and another value."""
    held = list(results)
    good = np.array([r.supported is True if r.answerable else r.acted_right for r in held], dtype=float)
    bad = np.array([r.answered and not r.supported for r in held], dtype=float)
    groups = [r.group for r in held]
    figures = [str(interval(lambda rows, v=v: float(v[rows].mean()), groups, seed=SEED)) for v in (good, bad)]
    return " / ".join(figures)


def main() -> None:
    """Build, ask, and print."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--store", type=Path, required=True)
    options.add_argument("--questions", type=Path, required=True)
    options.add_argument("--out", type=Path, required=True)
    options.add_argument("--limit", type=int, default=120)
    said = options.parse_args()
    now = datetime(2026, 11, 30, 12, tzinfo=UTC)
    with SqliteCorpus.open(said.store) as corpus:
        documents = holding(corpus, at=now.date())
    questions = read_questions(said.questions, asker="reader")
    made = build_cases(documents, questions, seed=SEED, shares=dict.fromkeys(REVISION_KINDS, 1), limit=said.limit)
    built = [case for case in made.cases if case.kind in REVISION_KINDS]
    by_document = {line["document"]: [] for line in made.changes.lines}
    for line in made.changes.lines:
        by_document[line["document"]].append(line)
    pairs = {case.id: by_document[next(iter(_documents(case, by_document, questions)))] for case in built}
    cases = [wanted(case, pairs[case.id]) for case in built]
    results: dict[str, list[Result]] = {}
    for column in COLUMNS:
        lines = [line for case in cases for line in lines_of(case.kind, pairs[case.id], repaired=column.repaired)]
        folder = said.out / column.title.replace(" ", "-")
        choice = EncoderChoice(kind=column.encoder)
        if not (folder / STORE).exists():
            first = EncoderChoice(kind=BETTER)
            changes = Changes(delete=made.changes.delete, lines=lines)
            make_variant(said.store, folder, changes, adapter(first.adapter)(**first.arguments), now=now)
            if column.encoder != BETTER:
                with SqliteCorpus.open(folder / STORE) as corpus:
                    corpus.reembed(adapter(choice.adapter)(**choice.arguments), now=now)
        with Desk(folder / STORE, Settings(encoder=choice)) as desk:
            point = read_point(None)
            results[column.title] = [
                desk.ask(case, point, system=column.title) for case in tqdm(cases, desc=column.title)
            ]
    report(results, cases)


def _documents(case: Case, lines: dict[str, list], questions: Iterable) -> list[str]:
    question = next(one for one in questions if one.id == case.source)
    return [document for document in question.gold if len(lines.get(document, ())) == 2]  # noqa: PLR2004 - old and new


def report(results: dict[str, list[Result]], cases: list[Case]) -> None:
    """Print the table and write it beside this file."""
    rows = ["| | n | " + " | ".join(results) + " |", "|---|---|" + "---|" * len(results)]
    for kind, name in NAMES.items():
        count = sum(case.kind == kind for case in cases)
        cells = [shown((r for r in found if r.kind == kind), column) for column, found in results.items()]
        rows.append(f"| {name} | {count} | " + " | ".join(cells) + " |")
    text = "\n".join(
        [
            "# What mends a wrong revision",
            "",
            "Share of cases that end right / share answered with a value that is not in force. Right is an answer whose quotation holds the",
            "value in force; where the asker may not read it, an abstention or a denial. 95 % bootstrap over groups; the default point;",
            f"encoders: {WORSE} and, better, {BETTER}.",
            "",
            *rows,
            "",
        ]
    )
    (HERE / "report.md").write_text(text, encoding="utf-8")
    data = {
        title: [r.model_dump(mode="json", include={"case", "kind", "action", "reason", "supported"}) for r in found]
        for title, found in results.items()
    }
    (HERE / "report.json").write_text(json.dumps(data) + "\n", encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
