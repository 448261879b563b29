"""DynamicRAG's ablations on the questions held out: how many candidates, which retriever, with and without the reranker.

    python experiments/dynamicrag/ablations.py OUT --data DATA --stores STORES [--most N]

OUT is what `remit train reranker` wrote. Each row answers the same questions by the extractive answerer; answers are kept in OUT. The
first ten passages found stand for a system without a reranker, as in the paper.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tqdm import tqdm

from remit.access.scope import Scope
from remit.answer.extract import Extractive
from remit.corpus.sqlite import SqliteCorpus
from remit.measure.bertscore import TokenMatch
from remit.measure.bootstrap import Interval
from remit.parts import encoder_of
from remit.rerank.head import Head
from remit.rerank.plackett_luce import greedy
from remit.retrieve.hybrid import HybridRetriever
from remit.retrieve.retriever import Search
from remit.settings import Settings
from remit.train.dynamic_schedule import DynamicSchedule
from remit.train.dynamic_table import FIGURES, rows
from remit.train.environment import Asked, Kept, Quoting
from remit.train.instances import DEPTH, Instance, Shelf
from remit.train.questions import Question
from remit.train.recipe import material_of, read_recipe
from remit.train.reranker_trial import Case
from remit.train.reward import f1_reward, reward, terms

LEGS = {"fused": {}, "BM25": {"dense_weight": 0.0}, "dense": {"lexical_weight": 0.0}}
"""What each retriever counts; fused is the default."""
TOPS = (10, 20)
SENT = 10


class Opened(NamedTuple):
    """A set's store, its questions held out, and the answerer whose answers are kept."""

    name: str
    shelf: Shelf
    corpus: SqliteCorpus
    environment: Kept
    questions: list[Question]

    @property
    def scope(self) -> Scope:
        return self.shelf.scope

    def cases(self, leg: str, depth: int) -> list[Case]:
        """Return the questions with so many candidates of one retriever."""
        retriever, found = HybridRetriever(self.corpus, self.shelf.encoder, **LEGS[leg]), []  # type: ignore[arg-type]
        for question in tqdm(self.questions, desc=f"{self.name} {leg} {depth}", unit="question"):
            contract = self.shelf.contract(question.text)
            search = Search(contract.claim, depth, contract.wanted)
            candidates = retriever.search(search, self.scope, self.shelf.snapshot)
            instance = Instance(question, contract, candidates, frozenset(), len(question.gold))
            found.append(Case(instance, self.name, self.shelf.seen(instance)))
        return found


def figures(
    opened: Opened, cases: Sequence[Case], head: Head | None, similarity: TokenMatch
) -> Iterator[dict[str, float]]:
    """Yield the figures of each question: what the head sends, or the first passages where there is none."""
    for case in tqdm(cases, desc=f"{opened.name} answers", unit="question"):
        hits = case.instance.candidates.hits
        if head is not None:
            by_id = {hit.passage.id: hit for hit in hits}
            hits = tuple(by_id[case.seen.ids[row]] for row in greedy(head, case.seen).rows)
        hits, golden = hits[: 15 if head is not None else SENT], case.instance.question.golden
        said = opened.environment.answer(Asked(case.instance.contract, hits))
        measured = terms(said.answer, golden, similarity=similarity)
        yield {
            "reward": reward([measured]).rewards[0], "exact": measured.exact,
            "f1": f1_reward(said.answer, golden), "k": float(len(hits)),
        }  # fmt: skip


def table(sets: Sequence[Opened], heads: dict[str, Head]) -> list[dict[str, Any]]:
    """Return the rows of every retriever and number of candidates."""
    similarity = TokenMatch(encoder_of(Settings()))  # type: ignore[arg-type] # it reads tokens
    plans = [(leg, DEPTH) for leg in LEGS] + [("fused", top) for top in TOPS]
    held: dict[str, dict[str, list[float]]] = {}
    asked: list[Case] = []
    for opened in sets:
        for leg, depth in plans:
            cases = opened.cases(leg, depth)
            asked += cases if (leg, depth) == plans[0] else []
            systems: dict[str, Head | None] = {"no reranker": None, **heads} if depth == DEPTH else dict(heads)
            for name, head in systems.items():
                row = held.setdefault(f"{leg} {depth}, {name}", {figure: [] for figure in FIGURES})
                for one in figures(opened, cases, head, similarity):
                    for figure, value in one.items():
                        row[figure].append(value)
    return rows(held, asked, against=f"fused {DEPTH}, no reranker")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("out", type=Path)
    options.add_argument("--recipe", type=Path, default=Path(__file__).with_name("reranker.toml"))
    options.add_argument("--data", type=Path, required=True)
    options.add_argument("--stores", type=Path, required=True)
    options.add_argument("--most", type=int, default=100, help="questions of a set")
    given = options.parse_args()
    recipe = read_recipe(given.recipe, "reranker", DynamicSchedule).recipe
    material = material_of(recipe, data=given.data, stores=given.stores)
    heads = {"without RL": Head.read(given.out / "start.safetensors"), "DynamicRAG": Head.read(given.out / "reranker")}
    sets = []
    for name, questions in material.held.items():
        shelf, corpus = Shelf(material.stores[name], day=recipe.today), SqliteCorpus.open(material.stores[name])
        answerer = Extractive(shelf.encoder, HybridRetriever(corpus, shelf.encoder))
        environment = Kept(Quoting(answerer, shelf.scope), given.out / "answers" / f"{name}.jsonl")
        sets.append(Opened(name, shelf, corpus, environment, list(questions)[: given.most]))
    made = [
        {key: list(value) if isinstance(value, Interval) else value for key, value in row.items()}
        for row in table(sets, heads)
    ]
    (given.out / "ablations.json").write_text(json.dumps(made, ensure_ascii=False) + "\n", encoding="utf-8")
    for row in made:
        if row["set"] == "all":
            print(row["system"], {figure: round(row[figure][0], 4) for figure in FIGURES})


if __name__ == "__main__":
    main()
