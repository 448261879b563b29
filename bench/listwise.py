"""A local chat model's own choice of passages: how many replies are read, and what order and temperature do to the set chosen.

Questions of dev parts in turns, a set each. Each is asked with its candidates in three orders (as found, and shuffled twice), at
temperature 0 and at the paper's 0.2, and once more as found at 0.2: what two draws differ by without any shuffling. A choice made is
kept, and asked again it costs nothing. Needs shared/data, $REMIT_STORES (see experiments/rerank/material.py) and $REMIT_GGUF.
$REMIT_LISTWISE says for how many questions a set, $REMIT_HELD=1 holds replies to the schema, $REMIT_WAYS asks the first few ways
only, and $REMIT_MINUTES says when no more is asked.
"""

from __future__ import annotations

import json
import os
import sys
import time
from contextlib import ExitStack
from itertools import combinations
from math import comb
from pathlib import Path

import numpy as np
from generated import save
from rerank import SETS, mean

from remit.adapters.gguf import GgufChat
from remit.contract.budget import Budget, Limits
from remit.llm.cancel import Patience
from remit.llm.chat import Chat, Wanted
from remit.rerank.choice_reply import SCHEMA
from remit.rerank.cutoff import Cutoff
from remit.rerank.listwise import Listwise

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "experiments" / "rerank"))

from material import DATA, WORK, Bench, Case  # noqa: E402

EACH = int(os.environ.get("REMIT_LISTWISE", "4"))
HELD = os.environ.get("REMIT_HELD") == "1"
MINUTES = float(os.environ.get("REMIT_MINUTES", "25"))
SHOWN, ROOM, SEED = 6, 1_400, 17
"""Six candidates, cut after 40 words or more: about 500 tokens, some ten seconds of a processor for half a billion weights."""

WAYS = {f"{order} at {heat}": (order, heat) for heat in (0.0, 0.2) for order in (0, 1, 2)} | {"again": (0, 0.2)}
ASKED = tuple(WAYS)[: int(os.environ.get("REMIT_WAYS", str(len(WAYS))))]


class Choices:
    """The model's choices, kept by question and way: the places found of what it chose, and why it chose nothing."""

    def __init__(self, chat: Chat, file: Path) -> None:
        self._chat, self._file = chat, file
        lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else ()
        self._kept = {tuple(line["key"]): line for line in map(json.loads, lines)}

    def __call__(self, case: Case, bench: Bench, way: str) -> dict[str, object]:
        key = (self._chat.name, ROOM, SHOWN, case.set, case.instance.question.id, way)
        if key not in self._kept:
            self._kept[key] = line = {"key": key, **self._chosen(case, bench, way)}
            with self._file.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")
        return self._kept[key]

    def _chosen(self, case: Case, bench: Bench, way: str) -> dict[str, object]:
        order, temperature = WAYS[way]
        found = case.instance.candidates.hits[:SHOWN]
        hits = tuple(found[at] for at in shuffled(case, order, len(found)))
        policy = Listwise(self._chat, Cutoff(most=0), room=ROOM, temperature=temperature)
        given = case.instance.candidates.model_copy(update={"hits": hits})
        began, budget = time.process_time(), Budget.of(Limits(seconds=1e6), now=0.0)
        ranking = policy.rank(case.instance.contract, given, bench.shelf.scope, budget, Patience())
        chose = not ranking.reason.startswith("without")
        return {
            "found": [found.index(hit) for hit in ranking.hits] if chose else [],
            "shown": [hits.index(hit) for hit in ranking.hits] if chose else [],
            "chose": chose, "warnings": ranking.warnings, "seconds": round(time.process_time() - began, 1),
        }  # fmt: skip


def shuffled(case: Case, order: int, number: int) -> list[int]:
    """Return the places in an order: the first is that of the search."""
    if order == 0:
        return list(range(number))
    chance = np.random.default_rng([SEED, order, *case.instance.question.id.encode()])
    return [int(at) for at in chance.permutation(number)]


def overlap(one: dict[str, object], other: dict[str, object], by: str) -> float:
    """Return the Jaccard overlap of two sets chosen, of passages or of places in the list; two of nothing are the same set."""
    a, b = set(one[by]), set(other[by])  # type: ignore[call-overload]
    return len(a & b) / len(a | b) if a | b else 1.0


def by_chance(one: dict[str, object], other: dict[str, object]) -> float:
    """Return the overlap to expect of two sets of these sizes drawn blindly from those shown."""
    a, b = len(set(one["found"])), len(set(other["found"]))  # type: ignore[call-overload]
    if not a + b:
        return 1.0
    ways = [(both, comb(a, both) * comb(SHOWN - a, b - both)) for both in range(min(a, b) + 1)]
    return sum(both / (a + b - both) * count for both, count in ways) / comb(SHOWN, b)


def rows_of(made: list[tuple[Case, dict[str, dict[str, object]]]]) -> list[dict[str, object]]:
    """Return a row a comparison, and a row a way about what was chosen; only replies that were read count in them."""
    pairs = {
        f"three orders at {heat}": list(combinations([f"{order} at {heat}" for order in (0, 1, 2)], 2))
        for heat in (0.0, 0.2)
    } | {"one order, two draws at 0.2": [("0 at 0.2", "again")], "one order, 0 and 0.2": [("0 at 0.0", "0 at 0.2")]}
    rows: list[dict[str, object]] = []
    for what, compared in pairs.items():
        if not all(way in ASKED for pair in compared for way in pair):
            continue
        asked: list[Case] = []
        told: list[tuple[float, float, float, float]] = []
        for case, by_way in made:
            both = [(by_way[a], by_way[b]) for a, b in compared if by_way[a]["chose"] and by_way[b]["chose"]]
            if both:
                alike = [overlap(*pair, "found") for pair in both]
                means = (alike, [by_chance(*pair) for pair in both], [overlap(*pair, "shown") for pair in both], [one == 1.0 for one in alike])  # fmt: skip
                asked.append(case)
                told.append(tuple(float(np.mean(values)) for values in means))  # type: ignore[arg-type]
        ways = sorted({way for pair in compared for way in pair})
        read = [float(by_way[way]["chose"]) for _, by_way in made for way in ways]  # type: ignore[arg-type]
        figures = [str(mean(list(values), asked)) for values in zip(*told, strict=True)] if told else [""] * 4
        rows.append({
            "compared": what, "questions": len(made), "replies": len(read), "read": f"{np.mean(read):.2f}",
            "overlap of the passages": figures[0], "by chance": figures[1].split()[0] if told else "",
            "overlap of the places": figures[2], "the same passages": figures[3].split()[0] if told else "",
        })  # fmt: skip
    return rows


def notes_of(made: list[tuple[Case, dict[str, dict[str, object]]]]) -> list[str]:
    """Return how many passages the model chose, where in its list they stood, and what of the gold ones was among them."""
    notes = []
    for heat in (0.0, 0.2):
        ways = [way for way in ASKED if way.endswith(f"at {heat}")]
        read = [(case, by_way[way]) for case, by_way in made for way in ways if by_way[way]["chose"]]
        if not read:
            continue
        numbers = np.bincount([len(line["found"]) for _, line in read], minlength=SHOWN + 1)  # type: ignore[arg-type]
        places = np.bincount([at for _, line in read for at in line["shown"]], minlength=SHOWN)  # type: ignore[attr-defined]
        gold = [_gold(case, line) for case, line in read if case.instance.gold & {hit.passage.id for hit in case.instance.candidates.hits[:SHOWN]}]  # fmt: skip
        notes.append(
            f"at {heat}: k from 0 to {SHOWN}: {' '.join(map(str, numbers))}; chosen by place in the list shown, first to last: "
            f"{' '.join(map(str, places))}; of the gold passages shown {np.mean([g for g, _ in gold]):.2f} are chosen, of the "
            f"others {np.mean([o for _, o in gold]):.2f}"
        )
    reasons = sorted({str(w) for _, by_way in made for line in by_way.values() if not line["chose"] for w in line["warnings"]})  # type: ignore[attr-defined]  # fmt: skip
    return notes + [f"not read: {reason}" for reason in reasons]


def _gold(case: Case, line: dict[str, object]) -> tuple[float, float]:
    """Return which share of the gold passages shown, and of the others, a choice holds."""
    hits = case.instance.candidates.hits[:SHOWN]
    gold = {at for at, hit in enumerate(hits) if hit.passage.id in case.instance.gold}
    chosen, others = set(line["found"]), set(range(len(hits))) - gold  # type: ignore[call-overload]
    return len(chosen & gold) / len(gold), len(chosen & others) / max(1, len(others))


def main() -> int:
    """Print the table and write it down."""
    if not DATA.exists() or "REMIT_GGUF" not in os.environ:
        print("no shared/data, or no chat model in $REMIT_GGUF: nothing to measure")
        return 0
    weights = GgufChat(Path(os.environ["REMIT_GGUF"]))
    chat = weights.wanting(Wanted(SCHEMA)) if HELD else weights
    ended, made = time.monotonic() + 60 * MINUTES, []
    with ExitStack() as opened:
        benches = [opened.enter_context(Bench(name, "dev", "2026-11-30", first=EACH)) for name in SETS]
        choose = Choices(chat, WORK / "listwise.jsonl")
        for at in range(EACH):
            if time.monotonic() > ended:
                break
            for bench in benches:
                case = bench.cases[at]
                made.append((case, {way: choose(case, bench, way) for way in ASKED}))
            print(f"{at + 1} of {EACH} questions a set are asked", flush=True)
    seconds = [float(str(line["seconds"])) for _, by_way in made for line in by_way.values()]
    notes = [*notes_of(made), f"{chat.name}: the first {SHOWN} of each question, {np.mean(seconds):.0f} s of processor time a reply; 95 % percentile intervals over groups"]  # fmt: skip
    name = f"listwise-{Path(os.environ['REMIT_GGUF']).stem.split('-instruct')[0]}" + ("-held" if HELD else "")
    save(name, "What order and temperature do to a chat model's choice", rows_of(made), notes)
    return 0


if __name__ == "__main__":
    sys.exit(main())
