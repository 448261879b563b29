"""Trains the default reranker by behaviour cloning: `python experiments/rerank/clone.py [--save FILE] [--sets nq,...]`.

Settings come from rerank.toml beside this file. Only train parts are read: the chance of stopping is chosen by grouped
cross-fitting on them, by the token F1 of the extractive answerer; then all of them are fitted.
"""

from __future__ import annotations

import argparse
import json
import time
import tomllib
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import numpy as np
from material import Bench, Case
from tqdm import tqdm

from remit.measure.ranking import ndcg, recall
from remit.measure.text import best, exact_match
from remit.rerank.head import Head
from remit.rerank.plackett_luce import greedy, whole_order
from remit.train.fit import Fitting, clone, fresh_head, rounded, together
from remit.train.questions import part_of
from remit.train.reward import f1_reward
from remit.train.steps import Steps, Trajectory, set_steps

HERE = Path(__file__).parent
ANSWERED = 100
"""So many questions of each set are answered to choose the chance of stopping."""


def fitted(cases: list[Case], experts: dict[str, tuple[int, ...]], how: Fitting, policy: dict) -> Head:
    """Return the mean of heads that have learned from some cases."""
    limits = Head({}, least=policy["least"], most=policy["most"])
    taught = [case for case in cases if experts[case.instance.question.id]]
    steps: Steps = set_steps([Trajectory(case.seen, experts[case.instance.question.id]) for case in taught], limits)
    heads = []
    for seed in tqdm(range(how.seed, how.seed + policy["members"]), desc="fitting", unit="head"):
        own = replace(how, seed=seed)
        heads.append(clone(fresh_head(steps, own, least=policy["least"], most=policy["most"]), steps, own))
    return rounded(together(heads))


def experts_of(bench: Bench, kind: str) -> dict[str, tuple[int, ...]]:
    """Return for each question the rows an expert sends."""
    if kind == "gold":
        return {case.instance.question.id: case.gold for case in bench.cases}
    prefixes = [(case, case.gold[:count]) for case in bench.cases for count in range(1, len(case.gold) + 1)]
    said = bench.say(prefixes, "experts")
    found: dict[str, tuple[int, ...]] = {case.instance.question.id: case.gold for case in bench.cases}
    best_so_far: dict[str, float] = {}
    for (case, rows), one in zip(prefixes, said, strict=True):
        id, value = case.instance.question.id, f1_reward(one.answer, case.instance.question.golden)
        if value > best_so_far.get(id, 0.0):
            best_so_far[id], found[id] = value, rows
    return found


def cross_fitted(benches: list[Bench], experts: dict[str, tuple[int, ...]], how: Fitting, policy: dict) -> dict:
    """Return figures on held-back folds: of the ranking, and of the answers for each chance of stopping."""
    cases = [case for bench in benches for case in bench.cases]
    fold = {case.instance.question.id: part_of(case.instance.question.group, policy["folds"]) for case in cases}
    chosen: dict[float, dict[str, tuple[int, ...]]] = {stop_at: {} for stop_at in policy["stop_at"]}
    ranks: dict[str, list] = {bench.name: [] for bench in benches}
    for part in range(policy["folds"]):
        head = fitted([case for case in cases if fold[case.instance.question.id] != part], experts, how, policy)
        for case in (case for case in cases if fold[case.instance.question.id] == part):
            gold = case.instance.question.gold
            order = whole_order(head, case.seen, depth=20)
            ranks[case.set].append([
                *(ndcg(case.documents(rows), gold) for rows in (case.found, order)),
                *(recall(case.documents(rows), gold, 5) for rows in (case.found, order)),
            ])  # fmt: skip
            for stop_at, rows_by_id in chosen.items():
                rows_by_id[case.instance.question.id] = greedy(head._replace(stop_at=stop_at), case.seen).rows
    figures: dict = {"ranking": {}, "answers": {}}
    for name, rows in ranks.items():
        means = np.mean(rows, axis=0).round(4).tolist()
        figures["ranking"][name] = dict(zip(("ndcg found", "ndcg", "r5 found", "r5"), means, strict=True))
    for bench in benches:
        ways = {f"first {k}": {c.instance.question.id: c.found[:k] for c in bench.cases} for k in (1, 3, 5, 10)}
        ways |= {f"stop at {stop_at}": rows for stop_at, rows in chosen.items()}
        ways["gold"] = {c.instance.question.id: c.gold for c in bench.cases}
        figures["answers"][bench.name] = {way: _answered(bench, rows, way) for way, rows in ways.items()}
    return figures


def _answered(bench: Bench, rows: dict[str, tuple[int, ...]], way: str) -> dict:
    cases = bench.cases[:ANSWERED]
    sent = [(case, rows[case.instance.question.id]) for case in cases]
    said = bench.say(sent, way)
    golden = [case.instance.question.golden for case in cases]
    f1 = [f1_reward(one.answer, gold) for one, gold in zip(said, golden, strict=True)]
    em = [best(exact_match, one.answer or "", gold) for one, gold in zip(said, golden, strict=True)]
    mean = {"f1": np.mean(f1), "em": np.mean(em), "k": np.mean([len(rows) for _, rows in sent])}
    return {name: round(float(value), 4) for name, value in mean.items()}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--save", type=Path)
    options.add_argument("--sets")
    options.add_argument("--quick", action="store_true", help="no cross-fitting: the chance of stopping is 0.5")
    options.add_argument("changes", nargs="*", help="such as fit.epochs=6")
    given = options.parse_args()
    settings = tomllib.loads((HERE / "rerank.toml").read_text(encoding="utf-8"))
    for change in given.changes:
        section, _, rest = change.partition(".")
        key, _, value = rest.partition("=")
        settings[section][key] = json.loads(value)
    material, policy = settings["material"], settings["policy"]
    fit = {name: tuple(value) if isinstance(value, list) else value for name, value in settings["fit"].items()}
    how, began = Fitting(**fit), time.process_time()
    with ExitStack() as opened:
        names = given.sets.split(",") if given.sets else material["sets"]
        benches = [opened.enter_context(Bench(name, "train", material["day"])) for name in names]
        experts = {id: rows for bench in benches for id, rows in experts_of(bench, material["expert"]).items()}
        read, began = time.process_time() - began, time.process_time()
        figures = {} if given.quick else cross_fitted(benches, experts, how, policy)
        mean = (
            {s: np.mean([t[f"stop at {s}"]["f1"] for t in figures["answers"].values()]) for s in policy["stop_at"]}
            if figures
            else {0.5: 0.0}
        )
        stop_at = max(mean, key=lambda one: (round(float(mean[one]), 4), one))
        checked, began = time.process_time() - began, time.process_time()
        cases = [case for bench in benches for case in bench.cases]
        head = fitted(cases, experts, how, policy)._replace(stop_at=stop_at)
    report = {
        "settings": settings, "sets": {bench.name: len(bench.cases) for bench in benches}, "stop_at": stop_at, "digest": head.digest,
        "processor seconds": {"reading": round(read, 1), "cross-fitting": round(checked, 1), "fitting": round(time.process_time() - began, 1)},
        "cross-fitted on train": figures,
    }  # fmt: skip
    print(json.dumps(report, indent=1, default=str))
    if given.save:
        head.save(given.save)
        HERE.joinpath("report.json").write_text(json.dumps(report, indent=1, default=str) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
