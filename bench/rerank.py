"""The rerankers on dev parts, retrieval over whole corpora: their order, how many they send, and the answers that come of it.

Weights are frozen before: they are trained on train parts alone (experiments/rerank). Needs shared/data and $REMIT_STORES, see
experiments/rerank/material.py. Where $REMIT_GGUF names a chat model its answers, and its listwise choices, stand beside those of
the extractive answerer; $REMIT_FEW says for how many questions a set, and for how many MaxSim is
taken; $REMIT_ANSWERED, how many questions a set are answered at all.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "experiments" / "rerank"))

from generated import save  # noqa: E402
from material import DATA, STORES, WORK, Bench, Case  # noqa: E402

from remit.adapters.gguf import GgufChat  # noqa: E402
from remit.adapters.minilm import MiniLm  # noqa: E402
from remit.contract.budget import Budget, Limits  # noqa: E402
from remit.llm.cancel import Patience  # noqa: E402
from remit.measure.bootstrap import Interval, interval  # noqa: E402
from remit.measure.ranking import hit_by_answer, ndcg, recall  # noqa: E402
from remit.measure.text import best, exact_match  # noqa: E402
from remit.rerank.cutoff import Cutoff  # noqa: E402
from remit.rerank.encoder import EncoderReranker  # noqa: E402
from remit.rerank.head import Head  # noqa: E402
from remit.rerank.listwise import Listwise  # noqa: E402
from remit.rerank.plackett_luce import greedy, whole_order  # noqa: E402
from remit.rerank.score import MaxSim  # noqa: E402
from remit.train.environment import Kept, Said, ShortAnswers  # noqa: E402
from remit.train.reward import f1_reward  # noqa: E402

SETS = ("hotpotqa", "2wiki", "nq")
ANSWERED = int(os.environ.get("REMIT_ANSWERED", "1000"))
FIXED = (1, 3, 5, 10, 15)
FEW = int(os.environ.get("REMIT_FEW", "0"))
SEED, BOUND_MS, SHUFFLES = 17, 60.0, 5

Rows = tuple[int, ...]


def groups(cases: list[Case]) -> list[str]:
    return [case.instance.question.group for case in cases]


def mean(values: list[float], cases: list[Case]) -> Interval:
    held = np.array(values, dtype=np.float64)
    return interval(lambda rows: float(held[rows].mean()), groups(cases), seed=SEED)


def ranked(cases: list[Case], orders: dict[str, dict[str, Rows]]) -> list[dict[str, object]]:
    """Return a row a policy: its order before any stop against gold documents, and its gain over the order found."""
    rows: list[dict[str, object]] = []
    figures: dict[str, dict[str, list[float]]] = {}
    for name, order in orders.items():
        asked = [case for case in cases if case.instance.question.id in order]
        found: dict[str, list[float]] = {"nDCG@10": [], "R@5": [], "R@10": [], "R@20": []}
        for case in asked:
            documents, gold = case.documents(order[case.instance.question.id]), case.instance.question.gold
            found["nDCG@10"].append(ndcg(documents, gold) or 0.0)
            for k in (5, 10, 20):
                found[f"R@{k}"].append(recall(documents, gold, k) or 0.0)
        figures[name] = found
        row: dict[str, object] = {"set": cases[0].set, "n": len(asked), "order": name}
        row |= {measure: round(float(np.mean(values)), 3) for measure, values in found.items()}
        if name != "found":
            ids = {case.instance.question.id for case in asked}
            kept = [at for at, case in enumerate(cases) if case.instance.question.id in ids]
            for measure in ("nDCG@10", "R@5"):
                gains = [one - figures["found"][measure][at] for one, at in zip(found[measure], kept, strict=True)]
                row[f"{measure} over found"] = str(mean(gains, asked))
        rows.append({**dict.fromkeys(("nDCG@10 over found", "R@5 over found"), ""), **row})
    names = ("set", "n", "order", "nDCG@10", "R@5", "R@10", "R@20", "nDCG@10 over found", "R@5 over found")
    return [{name: row[name] for name in names} for row in rows]


def answered(
    cases: list[Case],
    ways: dict[str, dict[str, Rows]],
    say: Callable[[list[tuple[Case, Rows]], str], list[Said]],
    by: str,
) -> list[dict[str, object]]:
    """Return a row a way to choose passages, and last what the chosen number gains over the best fixed one."""
    rows, f1 = [], {}
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
            "set": cases[0].set, "n": len(cases), "answers by": by, "sent": way, "EM": round(float(np.mean(em)), 3), "F1": str(mean(f1[way], cases)),
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
        rows.append({**dict.fromkeys(rows[0], ""), "set": cases[0].set, "n": len(cases), "answers by": by, "sent": f"{way} - {top}", "F1": str(gain), "passages": f"{-fewer:+.0%}"})  # fmt: skip
    best_k = {**dict.fromkeys(rows[0], ""), "set": cases[0].set, "n": len(cases), "answers by": by}
    rows.append({**best_k, "sent": "best fixed k of each question (oracle)", "F1": f"{np.mean(per_question):.3f}"})
    return rows


def ways_of(cases: list[Case], head: Head) -> dict[str, dict[str, Rows]]:
    whole = {case.instance.question.id: whole_order(head, case.seen, depth=15) for case in cases}
    ways = {f"first {k}": {case.instance.question.id: case.found[:k] for case in cases} for k in FIXED}
    ways |= {f"reordered {k}": {id: rows[:k] for id, rows in whole.items()} for k in (1, 3)}
    ways["encoder"] = {case.instance.question.id: greedy(head, case.seen).rows for case in cases}
    ways["gold (oracle)"] = {case.instance.question.id: case.gold for case in cases}
    return ways


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


def late(cases: list[Case]) -> dict[str, Rows]:
    """Return MaxSim's order of the first 20 candidates."""
    scorer, found = MaxSim(_Kept(MiniLm())), {}
    for case in cases:
        hits = case.instance.candidates.hits[:20]
        scores = scorer.score(case.instance.contract.claim, hits, Patience())
        order = sorted(zip(scores, hits, strict=True), key=lambda one: (-one[0], one[1].passage.id))
        found[case.instance.question.id] = tuple(case.seen.row(hit.passage.id) for _, hit in order)
    return found


class _Kept:
    """An encoder that reads each text once."""

    def __init__(self, encoder: MiniLm) -> None:
        self.name, self._encoder, self._states = encoder.name, encoder, {}

    def read_pair(self, first: str, second: str) -> object:
        if first not in self._states:
            self._states[first] = self._encoder.read_pair(first, second)
        return self._states[first]


def listwise(cases: list[Case], chat: GgufChat, bench: Bench) -> tuple[dict[str, Rows], str]:
    """Return the model's listwise choices among the first 20, and what shuffling the candidates does to them."""
    chance, chosen, alike, changed, failed = np.random.default_rng(SEED), {}, [], 0, 0
    for case in cases:
        sets = []
        for shuffled in (False, True):
            hits = case.instance.candidates.hits[:20]
            hits = tuple(hits[at] for at in chance.permutation(len(hits))) if shuffled else hits
            budget, room = Budget.of(Limits(seconds=1e6), now=0.0), 4096
            given = case.instance.candidates.model_copy(update={"hits": hits})
            ranking = Listwise(chat, Cutoff(most=5), room=room).rank(case.instance.contract, given, bench.shelf.scope, budget, Patience())  # fmt: skip
            failed += ranking.reason.startswith("without")
            rows = tuple(case.seen.row(hit.passage.id) for hit in ranking.hits)
            sets.append(set(rows))
            if not shuffled:
                chosen[case.instance.question.id] = rows
        union = sets[0] | sets[1]
        alike.append(len(sets[0] & sets[1]) / len(union) if union else 1.0)
        changed += sets[0] != sets[1]
    return chosen, f"{cases[0].set}: listwise by {chat.name}: shuffling 20 candidates changes the set for {changed} of {len(cases)} questions (overlap {np.mean(alike):.2f}); {failed} of {2 * len(cases)} calls gave no choice"  # fmt: skip


def main() -> int:
    """Print the tables and write them down; 1 where ranking takes longer than its bound, or shuffling changes it."""
    if not DATA.exists() or not all((STORES / name).exists() for name in SETS):
        print("no shared/data, or no stores of its corpora: nothing to measure")
        return 0
    head, order_rows, answer_rows, notes, slow = Head.read(), [], [], [], 0.0
    chat = GgufChat(Path(os.environ["REMIT_GGUF"])) if "REMIT_GGUF" in os.environ else None
    for name in SETS:
        with Bench(name, "dev", "2026-11-30") as bench:
            cases = bench.cases
            orders = {"found": {case.instance.question.id: case.found for case in cases}}
            orders["encoder"] = {case.instance.question.id: whole_order(head, case.seen, depth=20) for case in cases}
            if FEW:
                few = cases[:FEW]
                orders["encoder, the same few"] = {
                    case.instance.question.id: orders["encoder"][case.instance.question.id] for case in few
                }
                orders["MaxSim of the first 20"] = late(few)
            order_rows += ranked(cases, orders)
            print(*order_rows[-len(orders) :], sep="\n", flush=True)
            ways = ways_of(cases, head)
            answer_rows += answered(cases[:ANSWERED], ways, bench.say, "extractive")
            print(*answer_rows, sep="\n", flush=True)
            numbers = np.bincount([len(rows) for rows in ways["encoder"].values()], minlength=16)
            notes.append(f"{name}: distribution of k from 0 to 15: {' '.join(map(str, numbers))}")
            changed, milliseconds = reordered(bench, head)
            slow = max(slow, milliseconds)
            notes.append(f"{name}: {changed} of {SHUFFLES * min(100, len(cases))} shuffles change encoder's ranking; p50 {milliseconds:.0f} ms of processor time, 45 candidates (bound {BOUND_MS:.0f})")  # fmt: skip
            if changed:
                slow = np.inf
            if chat is not None and FEW:
                few = cases[:FEW]
                kept = Kept(ShortAnswers(chat), WORK / f"{name}-dev-chat.jsonl")
                wanted = {way: ways[way] for way in ("first 1", "first 3", "first 5", "encoder", "gold (oracle)")}
                chosen, note = listwise(few, chat, bench)
                wanted["listwise"] = chosen
                answer_rows += answered(
                    few, wanted, lambda sent, _, kept=kept: kept.answers([c.asked(r) for c, r in sent]), chat.name
                )
                notes.append(note)
    notes.append(
        f"weights {head.digest}; 95 % percentile intervals over groups; R and nDCG count gold documents, answer hit an answer's words"
    )
    save("rerank_order", "Order of the candidates before any stop", order_rows, notes)
    save("rerank", "Answers from what is sent", answer_rows, notes)
    return int(slow > BOUND_MS)


if __name__ == "__main__":
    sys.exit(main())
