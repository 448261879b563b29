"""EM and token F1 of the extractive answerer given the gold passages: whole sentences, the rules, and with the span scorer.

Dev parts, scored once by weights frozen before. Where $REMIT_GGUF names a chat model in GGUF its answers to the first questions stand
beside them, as `modelled.py` asked for them.
"""

import hashlib
import os
import statistics
import sys
import time
from collections.abc import Callable
from importlib import resources
from pathlib import Path

import numpy as np
from gold import DATA, EVERYONE, Case, Encoder, cases
from modelled import ASKED, Modelled, Way
from modelled import SETS as MODELLED

from remit import Remit
from remit.answer.bridge import strongest
from remit.answer.choose import readings
from remit.answer.extract import Extractive
from remit.answer.span_scorer import WEIGHTS, SpanScorer
from remit.answer.span_scorer_port import PairStates
from remit.contract.budget import Budget, Limits
from remit.contract.terms import term_set
from remit.llm.cancel import Patience
from remit.measure.bootstrap import interval
from remit.measure.text import best, exact_match, token_f1
from remit.rerank.ranking import Ranking
from remit.retrieve.retriever import Search

RESULTS = Path(__file__).parent / "results"
SETS = ("nq", "hotpotqa", "2wiki")
BOUND_MS, SEED = 400, 11
TIMED, SOUGHT, FOUND = 30, 200, 10


class PairEncoder(Encoder):
    """Kept vectors, and the encoder itself where two texts are read together."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._read: dict[tuple[str, str], PairStates] = {}

    def read_pair(self, first: str, second: str) -> PairStates:
        if (first, second) not in self._read:
            self._read[first, second] = self._model.read_pair(first, second)
        return self._read[first, second]

    def forget(self) -> None:
        """Let go of what was read."""
        self._read.clear()


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
        read = readings(case.contract, answerer.weigh(case.contract, case.ranking, EVERYONE), scorer)
        return read[0].words if read else ""

    return answer


def first_only(way: Callable[[Case], str]) -> Callable[[Case], str]:
    """Return the same way, given the one gold passage that is most like the question: the first hop without the second."""

    def answer(case: Case) -> str:
        asked = term_set(case.contract.question)
        hits = sorted(
            case.ranking.hits, key=lambda hit: -len(asked & term_set(f"{hit.source.title} {hit.passage.text}"))
        )
        return way(case._replace(ranking=case.ranking.model_copy(update={"hits": tuple(hits[:1])})))

    return answer


def retrieved(name: str, asked: list[Case]) -> dict[str, str] | None:
    """Return the figures with the ten passages that a store finds, where $REMIT_STORES holds one of that name."""
    folder = Path(os.environ.get("REMIT_STORES", "/nowhere")) / name
    if not (folder / "store.db").exists():
        return None
    with Remit.open(folder) as remit:
        encoder, retriever = remit.parts.encoder, remit.parts.retriever
        answerer, snapshot = Extractive(encoder, retriever), remit.snapshot()

        def answer(case: Case) -> str:
            search = Search(case.contract.question, FOUND, case.contract.wanted)
            hits = retriever.search(search, EVERYONE, snapshot).hits
            ranking = Ranking(hits=hits, policy="found", reason="found")
            return drafted(answerer)(case._replace(ranking=ranking))

        return row(f"{name}, {FOUND} passages found", Way("rules and scorer", answer), asked)


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


def beside(name: str, model: Modelled, both: Extractive, asked: list[Case]) -> list[dict[str, str]]:
    """Return the rows of the extractive answerer and of a chat model on the first questions of a set."""
    few = asked[:ASKED]
    ways = [Way("rules and scorer", drafted(both)), *model.ways(both)]
    return [row(f"{name}, the first", way, few) for way in ways]


def scoring(asked: list[Case], pairs: PairEncoder) -> float:
    """Return the median milliseconds of the processor that reading the windows of one question takes."""
    pairs.forget()
    scorer, times, answerer = SpanScorer(pairs), [], Extractive(pairs, pairs)
    for case in asked[:TIMED]:
        weighed = answerer.weigh(case.contract, case.ranking, EVERYONE)
        began = time.process_time()
        readings(case.contract, weighed, scorer)
        times.append(1000 * (time.process_time() - began))
    return statistics.median(times)


def main() -> int:
    """Print the table and write it down; 1 where the scorer adds more time than its bound."""
    if not DATA.exists():
        print("no shared/data beside this checkout: nothing to measure")
        return 0
    rows, added = [], []
    model = Modelled(os.environ["REMIT_GGUF"]) if "REMIT_GGUF" in os.environ else None
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
        if name != "nq":
            rows.append(row(name, Way("the same, first passage only", first_only(drafted(both))), asked))
        found = retrieved(name, asked[:SOUGHT])
        rows += [found] if found is not None else []
        rows += beside(name, model, both, asked) if model is not None and name in MODELLED else []
        added.append(scoring(asked, pairs))
    digest = hashlib.sha256(resources.files("remit.answer").joinpath(WEIGHTS).read_bytes()).hexdigest()[:16]
    notes = [
        "given the gold passages and nothing else; maximum over golden answers; 95 % percentile bootstrap over groups",
        f"reading the windows of a question, p50 of each set: {', '.join(f'{one:.0f}' for one in added)} ms of the processor (bound: {BOUND_MS})",
        f"weights {WEIGHTS}, sha256 {digest}",
        *([] if model is None else [f"the chat model fell back on the extractive answerer: {model.fell_back}"]),
    ]
    text = "\n".join(["# Answers given the gold passages", "", table(rows), "", *(f"- {note}" for note in notes), ""])
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "answers.md").write_text(text, encoding="utf-8")
    print(text)
    return int(max(added) > BOUND_MS)


if __name__ == "__main__":
    sys.exit(main())
