"""EM and token F1 of the extractive answerer given the gold passages: whole sentences, the rules, and with the span scorer.

Dev parts, scored once by weights frozen before. Where $REMIT_GGUF names a chat model in GGUF its answers stand beside them.
"""

import hashlib
import os
import statistics
import sys
import time
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import NamedTuple

import numpy as np
from gold import DATA, EVERYONE, Case, Encoder, cases

from remit.adapters.gguf import GgufChat
from remit.answer.bridge import strongest
from remit.answer.extract import Extractive
from remit.answer.generate import Generator
from remit.answer.span_scorer import WEIGHTS, SpanScorer
from remit.answer.span_scorer_port import PairStates
from remit.contract.budget import Budget, Limits
from remit.llm.cancel import Patience
from remit.measure.bootstrap import interval
from remit.measure.text import best, exact_match, token_f1

RESULTS = Path(__file__).parent / "results"
SETS = ("nq", "hotpotqa", "2wiki")
BOUND_MS, SEED = 60, 11
ASKED_OF_A_MODEL, TIMED = 40, 60


class PairEncoder(Encoder):
    """Kept vectors, and the encoder itself where two texts are read together."""

    def read_pair(self, first: str, second: str) -> PairStates:
        return self._model.read_pair(first, second)


class Way(NamedTuple):
    """A way to answer, and what it said to each question."""

    name: str
    answer: Callable[[Case], str]


def drafted(answerer: Extractive) -> Callable[[Case], str]:
    def answer(case: Case) -> str:
        budget = Budget.of(Limits(), now=time.monotonic())
        return answerer.draft(case.contract, case.ranking, EVERYONE, budget, Patience()).answer or ""

    return answer


def sentence(answerer: Extractive) -> Callable[[Case], str]:
    def answer(case: Case) -> str:
        joint = strongest(case.contract, case.ranking, answerer.weigh(case.contract, case.ranking, EVERYONE))
        return "" if joint is None else joint.main.text

    return answer


def alone(answerer: Extractive, encoder: PairEncoder) -> Callable[[Case], str]:
    scorer = SpanScorer(encoder)

    def answer(case: Case) -> str:
        joint = strongest(case.contract, case.ranking, answerer.weigh(case.contract, case.ranking, EVERYONE))
        scored = None if joint is None else scorer.best(case.contract, joint.main.text, joint.main.hit.source.title)
        return "" if joint is None or scored is None else joint.main.text[scored.start : scored.end]

    return answer


def row(name: str, way: Way, asked: list[Case]) -> dict[str, str]:
    """Return the figures of one way on one set."""
    given = [way.answer(case) for case in asked]
    groups = [case.line["metadata"].get("title") or case.id for case in asked]
    shown = {"set": name, "n": str(len(asked)), "answers": way.name}
    for label, measure in (("EM", exact_match), ("F1", token_f1)):
        values = np.array([best(measure, text, case.golden) for text, case in zip(given, asked, strict=True)])
        shown[label] = str(interval(lambda rows, v=values: float(v[rows].mean()), groups, seed=SEED))
    return shown


def table(rows: list[dict[str, str]]) -> str:
    names = list(rows[0])
    lines = [
        " | ".join(names),
        " | ".join("---" for _ in names),
        *(" | ".join(one[name] for name in names) for one in rows),
    ]
    return "\n".join(f"| {line} |" for line in lines)


def modelled(path: str) -> Callable[[Extractive], Way]:
    """Return the way that a chat model answers, with the extractive answerer where it does not do its part."""
    chat = GgufChat(Path(path))

    def way(fallback: Extractive) -> Way:
        generator = Generator(chat, fallback)

        def answer(case: Case) -> str:
            budget = Budget.of(Limits(seconds=600.0), now=time.monotonic())
            return generator.draft(case.contract, case.ranking, EVERYONE, budget, Patience()).answer or ""

        return Way(Path(path).stem, answer)

    return way


def scoring(asked: list[Case], pairs: PairEncoder) -> float:
    """Return the median milliseconds that scoring one sentence takes."""
    scorer, times = SpanScorer(pairs), []
    for case in asked[:TIMED]:
        hit = case.ranking.hits[0]
        began = time.perf_counter()
        scorer.best(case.contract, hit.passage.quote(hit.passage.sentences[0]), hit.source.title)
        times.append(1000 * (time.perf_counter() - began))
    return statistics.median(times)


def main() -> int:
    """Print the table and write it down; 1 where the scorer adds more time than its bound."""
    if not DATA.exists():
        print("no shared/data beside this checkout: nothing to measure")
        return 0
    rows, added = [], []
    model = modelled(os.environ["REMIT_GGUF"]) if "REMIT_GGUF" in os.environ else None
    for name in SETS:
        asked, plain, pairs = list(cases(name, "dev")), Encoder(name), PairEncoder(name)
        rules, both = Extractive(plain, plain), Extractive(pairs, pairs)
        for case in asked:
            rules.weigh(case.contract, case.ranking, EVERYONE)
        plain.keep()
        ways = (
            Way("whole sentence", sentence(rules)),
            Way("rules", drafted(rules)),
            Way("scorer alone", alone(rules, pairs)),
            Way("rules and scorer", drafted(both)),
        )
        rows += [row(name, way, asked) for way in ways]
        if model is not None:
            few = asked[:ASKED_OF_A_MODEL]
            rows.append(row(f"{name}, the first", Way("rules and scorer", drafted(both)), few))
            rows.append(row(f"{name}, the first", model(both), few))
        added.append(scoring(asked, pairs))
    digest = hashlib.sha256(resources.files("remit.answer").joinpath(WEIGHTS).read_bytes()).hexdigest()[:16]
    notes = [
        "given the gold passages and nothing else; maximum over golden answers; 95 % percentile bootstrap over groups",
        f"scoring a sentence, p50 of each set: {', '.join(f'{one:.0f}' for one in added)} ms (bound: {BOUND_MS}; two shared cores)",
        f"weights {WEIGHTS}, sha256 {digest}",
    ]
    text = "\n".join(["# Answers given the gold passages", "", table(rows), "", *(f"- {note}" for note in notes), ""])
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "answers.md").write_text(text, encoding="utf-8")
    print(text)
    return int(max(added) > BOUND_MS)


if __name__ == "__main__":
    sys.exit(main())
