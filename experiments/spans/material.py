"""Writes down what the span scorer is trained on: `python material.py FOLDER SET ...`, in the project's environment.

Questions of the training parts of nq, hotpotqa, 2wiki and musique, each with the windows of its gold passages and of a few
others that share its words; the evidence triples of 2wiki as short questions of their own.
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
from gold import DATA, TODAY, Encoder, lines, passages

from remit.answer.span_scorer_features import features
from remit.answer.windows import Placed, windows
from remit.contract.catalogue import Catalogue
from remit.contract.frame import Given, frame
from remit.contract.terms import content_terms, term_set
from remit.retrieve.retriever import Hit

MOST, OTHERS = 6, 2
"""Windows a question is trained on, and passages among them that are not gold."""
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
    "publication date": "When was {} released?",
    "country of citizenship": "What is the nationality of {}?",
    "country of origin": "What country is {} from?",
    "country": "In what country is {} located?",
}


def located(text: str, golden: list[str]) -> list[tuple[int, int]]:
    """Return where golden answers stand in a text, whole words in any case."""
    wanted = [re.escape(answer.strip()) for answer in golden if answer.strip()]
    return sorted(
        {found.span() for one in wanted for found in re.finditer(rf"(?<!\w){one}(?!\w)", text, re.IGNORECASE)}
    )


class Asked:
    """Reads questions and windows with the encoder and keeps what it found."""

    def __init__(self, name: str) -> None:
        self.encoder = Encoder(name)
        self.rows: list[dict] = []
        self.states: list[np.ndarray] = []
        self.seen: list[np.ndarray] = []

    def windows(self, question: str, hits: list[Hit]) -> list[Placed]:
        """Return the windows of passages, those most like the question first."""
        asked = self.encoder.embed([question])[0]
        placed = []
        for hit in hits:
            placed += windows(hit, (self.encoder.sentence_vectors(hit.passage, None) @ asked).tolist())
        return sorted(placed, key=lambda one: -one.best)

    def take(self, about: dict, question: str, golden: list[str], placed: list[Placed]) -> None:
        """Keep a question with its windows."""
        contract = frame(question, Given(today=TODAY), Catalogue(), lambda _: None)
        shown = [one.window for one in placed]
        held = []
        for at, window in enumerate(shown):
            pair = self.encoder._model.read_pair(question, window.text)  # noqa: SLF001 - the bench's own encoder
            self.states.append(pair.states.astype(np.float16))
            self.seen.append(features(contract, shown, at, pair).astype(np.float16))
            held.append(
                {
                    "text": window.text,
                    "title": window.title,
                    "places": pair.places,
                    "second": pair.second,
                    "sentences": [tuple(span) for span in window.sentences],
                    "spans": located(window.text, golden),
                    "gold": placed[at].hit.passage.document in about["gold"],
                    "size": len(pair.places),
                }
            )
        self.rows.append(about | {"question": question, "golden": golden, "windows": held})


def others(question: str, line: dict, held: dict[str, Hit], ranked: dict[str, frozenset[str]]) -> list[Hit]:
    """Return the passages beside the gold ones that share most words with the question."""
    pool = line["metadata"].get("candidates") or ranked
    asked = term_set(question)
    scored = sorted(
        ((len(asked & ranked[id]), id) for id in pool if id not in line["metadata"]["gold"]),
        key=lambda one: (-one[0], one[1]),
    )
    return [held[id] for _, id in scored[:OTHERS]]


def chosen(placed: list[Placed], gold: list[str], golden: list[str]) -> list[Placed]:
    """Return the windows to train on: the best ones, and never without those gold ones that hold the answer."""
    must = [one for one in placed if one.hit.passage.document in gold and located(one.window.text, golden)]
    kept = {id(one) for one in (must[:3] + placed)[:MOST]}
    return [one for one in placed if id(one) in kept]


def steps(name: str, line: dict, held: dict[str, Hit]) -> Iterator[tuple[str, str, list[Hit]]]:
    """Yield the single questions that a multi-hop one is made of, their answers and the passages that hold them."""
    gold = [held[id] for id in line["metadata"]["gold"]]
    if name == "2wiki":
        for about, relation, answer in line["metadata"].get("evidences", []):
            near = [hit for hit in gold if hit.source.title.split(" (")[0].lower() == about.split(" (")[0].lower()]
            if near:
                yield RELATIONS.get(relation, f"What is the {relation} of {{}}?").format(about), answer, near


def main() -> None:
    """Write NAME.json, NAME.npz (states and features) and print digests."""
    options = argparse.ArgumentParser()
    options.add_argument("folder", type=Path)
    options.add_argument("sets", nargs="+")
    options.add_argument("--part", default="train")
    o = options.parse_args()
    o.folder.mkdir(parents=True, exist_ok=True)
    for name in o.sets:
        held, kept = passages(name), Asked(name)
        ranked = {
            id: frozenset(t.term for t in content_terms(f"{hit.source.title} {hit.passage.text}"))
            for id, hit in held.items()
        }
        for line in lines(name, o.part):
            golden, question, gold = line["golden_answers"], line["question"], line["metadata"]["gold"]
            group = line["metadata"].get("title") or line["id"]
            about = {"id": line["id"], "group": group, "gold": gold}
            if golden[0].strip().lower() not in {"yes", "no"}:
                hits = [*(held[id] for id in gold), *others(question, line, held, ranked)]
                kept.take(about | {"set": name}, question, golden, chosen(kept.windows(question, hits), gold, golden))
            for text, answer, near in steps(name, line, held) if o.part == "train" else []:
                kept.take(
                    about | {"set": f"{name} step"},
                    text,
                    [answer],
                    chosen(kept.windows(text, near), gold, [answer])[:3],
                )
        kept.encoder.keep()
        text = json.dumps(kept.rows)
        (o.folder / f"{name}.json").write_text(text)
        np.savez(o.folder / f"{name}.npz", states=np.concatenate(kept.states), features=np.concatenate(kept.seen))
        read = hashlib.sha256((DATA / name / f"{o.part}.jsonl").read_bytes()).hexdigest()[:16]
        print(
            json.dumps(
                {
                    "set": name,
                    "rows": len(kept.rows),
                    "windows": len(kept.states),
                    "material": hashlib.sha256(text.encode()).hexdigest()[:16],
                    "read": read,
                }
            ),
            flush=True,
        )


if __name__ == "__main__":
    main()
