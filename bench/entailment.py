"""What a judge of entailment takes away from the exact check, of right and of wrong claims, beside ROUGE-L and a cosine.

clapnq dev, the pairs of `citations.py`. A judge in the line sees only what the exact check accepted, so "exact and judge" is
what is released with it. Judges alone are asked about a sample of all pairs. Name them in the environment: REMIT_GGUF (a chat
model, or several joined by a colon), REMIT_CROSS_ENCODER (a folder with weights and threshold.json, as experiments/entail
writes it; needs torch). REMIT_SAMPLE bounds the pairs a chat model is asked about.
"""

import json
import os
import random
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from attribution import Pair, clapnq
from citations import cosine, ours, row, table, threshold
from gold import DATA, Encoder

from remit.adapters.gguf import GgufChat
from remit.adapters.transformers import TransformersEncode
from remit.answer.entail import Asserted, Judge
from remit.answer.judges import ChatJudge, EncoderJudge
from remit.contract.budget import Budget, Limits
from remit.llm.cancel import Patience
from remit.measure.rouge import rouge_l

RESULTS = Path(__file__).parent / "results"
SEED = 5
ENOUGH = Limits(model_calls=10, tokens=100_000, seconds=600.0)
Verdicts = dict[str, int]


def judges() -> Iterator[tuple[str, Judge]]:
    """Yield the judges that the environment names."""
    if folder := os.environ.get("REMIT_CROSS_ENCODER"):
        at = json.loads((Path(folder) / "threshold.json").read_text())["threshold"]
        yield f"cross-encoder >= {at:.2f}", EncoderJudge(TransformersEncode(Path(folder)), threshold=at)
    for path in filter(None, os.environ.get("REMIT_GGUF", "").split(":")):
        yield Path(path).stem, ChatJudge(GgufChat(Path(path)))


def supported(judge: Judge, pair: Pair, counted: Verdicts) -> bool:
    """Say whether the judge finds a claim supported, and count its verdict."""
    said = judge.judge(
        (Asserted(pair.question, pair.claim, (pair.quote,)),), Budget.of(ENOUGH, time.monotonic()), Patience()
    )
    verdict = said.verdicts[0].verdict
    counted[verdict] = counted.get(verdict, 0) + 1
    return verdict == "supported"


def sampled(pairs: list[Pair], most: int) -> list[Pair]:
    """Return at most so many pairs, the same each time, of every kind in its share."""
    chance = random.Random(SEED)  # noqa: S311 - a fixed draw
    return pairs if len(pairs) <= most else chance.sample(pairs, most)


def taken_away(name: str, passed: list[Pair], kept: set[int]) -> dict[str, str]:
    """Return the row of one judge: of right and of wrong claims accepted before, how many it leaves."""
    right = [id(pair) in kept for pair in passed if pair.right]
    wrong = [id(pair) in kept for pair in passed if not pair.right]
    before, after = len(right) / len(passed), sum(right) / max(1, len(kept))
    return {
        "judge": name,
        "right ones left": f"{sum(right)} of {len(right)}",
        "wrong ones left": f"{sum(wrong)} of {len(wrong)}",
        "precision before": f"{before:.3f}",
        "precision after": f"{after:.3f}",
    }


def baselines(train: list[Pair], pairs: list[Pair]) -> Iterator[dict[str, str]]:
    """Yield the rows of a ROUGE-L and of a cosine threshold, chosen on the training part."""
    encoder = Encoder("citations")
    scored: dict[str, Callable[[Pair], float]] = {
        "ROUGE-L precision": lambda pair: rouge_l(pair.claim, pair.quote).precision,
        "cosine": cosine(encoder),
    }
    for name, score in scored.items():
        at = threshold(np.array([score(pair) for pair in train]), np.array([pair.right for pair in train]))
        yield row(f"{name} >= {at:.3f}", pairs, np.array([score(pair) for pair in pairs]) >= at)
    encoder.keep()


def main() -> int:
    """Print the tables and write them down."""
    if not DATA.exists():
        print("no shared/data beside this checkout: nothing to measure")
        return 0
    most = int(os.environ.get("REMIT_SAMPLE", "100"))
    train, dev = clapnq("train"), clapnq("dev")
    exact = np.array([ours(pair) > 0 for pair in dev])
    whole, notes = [row("exact check", dev, exact)], []
    alone = sampled(dev, most)
    few = [row("exact check", alone, np.array([ours(pair) > 0 for pair in alone])), *baselines(train, alone)]
    accepted = [pair for pair, held in zip(dev, exact, strict=True) if held]
    passed = sampled(accepted, most)
    taken = []
    for name, judge in judges():
        counted: Verdicts = {}
        began = time.process_time()
        kept = {id(pair) for pair in passed if supported(judge, pair, counted)}
        spent = (time.process_time() - began) / len(passed)
        taken.append(taken_away(name, passed, kept))
        if len(passed) == len(accepted):
            whole.append(row(f"exact check and {name}", dev, np.array([id(pair) in kept for pair in dev])))
        few.append(row(f"{name} alone", alone, np.array([supported(judge, pair, counted) for pair in alone])))
        notes.append(f"{name}: {spent:.2f} cpu-s a claim; verdicts {json.dumps(counted)}")
    whole += list(baselines(train, dev))
    text = "\n".join(
        [
            "# Entailment on top of the exact check (clapnq dev)",
            "",
            f"## All {len(dev)} pairs: what is released",
            "",
            table(whole),
            "",
            f"## What judges take away of {len(passed)} claims that the exact check accepted",
            "",
            table(taken) if taken else "no judge was named",
            "",
            f"## A sample of {len(alone)} pairs: each check alone",
            "",
            table([{key: shown[key] for key in list(shown)[:5]} for shown in few]),
            "",
            *(f"- {note}" for note in notes),
            "",
        ]
    )
    print(text)
    (RESULTS / "entailment.md").write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
