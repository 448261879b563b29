"""The reranker's recipe on all questions there are, each chosen for by heads that never saw its group: dev parts are small.

`python experiments/rerank/held_out.py hotpotqa=3,5,10,15 nq=1`: heads are cloned in five grouped folds of the train and dev parts of all
sets, and the chance of stopping is taken for each fold from the answers of the other folds. Of the sets named, the answers from what is
sent are compared with those from each fixed number given, the best of which is chosen on the very questions compared.
"""

from __future__ import annotations

import sys
import tomllib
from contextlib import ExitStack
from pathlib import Path

import numpy as np
from clone import HERE, fitted
from material import Bench, Case

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))

from generated import save  # noqa: E402

from remit.measure.bootstrap import interval  # noqa: E402
from remit.rerank.plackett_luce import greedy  # noqa: E402
from remit.train.fit import Fitting  # noqa: E402
from remit.train.questions import part_of  # noqa: E402
from remit.train.reward import f1_reward  # noqa: E402

PARTS, SEED = ("train", "dev"), 17
STOPS = (0.7, 0.8, 0.9)

NOTES = [
    "train and dev parts together, answers by the extractive answerer; five grouped folds, heads cloned on the other four of all sets",
    f"the chance of stopping is one of {', '.join(map(str, STOPS))}, by the F1 of the other folds; 95 % percentile intervals over groups",
]

Rows = dict[str, tuple[int, ...]]


class Chosen:
    """What heads that did not see a question's group send for it, at each chance of stopping."""

    def __init__(self, cases: list[Case], how: Fitting, policy: dict) -> None:
        self.fold = {id_of(case): part_of(case.instance.question.group, policy["folds"]) for case in cases}
        self.rows: dict[float, Rows] = {stop: {} for stop in STOPS}
        experts = {id_of(case): case.gold for case in cases}
        for part in range(policy["folds"]):
            head = fitted([case for case in cases if self.fold[id_of(case)] != part], experts, how, policy)
            for case in (case for case in cases if self.fold[id_of(case)] == part):
                for stop, rows in self.rows.items():
                    rows[id_of(case)] = case.sent(greedy(head._replace(stop_at=stop), case.seen).rows)


def id_of(case: Case) -> str:
    return case.instance.question.id


def f1_of(benches: list[Bench], rows: Rows, what: str) -> np.ndarray:
    """Return the token F1 of each question's answer from its rows."""
    found = []
    for bench in benches:
        said = bench.say([(case, rows[id_of(case)]) for case in bench.cases], what)
        found += [f1_reward(one.answer, case.instance.question.golden) for one, case in zip(said, bench.cases, strict=True)]  # fmt: skip
    return np.array(found)


def compared(benches: list[Bench], chosen: Chosen, fixed: list[int]) -> list[dict[str, object]]:
    """Return a row a fixed number, one for the encoder, and what it gains over the best of them."""
    cases = [case for bench in benches for case in bench.cases]
    groups = [case.instance.question.group for case in cases]
    folds = np.array([chosen.fold[id_of(case)] for case in cases])
    by_stop = {stop: f1_of(benches, rows, f"stop at {stop}") for stop, rows in chosen.rows.items()}
    taken = {part: max(STOPS, key=lambda stop: (by_stop[stop][folds != part].mean(), stop)) for part in np.unique(folds)}  # fmt: skip
    f1 = {f"first {k}": f1_of(benches, {id_of(case): case.found[:k] for case in cases}, f"first {k}") for k in fixed}
    f1["encoder, cross-fitted"] = np.array([by_stop[taken[part]][at] for at, part in enumerate(folds)])
    sent = {way: float(way.split()[1]) for way in f1 if way.startswith("first")}
    sent["encoder, cross-fitted"] = float(np.mean([len(chosen.rows[taken[chosen.fold[id_of(case)]]][id_of(case)]) for case in cases]))  # fmt: skip
    best = max((way for way in f1 if way.startswith("first")), key=lambda way: f1[way].mean())

    def told(values: np.ndarray) -> str:
        return str(interval(lambda rows: float(values[rows].mean()), groups, seed=SEED))

    about = {"set": benches[0].name, "n": len(cases)}
    rows: list[dict[str, object]] = [
        {**about, "sent": way, "F1": told(values), "passages": f"{sent[way]:.2f}"} for way, values in f1.items()
    ]
    gain, fewer = f1["encoder, cross-fitted"] - f1[best], 1 - sent["encoder, cross-fitted"] / sent[best]
    return [*rows, {**about, "sent": f"encoder - {best}", "F1": told(gain), "passages": f"{-fewer:+.0%}"}]


def main(named: list[str]) -> None:
    wanted = {name: [int(k) for k in some.split(",")] for name, _, some in (one.partition("=") for one in named)}
    settings = tomllib.loads((HERE / "rerank.toml").read_text(encoding="utf-8"))
    how = Fitting(**{name: tuple(value) if isinstance(value, list) else value for name, value in settings["fit"].items()})  # fmt: skip
    with ExitStack() as opened:
        benches = {
            name: [opened.enter_context(Bench(name, part, settings["material"]["day"])) for part in PARTS]
            for name in settings["material"]["sets"]
        }
        chosen = Chosen([case for both in benches.values() for one in both for case in one.cases], how, settings["policy"])  # fmt: skip
        rows: list[dict[str, object]] = []
        for name, fixed in wanted.items():
            rows += compared(benches[name], chosen, fixed)
            save("rerank_held_out", "Dynamic k beside fixed k, by cross-fitting over all questions", rows, NOTES)


if __name__ == "__main__":
    main(sys.argv[1:])
