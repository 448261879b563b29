"""The rerankers on dev parts, retrieval over whole corpora: their order, how many they send, and the answers that come of it.

Weights are frozen before: they are trained on train parts alone (experiments/rerank). Needs shared/data and $REMIT_STORES, see
experiments/rerank/material.py. $REMIT_ANSWERED says how many questions a set are answered, $REMIT_SCORED for how many the pointwise
scorers, which read every candidate, are measured. Answers of a chat model: bench/rerank_chat.py.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "experiments" / "rerank"))

from generated import save  # noqa: E402
from material import DATA, STORES, WORK, Bench, Case  # noqa: E402
from tqdm import tqdm  # noqa: E402

from remit.adapters.minilm import MiniLm  # noqa: E402
from remit.contract.budget import Budget, Limits  # noqa: E402
from remit.llm.cancel import Patience  # noqa: E402
from remit.measure.bootstrap import Interval, interval  # noqa: E402
from remit.measure.ranking import hit_by_answer, ndcg, recall  # noqa: E402
from remit.measure.text import best, exact_match  # noqa: E402
from remit.rerank.encoder import EncoderReranker  # noqa: E402
from remit.rerank.head import Head  # noqa: E402
from remit.rerank.pair_head import PairHead  # noqa: E402
from remit.rerank.plackett_luce import greedy, whole_order  # noqa: E402
from remit.rerank.score import MaxSim, Scorer  # noqa: E402
from remit.train.environment import Said  # noqa: E402
from remit.train.reward import f1_reward  # noqa: E402

SETS = ("hotpotqa", "2wiki", "nq")
ANSWERED = int(os.environ.get("REMIT_ANSWERED", "1000"))
FIXED = (1, 3, 5, 10, 15)
SCORED = int(os.environ.get("REMIT_SCORED", "150"))
SEED, BOUND_MS, SHUFFLES, SHOWN = 17, 60.0, 5, 20

Rows = tuple[int, ...]


def groups(cases: list[Case]) -> list[str]:
    return [case.instance.question.group for case in cases]


def mean(values: list[float], cases: list[Case]) -> Interval:
    held = np.array(values, dtype=np.float64)
    return interval(lambda rows: float(held[rows].mean()), groups(cases), seed=SEED)


def ranked(cases: list[Case], orders: dict[str, dict[str, Rows]]) -> list[dict[str, object]]:
    """Return a row a policy: its order before any stop against gold documents, and what the encoder gains over it."""
    figures: dict[str, dict[str, dict[str, float]]] = {}
    for name, order in orders.items():
        figures[name] = {}
        for case in (case for case in cases if case.instance.question.id in order):
            documents, gold = case.documents(order[case.instance.question.id]), case.instance.question.gold
            held = {f"R@{k}": recall(documents, gold, k) or 0.0 for k in (5, 10, 20)}
            figures[name][case.instance.question.id] = {"nDCG@10": ndcg(documents, gold) or 0.0, **held}
    rows: list[dict[str, object]] = []
    for name, found in figures.items():
        asked = [case for case in cases if case.instance.question.id in found]
        row: dict[str, object] = {"set": cases[0].set, "n": len(asked), "order": name}
        for measure in ("nDCG@10", "R@5", "R@10", "R@20"):
            row[measure] = round(float(np.mean([held[measure] for held in found.values()])), 3)
        for measure in ("nDCG@10", "R@5"):
            ids = [case.instance.question.id for case in asked]
            gains = [figures["encoder"][id][measure] - found[id][measure] for id in ids]
            row[f"{measure} of encoder - this"] = "" if name == "encoder" else str(mean(gains, asked))
        rows.append(row)
    return rows


def answered(
    cases: list[Case],
    ways: dict[str, dict[str, Rows]],
    say: Callable[[list[tuple[Case, Rows]], str], list[Said]],
    by: str,
    *,
    named: str = "",
) -> list[dict[str, object]]:
    """Return a row a way to choose passages, and last what the chosen number gains over the best fixed one."""
    rows, f1, named = [], {}, named or cases[0].set
    for way, chosen in ways.items():
        sent = [(case, chosen[case.instance.question.id]) for case in cases]
        said = say(sent, way)
        golden = [case.instance.question.golden for case in cases]
        f1[way] = [f1_reward(one.answer, gold) for one, gold in zip(said, golden, strict=True)]
        em = [best(exact_match, one.answer or "", gold) for one, gold in zip(said, golden, strict=True)]
        hits = [case.asked(taken).hits for case, taken in sent]
        words = [sum(len(hit.passage.text.split()) for hit in each) for each in hits]
        gold = [recall(case.documents(taken), case.instance.question.gold, 45) or 0.0 for case, taken in sent]
        held = [
            hit_by_answer([hit.passage.text for hit in each], one, 45) for each, one in zip(hits, golden, strict=True)
        ]
        rows.append({
            "set": named, "n": len(cases), "answers by": by, "sent": way, "EM": round(float(np.mean(em)), 3), "F1": str(mean(f1[way], cases)),
            "passages": round(float(np.mean([len(taken) for _, taken in sent])), 2), "words": round(float(np.mean(words))),
            "gold recall": round(float(np.mean(gold)), 3), "answer hit": round(float(np.mean(held)), 3),
        })  # fmt: skip
    fixed = [way for way in ways if way.startswith("first ")]
    top = max(fixed, key=lambda way: float(np.mean(f1[way])))
    per_question = [max(f1[way][at] for way in fixed) for at in range(len(cases))]
    sent_fixed = next(row["passages"] for row in rows if row["sent"] == top)
    for way in (way for way in ways if way.startswith("encoder")):
        gain = mean([one - other for one, other in zip(f1[way], f1[top], strict=True)], cases)
        fewer = 1 - float(str(next(row["passages"] for row in rows if row["sent"] == way))) / float(str(sent_fixed))
        rows.append({**dict.fromkeys(rows[0], ""), "set": named, "n": len(cases), "answers by": by, "sent": f"{way} - {top}", "F1": str(gain), "passages": f"{-fewer:+.0%}"})  # fmt: skip
    best_k = {**dict.fromkeys(rows[0], ""), "set": named, "n": len(cases), "answers by": by}
    rows.append({**best_k, "sent": "best fixed k of each question (oracle)", "F1": f"{np.mean(per_question):.3f}"})
    return rows


def ways_of(cases: list[Case], head: Head) -> dict[str, dict[str, Rows]]:
    whole = {case.instance.question.id: whole_order(head, case.seen, depth=15) for case in cases}
    ways = {f"first {k}": {case.instance.question.id: case.found[:k] for case in cases} for k in FIXED}
    ways |= {f"reordered {k}": {id: rows[:k] for id, rows in whole.items()} for k in (1, 3)}
    ways["encoder"] = {case.instance.question.id: case.sent(greedy(head, case.seen).rows) for case in cases}
    ways["gold (oracle)"] = {case.instance.question.id: case.gold for case in cases}
    return ways


def together(benches: list[Bench], head: Head) -> list[dict[str, object]]:
    """Return the rows of equally many questions of every set: one number has to do for all of them, or is chosen for each."""
    few, by_set = min(ANSWERED, *(len(bench.cases) for bench in benches)), dict(zip(SETS, benches, strict=True))
    cases = [case for bench in benches for case in bench.cases[:few]]

    def say(sent: list[tuple[Case, Rows]], _: str) -> list[Said]:
        return [by_set[case.set].extractive.answer(case.asked(rows)) for case, rows in sent]

    return answered(cases, ways_of(cases, head), say, "extractive", named=f"all, {few} of each")


def reordered(bench: Bench, head: Head) -> tuple[int, float]:
    """Return for how many questions shuffled candidates are ranked otherwise, and the median milliseconds of a ranking."""
    chance, policy = np.random.default_rng(SEED), EncoderReranker(bench.shelf.encoder, bench.stored, head=head)
    budget, changed, times = Budget.of(Limits(), now=0.0), 0, []
    for case in bench.cases[:100]:
        hits, contract = case.instance.candidates.hits, case.instance.contract
        first = policy.rank(contract, case.instance.candidates, bench.shelf.scope, budget, Patience())
        for _ in range(SHUFFLES):
            mixed = tuple(hits[at] for at in chance.permutation(len(hits)))
            began = time.thread_time()
            again = policy.rank(contract, case.instance.candidates.model_copy(update={"hits": mixed}), bench.shelf.scope, budget, Patience())  # fmt: skip
            times.append(1000 * (time.thread_time() - began))
            changed += again != first
    return changed, float(np.median(times))


class _Kept:
    """An encoder that reads each text once."""

    def __init__(self, encoder: MiniLm) -> None:
        self.name, self._encoder, self._states = encoder.name, encoder, {}

    def read_pair(self, first: str, second: str) -> object:
        if first not in self._states:
            self._states[first] = self._encoder.read_pair(first, second)
        return self._states[first]


class Scores:
    """A scorer's scores of the first candidates, kept by question: reading them all takes a while."""

    def __init__(self, scorer: Scorer) -> None:
        self._scorer, self._file = scorer, WORK / "scores.jsonl"
        lines = self._file.read_text(encoding="utf-8").splitlines() if self._file.exists() else ()
        self._kept = {tuple(line["key"]): line["scores"] for line in map(json.loads, lines)}

    def order(self, case: Case) -> Rows:
        """Return the first candidates by their score, best first."""
        hits = case.instance.candidates.hits[:SHOWN]
        key = (self._scorer.name, case.set, case.instance.question.id, len(hits))
        if key not in self._kept:
            self._kept[key] = list(self._scorer.score(case.instance.contract.claim, hits, Patience()))
            with self._file.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"key": key, "scores": self._kept[key]}) + "\n")
        order = sorted(zip(self._kept[key], hits, strict=True), key=lambda one: (-one[0], one[1].passage.id))
        return tuple(case.seen.row(hit.passage.id) for _, hit in order)


def main() -> int:
    """Print the tables and write them down; 1 where ranking takes longer than its bound, or shuffling changes it."""
    if not DATA.exists() or not all((STORES / name).exists() for name in SETS):
        print("no shared/data, or no stores of its corpora: nothing to measure")
        return 0
    head, order_rows, answer_rows, notes, slow = Head.read(), [], [], [], 0.0
    scorers = {"MaxSim": Scores(MaxSim(_Kept(MiniLm()))), "pair head": Scores(PairHead(MiniLm(cached=0)))}
    with ExitStack() as opened:
        benches = [opened.enter_context(Bench(name, "dev", "2026-11-30")) for name in SETS]
        for name, bench in zip(SETS, benches, strict=True):
            cases = bench.cases
            orders = {"found": {case.instance.question.id: case.found for case in cases}}
            orders["encoder"] = {case.instance.question.id: whole_order(head, case.seen, depth=20) for case in cases}
            for scorer, scores in scorers.items() if SCORED else ():
                told = tqdm(cases[:SCORED], desc=f"{name} {scorer}", unit="question")
                orders[f"{scorer} of the first {SHOWN}"] = {
                    case.instance.question.id: scores.order(case) for case in told
                }
            order_rows += ranked(cases, orders)
            print(*order_rows[-len(orders) :], sep="\n", flush=True)
            ways = ways_of(cases, head)
            answer_rows += answered(cases[:ANSWERED], ways, bench.say, "extractive")
            print(*answer_rows[-len(ways) - 2 :], sep="\n", flush=True)
            if SCORED:
                scored = {
                    f"{scorer} {k}": {id: rows[:k] for id, rows in orders[f"{scorer} of the first {SHOWN}"].items()}
                    for scorer in scorers
                    for k in (1, 3)
                }
                answer_rows += answered(cases[:SCORED], {**ways, **scored}, bench.say, "extractive, of these few")
            numbers = np.bincount([len(rows) for rows in ways["encoder"].values()], minlength=16)
            notes.append(f"{name}: distribution of k from 0 to 15: {' '.join(map(str, numbers))}")
            changed, milliseconds = reordered(bench, head)
            slow = max(slow, milliseconds)
            notes.append(f"{name}: {changed} of {SHUFFLES * min(100, len(cases))} shuffles change encoder's ranking; p50 {milliseconds:.0f} ms of processor time, 45 candidates (bound {BOUND_MS:.0f})")  # fmt: skip
            if changed:
                slow = np.inf
        answer_rows += together(benches, head)
    notes.append(
        f"weights {head.digest}; 95 % percentile intervals over groups; R and nDCG count gold documents, answer hit an answer's words"
    )
    save("rerank_order", "Order of the candidates before any stop", order_rows, notes)
    save("rerank", "Answers from what is sent", answer_rows, notes)
    return int(slow > BOUND_MS)


if __name__ == "__main__":
    sys.exit(main())
