"""Writes down what the span scorer is trained on: `python material.py FOLDER`, in the project's environment.

Questions of the training parts of nq, hotpotqa and 2wiki with their gold passages: of each up to three sentences that hold
a golden answer word for word and the most alike one that holds none; and the evidence triples of 2wiki as short questions.
"""

import argparse
import hashlib
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))
from gold import DATA, TODAY, Case, cases

from remit.adapters.minilm import MiniLm
from remit.answer.span_scorer_features import features
from remit.contract.catalogue import Catalogue
from remit.contract.frame import Given, frame
from remit.contract.terms import term_set

SETS = ("2wiki", "hotpotqa", "nq")
WITH, WITHOUT = 3, 1
RELATIONS = {
    "date of birth": "When was {} born?",
    "date of death": "When did {} die?",
    "director": "Who directed {}?",
    "performer": "Who performed {}?",
    "composer": "Who composed {}?",
    "place of birth": "Where was {} born?",
    "place of death": "Where did {} die?",
    "spouse": "Who was married to {}?",
    "father": "Who was the father of {}?",
    "mother": "Who was the mother of {}?",
}


def located(text: str, golden: list[str]) -> list[tuple[int, int]]:
    """Return where golden answers stand in a text, whole words in any case."""
    wanted = [re.escape(answer.strip()) for answer in golden if answer.strip()]
    return sorted(
        {found.span() for one in wanted for found in re.finditer(rf"(?<!\w){one}(?!\w)", text, re.IGNORECASE)}
    )


def rows_of(name: str, case: Case) -> Iterator[dict]:
    """Yield the sentences of a question to learn from."""
    if case.golden[0].lower() in {"yes", "no"}:
        return
    asked, scored = term_set(case.contract.question), []
    for hit in case.ranking.hits:
        title = hit.source.title
        for span in hit.passage.sentences:
            sentence = hit.passage.quote(span)
            shared = len(asked & term_set(sentence)) + 0.3 * len(asked & term_set(title))
            scored.append((shared, sentence, located(sentence, case.golden), title))
    scored.sort(key=lambda one: -one[0])
    chosen = [one for one in scored if one[2]][:WITH] + [one for one in scored if not one[2]][:WITHOUT]
    group = case.line["metadata"].get("title") or case.id
    for _, sentence, spans, title in chosen:
        yield {
            "set": name, "id": case.id, "group": group, "question": case.contract.question, "sentence": sentence,
            "title": title, "spans": spans, "golden": case.golden,
        }  # fmt: skip


def triples_of(case: Case) -> Iterator[dict]:
    """Yield what the evidence triples of a 2wiki question ask and answer."""
    for about, relation, answer in case.line["metadata"].get("evidences", []):
        question = RELATIONS.get(relation, f"What is the {relation} of {{}}?").format(about)
        for hit in case.ranking.hits:
            if hit.source.title.split(" (")[0].lower() != about.split(" (")[0].lower():
                continue
            sentences = [hit.passage.quote(span) for span in hit.passage.sentences]
            held = [(sentence, spans) for sentence in sentences if (spans := located(sentence, [answer]))]
            for sentence, spans in held[:1]:
                yield {
                    "set": "2wiki-triple", "id": case.id, "group": case.id, "question": question, "sentence": sentence,
                    "title": hit.source.title, "spans": spans, "golden": [answer],
                }  # fmt: skip


def main() -> None:
    """Write pairs.json, pairs.npz (states) and feats.npz, and print their digests."""
    options = argparse.ArgumentParser()
    options.add_argument("folder", type=Path)
    folder = options.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    encoder, rows = MiniLm(), []
    for name in SETS:
        for case in cases(name, "train"):
            rows += rows_of(name, case)
            rows += triples_of(case) if name == "2wiki" else []
    states, seen = [], []
    for row in rows:
        pair = encoder.read_pair(row["question"], row["sentence"])
        contract = frame(row["question"], Given(today=TODAY), Catalogue(), lambda _: None)
        row |= {"places": pair.places, "second": pair.second}
        states.append(pair.states.astype(np.float16))
        seen.append(features(contract, row["sentence"], row["title"], pair).astype(np.float16))
    text = json.dumps(rows)
    (folder / "pairs.json").write_text(text)
    np.savez(folder / "pairs.npz", states=np.concatenate(states), lengths=np.array([len(one) for one in states]))
    np.savez_compressed(folder / "feats.npz", features=np.concatenate(seen))
    read = {name: hashlib.sha256((DATA / name / "train.jsonl").read_bytes()).hexdigest()[:16] for name in SETS}
    print(json.dumps({"rows": len(rows), "pairs": hashlib.sha256(text.encode()).hexdigest()[:16], "train files": read}))


if __name__ == "__main__":
    main()
