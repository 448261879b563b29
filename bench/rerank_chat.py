"""What a local chat model makes of the passages that rerankers send, and what shuffling and temperature do to its own choice.

Questions of dev parts in turns, a set each, so that a run that is stopped has as many of every set; what was answered or chosen is
kept, and asked again it costs nothing. Needs shared/data, $REMIT_STORES (see experiments/rerank/material.py) and $REMIT_GGUF.
$REMIT_FEW says for how many questions a set answers are taken at most, $REMIT_LISTWISE for how many the model chooses itself, and
$REMIT_MINUTES when no more is asked: the table then holds what was asked of every set.
"""

from __future__ import annotations

import json
import os
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import numpy as np
from generated import save
from rerank import SETS, Rows, answered, ways_of

from remit.adapters.gguf import GgufChat
from remit.contract.budget import Budget, Limits
from remit.llm.cancel import Patience
from remit.rerank.cutoff import Cutoff
from remit.rerank.head import Head
from remit.rerank.listwise import Listwise
from remit.train.environment import Kept, Said, ShortAnswers

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "experiments" / "rerank"))

from material import DATA, WORK, Bench, Case  # noqa: E402

FEW = int(os.environ.get("REMIT_FEW", "30"))
LISTWISE = int(os.environ.get("REMIT_LISTWISE", "8"))
MINUTES = float(os.environ.get("REMIT_MINUTES", "600"))
WAYS = ("first 1", "first 3", "first 5", "encoder", "gold (oracle)")
SHOWN, MOST, ROOM, SEED = 20, 5, 4096, 17
HOW = {"as found": (False, 0.0), "shuffled": (True, 0.0), "at 0.2": (False, 0.2)}


class Choices:
    """The model's listwise choices, kept by question and way: passages by id, and whether the model chose at all."""

    def __init__(self, chat: GgufChat, file: Path) -> None:
        self._chat, self._file = chat, file
        lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else ()
        self._kept = {tuple(line["key"]): line for line in map(json.loads, lines)}

    def __call__(self, case: Case, bench: Bench, how: str) -> dict[str, object]:
        key = (self._chat.name, case.set, case.instance.question.id, how)
        if key not in self._kept:
            self._keep(key, self._chosen(case, bench, how))
        return self._kept[key]

    def _chosen(self, case: Case, bench: Bench, how: str) -> dict[str, object]:
        shuffled, temperature = HOW[how]
        hits = case.instance.candidates.hits[:SHOWN]
        if shuffled:
            chance = np.random.default_rng([SEED, *case.instance.question.id.encode()])
            hits = tuple(hits[at] for at in chance.permutation(len(hits)))
        policy = Listwise(self._chat, Cutoff(most=MOST), room=ROOM, temperature=temperature)
        given = case.instance.candidates.model_copy(update={"hits": hits})
        budget = Budget.of(Limits(seconds=1e6), now=0.0)
        ranking = policy.rank(case.instance.contract, given, bench.shelf.scope, budget, Patience())
        passages = [hit.passage.id for hit in ranking.hits]
        return {"passages": passages, "chose": not ranking.reason.startswith("without")}

    def _keep(self, key: tuple[str, ...], line: dict[str, object]) -> None:
        self._kept[key] = line
        with self._file.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"key": key, **line}) + "\n")


def told(cases: list[Case], benches: Bench, choose: Choices) -> str:
    """Return in a line what shuffling the candidates, and the paper's temperature, do to the model's choice."""
    sets = {how: [set(choose(case, benches, how)["passages"]) for case in cases] for how in HOW}
    failed = sum(not choose(case, benches, how)["chose"] for how in HOW for case in cases)
    parts = []
    for how in ("shuffled", "at 0.2"):
        alike = [len(a & b) / len(a | b) if a | b else 1.0 for a, b in zip(sets["as found"], sets[how], strict=True)]
        changed = sum(a != b for a, b in zip(sets["as found"], sets[how], strict=True))
        parts.append(f"{how}: another set for {changed} of {len(cases)}, overlap {np.mean(alike):.2f}")
    return f"{cases[0].set}: listwise of the first {SHOWN}, {'; '.join(parts)}; {failed} of {len(HOW) * len(cases)} calls gave no choice"


class Run(NamedTuple):
    """The sets opened, the model's answers kept for each, the passages that each way sends, and the model's own choices."""

    benches: list[Bench]
    kept: dict[str, Kept]
    ways: dict[str, dict[str, Rows]]
    choose: Choices

    def say(self, sent: list[tuple[Case, Rows]], _: str) -> list[Said]:
        return [self.kept[case.set].answer(case.asked(chosen)) for case, chosen in sent]

    def ask(self) -> tuple[int, int]:
        """Ask a question of each set in turn; return for how many a set answers were taken, and choices."""
        ended, answers, choices = time.monotonic() + 60 * MINUTES, 0, 0
        for answers in range(FEW + 1):
            if answers == FEW or time.monotonic() > ended:
                break
            for case in (bench.cases[answers] for bench in self.benches):
                self.say([(case, self.ways[way][case.instance.question.id]) for way in WAYS], "")
            print(f"{answers + 1} of {FEW} questions a set are answered", flush=True)
        for choices in range(LISTWISE + 1):
            if choices == min(LISTWISE, answers) or time.monotonic() > ended:
                break
            for bench in self.benches:
                case = bench.cases[choices]
                self.say([(case, rows_of(case, self.choose(case, bench, how))) for how in HOW], "")
            print(f"{choices + 1} of {LISTWISE} choices a set are made", flush=True)
        return answers, choices

    def table(self, answers: int, choices: int) -> tuple[list[dict[str, object]], list[str]]:
        """Return the rows of each set, of all together, and of the questions for which the model chose, with notes."""
        rows: list[dict[str, object]] = []
        for bench in self.benches if answers else ():
            rows += answered(bench.cases[:answers], self.ways, self.say, "chat model")
        if answers:
            every = [case for bench in self.benches for case in bench.cases[:answers]]
            rows += answered(every, self.ways, self.say, "chat model", named="all")
        if not choices:
            return rows, ["the model made no choices itself in the time"]
        few = [(bench, case) for bench in self.benches for case in bench.cases[:choices]]
        own = {
            f"listwise {how}": {c.instance.question.id: rows_of(c, self.choose(c, b, how)) for b, c in few}
            for how in HOW
        }
        cases = [case for _, case in few]
        rows += answered(cases, {**self.ways, **own}, self.say, "chat model", named="of the model's choice")
        return rows, [told(bench.cases[:choices], bench, self.choose) for bench in self.benches]


def main() -> int:
    """Print the table and write it down."""
    if not DATA.exists() or "REMIT_GGUF" not in os.environ:
        print("no shared/data, or no chat model in $REMIT_GGUF: nothing to measure")
        return 0
    chat, head = GgufChat(Path(os.environ["REMIT_GGUF"])), Head.read()
    with ExitStack() as opened:
        benches = [opened.enter_context(Bench(name, "dev", "2026-11-30", first=max(FEW, LISTWISE))) for name in SETS]
        kept = {name: Kept(ShortAnswers(chat), WORK / f"{name}-dev-chat.jsonl") for name in SETS}
        every = ways_of([case for bench in benches for case in bench.cases], head)
        run = Run(benches, kept, {way: every[way] for way in WAYS}, Choices(chat, WORK / "listwise-chat.jsonl"))
        rows, notes = run.table(*run.ask())
    notes.append(
        f"{chat.name}, greedy, at most 32 tokens; encoder {head.digest}; 95 % percentile intervals over groups"
    )
    save("rerank_chat", "Answers of a chat model from what is sent", rows, notes)
    return 0


def rows_of(case: Case, chosen: dict[str, object]) -> Rows:
    return tuple(case.seen.row(str(id)) for id in chosen["passages"])  # type: ignore[attr-defined]


if __name__ == "__main__":
    sys.exit(main())
