"""What a judge of entailment takes away from the exact check, of right and of wrong claims, beside ROUGE-L and a cosine.

The pairs of `citations.py`. A judge in the line sees only what the exact check accepted and can only take away, so "exact check
and judge" is what is released with it. Judges are named in the environment: REMIT_CROSS_ENCODER (a folder with weights and
threshold.json, as experiments/entail writes it; needs torch) is asked about every claim that the exact check accepted, REMIT_GGUF (a chat model, or several joined by a
colon) about a sample of those of clapnq. Verdicts are kept outside of the repository after each, so that a killed run goes on.
"""

import hashlib
import json
import os
import random
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from attribution import Pair, clapnq, wow
from citations import SEED, cosine, crossfitted, ours, row, table, threshold
from gold import CACHE, DATA, Encoder

from remit.adapters.gguf import GgufChat
from remit.answer.entail import Asserted, Judge
from remit.answer.judges import ChatJudge, EncoderJudge
from remit.contract.budget import Budget, Limits
from remit.llm.cancel import Patience
from remit.measure.bootstrap import interval
from remit.measure.rouge import rouge_l

RESULTS = Path(__file__).parent / "results"
DRAWN = 5
POOL, SAMPLE = 100, {"clapnq dev": 62}
ENOUGH = Limits(model_calls=10, tokens=100_000, seconds=3_600.0)


class Verdict(NamedTuple):
    """What a judge said of a claim, and the seconds of the processor that it took."""

    said: str
    seconds: float


class Asked:
    """Verdicts of one judge, kept after each. `dear` says that it is asked about a sample only."""

    def __init__(self, name: str, judge: Judge, *, dear: bool) -> None:
        self.name, self.dear = name, dear
        self._judge = judge
        self._file = CACHE / f"entailment-{hashlib.sha256(judge.name.encode()).hexdigest()[:12]}.json"
        self._kept: dict[str, list] = json.loads(self._file.read_text()) if self._file.exists() else {}

    def verdict(self, pair: Pair) -> Verdict:
        """Return the verdict on a claim."""
        key = hashlib.sha256(json.dumps([pair.question, pair.claim, pair.quote]).encode()).hexdigest()[:16]
        if key not in self._kept:
            began = time.process_time()
            asserted = Asserted(pair.question, pair.claim, (pair.quote,))
            said = self._judge.judge((asserted,), Budget.of(ENOUGH, time.monotonic()), Patience()).verdicts[0]
            self._kept[key] = [said.verdict, time.process_time() - began]
            CACHE.mkdir(parents=True, exist_ok=True)
            self._file.write_text(json.dumps(self._kept))
            print(f"\r{self.name}: {len(self._kept)} claims judged", end="", file=sys.stderr, flush=True)
        return Verdict(*self._kept[key])


def judges() -> Iterator[Asked]:
    """Yield the judges that the environment names."""
    if folder := os.environ.get("REMIT_CROSS_ENCODER"):
        from remit.adapters.transformers import TransformersEncode  # noqa: PLC0415 - torch only where it is asked for

        at = json.loads((Path(folder) / "threshold.json").read_text())["threshold"]
        judge = EncoderJudge(TransformersEncode(Path(folder)), threshold=at)
        yield Asked(f"cross-encoder >= {at:.2f}", judge, dear=False)
    for path in filter(None, os.environ.get("REMIT_GGUF", "").split(":")):
        yield Asked(Path(path).stem, ChatJudge(GgufChat(Path(path))), dear=True)


def sampled(pairs: list[Pair], most: int) -> list[Pair]:
    """Return at most so many claims, the same each time, right and wrong in their shares; more of them hold the fewer."""
    chance = random.Random(DRAWN)  # noqa: S311 - a fixed draw
    return chance.sample(pairs, min(POOL, len(pairs)))[:most]


def baselines(name: str, train: list[Pair], pairs: list[Pair]) -> Iterator[dict[str, str]]:
    """Yield the rows of a ROUGE-L and of a cosine threshold: chosen on the training part, or cross-fitted where there is none."""
    encoder = Encoder("citations")
    scored: dict[str, Callable[[Pair], float]] = {
        "ROUGE-L precision": lambda pair: rouge_l(pair.claim, pair.quote).precision,
        "cosine": cosine(encoder),
    }
    right = np.array([pair.right for pair in pairs])
    for label, score in scored.items():
        values = np.array([score(pair) for pair in pairs])
        if name == "wow":
            yield row(f"{label}, cross-fitted", pairs, crossfitted(values, right, pairs))
        else:
            at = threshold(np.array([score(pair) for pair in train]), np.array([pair.right for pair in train]))
            yield row(f"{label} >= {at:.3f}", pairs, values >= at)
    encoder.keep()


def left(asked: Sequence[Pair], kept: Sequence[bool], *, right: bool) -> str:
    """Return the share of the right, or of the wrong, claims that a judge leaves, with its interval."""
    chosen = [(keeps, pair.group) for pair, keeps in zip(asked, kept, strict=True) if pair.right is right]
    if not chosen:
        return "none"
    values, groups = np.array([float(keeps) for keeps, _ in chosen]), [group for _, group in chosen]
    return f"{interval(lambda rows: float(values[rows].mean()), groups, seed=SEED)} of {len(chosen)}"


def judged(name: str, asked: Asked, accepted: list[Pair], most: int) -> tuple[dict[str, str], list[Pair], list[bool]]:
    """Return the row of a judge on claims that the exact check accepted, with the claims and what it leaves of them."""
    chosen = sampled(accepted, most) if asked.dear else accepted
    told = [asked.verdict(pair) for pair in chosen]
    kept = [one.said == "supported" for one in told]
    shown = {
        "judge": asked.name,
        "set": name,
        "right ones left": left(chosen, kept, right=True),
        "wrong ones left": left(chosen, kept, right=False),
        "without a verdict": f"{sum(one.said == 'unmeasured' for one in told)} of {len(told)}",
        "cpu-s a claim": f"{np.mean([one.seconds for one in told]):.2f}",
    }
    return shown, chosen, kept


def main() -> int:
    """Print the tables and write them down."""
    if not DATA.exists():
        print("no shared/data beside this checkout: nothing to measure")
        return 0
    train, sets = clapnq("train"), {"clapnq dev": clapnq("dev"), "wow": wow()}
    asked, parts, taken = list(judges()), [], []
    for name, pairs in sets.items():
        exact = np.array([ours(pair) > 0 for pair in pairs])
        accepted = [pair for pair, holds in zip(pairs, exact, strict=True) if holds]
        rows = [row("exact check", pairs, exact)]
        for judge in (judge for judge in asked if not judge.dear or name in SAMPLE):
            shown, chosen, kept = judged(name, judge, accepted, SAMPLE.get(name, 0))
            taken.append(shown)
            if len(chosen) == len(accepted):
                released = {id(pair) for pair, keeps in zip(chosen, kept, strict=True) if keeps}
                rows.append(
                    row(f"exact check and {judge.name}", pairs, np.array([id(pair) in released for pair in pairs]))
                )
        rows += baselines(name, train, pairs)
        parts += [f"## What is released: {name}, {len(pairs)} pairs", "", table(rows), ""]
    parts += [
        "## What judges take away of claims that the exact check accepted",
        "",
        table(taken) if taken else "no judge was named",
        "",
        "A chat model is asked about a sample, drawn once; intervals: 95 % percentile bootstrap over groups.",
        "",
    ]
    text = "\n".join(["# Entailment on top of the exact check", "", *parts])
    print(text)
    (RESULTS / "entailment.md").write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
