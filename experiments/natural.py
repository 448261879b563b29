"""Cases of sets that come with their own kinds of evidence: clapnq (half not answerable) and RAMDocs (contradicting documents).

    python experiments/natural.py clapnq DATA/clapnq/dev.jsonl --store STORES/clapnq --out CASES/clapnq
    python experiments/natural.py ramdocs DATA/ramdocs/dev.jsonl --out CASES/ramdocs

Nothing is transformed. Each RAMDocs question is asked of its own documents only: each asker holds a label of their own. Where several
answers are right, asking back is acceptable too; where documents hold wrong ones, so is a review.
"""

from __future__ import annotations

import argparse
import json
import shutil
from datetime import UTC, datetime
from pathlib import Path

from remit.adapters.table import adapter
from remit.cases.case import Case, write_cases
from remit.cases.variant import STORE
from remit.corpus.encoding import EncoderChoice
from remit.corpus.ingest import ingest
from remit.corpus.sqlite import SqliteCorpus
from remit.decide.decision import Action


def lines(path: Path) -> list[dict]:
    """Return the objects of a JSONL file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def clapnq(rows: list[dict]) -> list[Case]:
    """Return a case for each question; those that the set calls not answerable are to be abstained from."""
    return [
        Case(
            id=row["id"],
            question=row["question"],
            acceptable=(Action.ANSWER,) if row["metadata"]["answerable"] else (Action.ABSTAIN,),
            golden_answers=tuple(row["golden_answers"]),
            gold_documents=tuple(row["metadata"]["gold"]) if row["metadata"]["answerable"] else (),
            kind="answerable" if row["metadata"]["answerable"] else "not answerable",
            group=str(row["metadata"].get("title") or row["id"]),
        )
        for row in rows
    ]


def ramdocs(rows: list[dict]) -> tuple[list[Case], list[dict]]:
    """Return a case for each question, and the documents, each readable for the asker of its question alone."""
    cases, documents = [], []
    for row in rows:
        told, wrong = row["metadata"]["documents"], bool(row["metadata"]["wrong_answers"])
        several = len(row["golden_answers"]) > 1
        acceptable = [Action.ANSWER, *([Action.CLARIFY] if several else []), *([Action.REVIEW] if wrong else [])]
        ids = [f"{row['id']}.{n}" for n in range(len(told))]
        documents += [
            {
                "document": id,
                "labels": [row["id"]],
                "status": "current",
                "authority": "authoritative",
                "text": one["contents"],
            }
            for id, one in zip(ids, told, strict=True)
        ]
        cases.append(
            Case(
                id=row["id"],
                question=row["question"],
                asker=f"reader:{row['id']}",
                acceptable=tuple(acceptable),
                golden_answers=tuple(row["golden_answers"]),
                gold_documents=tuple(id for id, one in zip(ids, told, strict=True) if one["type"] == "correct"),
                kind=f"{'several right' if several else 'one right'}, {'some' if wrong else 'none'} wrong",
                group=row["id"],
            )
        )
    return cases, documents


def main() -> None:
    """Write the cases, and the store they are asked of, into a folder."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("set", choices=("clapnq", "ramdocs"))
    options.add_argument("questions", type=Path)
    options.add_argument("--store", type=Path)
    options.add_argument("--out", type=Path, required=True)
    said = options.parse_args()
    said.out.mkdir(parents=True, exist_ok=True)
    if said.set == "clapnq":
        cases = clapnq(lines(said.questions))
        shutil.copytree(said.store, said.out / STORE)
    else:
        cases, documents = ramdocs(lines(said.questions))
        file = said.out / "documents.jsonl"
        file.write_text("".join(json.dumps(one) + "\n" for one in documents), encoding="utf-8")
        choice = EncoderChoice()
        with SqliteCorpus.open(said.out / STORE, create=True) as corpus:
            ingest([file], corpus, adapter(choice.adapter)(**choice.arguments), now=datetime(2026, 11, 30, tzinfo=UTC))
    write_cases(said.out / "cases.jsonl", cases)


if __name__ == "__main__":
    main()
