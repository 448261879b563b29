"""What a local chat model makes of the passages that rerankers send. Its own choice of passages: bench/listwise.py.

Questions of dev parts in turns, a set each, so that a run that is stopped has as many of every set; what was answered is kept, and
asked again it costs nothing. Needs shared/data, $REMIT_STORES (see experiments/rerank/material.py) and $REMIT_GGUF.
$REMIT_FEW says for how many questions a set answers are taken at most, and $REMIT_MINUTES when no more is asked: the table then holds
what was asked of every set.
"""

from __future__ import annotations

import os
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from generated import save
from rerank import SETS, Rows, answered, ways_of

from remit.adapters.gguf import GgufChat
from remit.rerank.head import Head
from remit.train.environment import Kept, Said, ShortAnswers

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "experiments" / "rerank"))

from material import DATA, WORK, Bench, Case  # noqa: E402

FEW = int(os.environ.get("REMIT_FEW", "30"))
MINUTES = float(os.environ.get("REMIT_MINUTES", "600"))
WAYS = ("first 1", "first 3", "first 5", "encoder", "gold (oracle)")


class Run(NamedTuple):
    """The sets opened, the model's answers kept for each, and the passages that each way sends."""

    benches: list[Bench]
    kept: dict[str, Kept]
    ways: dict[str, dict[str, Rows]]

    def say(self, sent: list[tuple[Case, Rows]], _: str) -> list[Said]:
        return [self.kept[case.set].answer(case.asked(chosen)) for case, chosen in sent]

    def ask(self) -> int:
        """Ask a question of each set in turn; return for how many of a set answers were taken."""
        ended, answers = time.monotonic() + 60 * MINUTES, 0
        for answers in range(FEW + 1):
            if answers == FEW or time.monotonic() > ended:
                break
            for case in (bench.cases[answers] for bench in self.benches):
                self.say([(case, self.ways[way][case.instance.question.id]) for way in WAYS], "")
            print(f"{answers + 1} of {FEW} questions a set are answered", flush=True)
        return answers

    def table(self, answers: int) -> list[dict[str, object]]:
        """Return the rows of each set, and of all together."""
        rows: list[dict[str, object]] = []
        for bench in self.benches if answers else ():
            rows += answered(bench.cases[:answers], self.ways, self.say, "chat model")
        every = [case for bench in self.benches for case in bench.cases[:answers]]
        return rows + answered(every, self.ways, self.say, "chat model", named="all") if every else rows


def main() -> int:
    """Print the table and write it down."""
    if not DATA.exists() or "REMIT_GGUF" not in os.environ:
        print("no shared/data, or no chat model in $REMIT_GGUF: nothing to measure")
        return 0
    chat, head = GgufChat(Path(os.environ["REMIT_GGUF"])), Head.read()
    with ExitStack() as opened:
        benches = [opened.enter_context(Bench(name, "dev", "2026-11-30", first=FEW)) for name in SETS]
        kept = {name: Kept(ShortAnswers(chat), WORK / f"{name}-dev-chat.jsonl") for name in SETS}
        every = ways_of([case for bench in benches for case in bench.cases], head)
        run = Run(benches, kept, {way: every[way] for way in WAYS})
        rows = run.table(run.ask())
    note = f"{chat.name}, greedy, at most 32 tokens; encoder {head.digest}; 95 % percentile intervals over groups"
    save("rerank_chat", "Answers of a chat model from what is sent", rows, [note])
    return 0


if __name__ == "__main__":
    sys.exit(main())
