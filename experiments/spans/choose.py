"""Compares ways to answer on the held-back training groups, and writes report.md and report.json.

`python choose.py FOLDER`, in the project's environment; FOLDER is what material.py wrote and where train.py's log lies. The
shipped weights never saw these groups. No dev file is read.
"""

import argparse
import hashlib
import json
import sys
import time
import tomllib
from collections import defaultdict
from importlib import resources
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))
from answers import PairEncoder
from gold import DATA, EVERYONE, Case, Encoder, cases

from remit.answer.choose import readings
from remit.answer.compare import compare
from remit.answer.extract import Extractive
from remit.answer.span_scorer import WEIGHTS, SpanScorer
from remit.contract.budget import Budget, Limits
from remit.llm.cancel import Patience
from remit.measure.text import best, exact_match, token_f1

HERE = Path(__file__).resolve().parent
FOLDS = 5
SETS = ("nq", "hotpotqa", "2wiki")
WAYS = ("rules", "scorer", "both", "best sentence read")
READ = ("material.py", "train.py", "spans.toml", "choose.py")


def answers(case: Case, rules: Extractive, both: Extractive, scorer: SpanScorer) -> dict[str, str]:
    """Return what each way says; "best sentence read" is what a perfect choice among the sentences read would give."""
    budget = Budget.of(Limits(), now=time.monotonic())
    said = {
        name: way.draft(case.contract, case.ranking, EVERYONE, budget, Patience()).answer or ""
        for name, way in (("rules", rules), ("both", both))
    }
    read = readings(case.contract, both.weigh(case.contract, case.ranking, EVERYONE), scorer)
    said["scorer"] = read[0].words if read else ""
    said["best sentence read"] = max(
        (one.words for one in read), key=lambda words: best(token_f1, words, case.golden), default=""
    )
    if compare(case.contract, case.ranking) is not None:
        said["best sentence read"] = said["both"]
    return said


def held_back() -> list[dict]:
    """Return what each way answers to the questions of the held-back groups."""
    rows = []
    for name in SETS:
        plain, pairs = Encoder(name), PairEncoder(name)
        rules, both, scorer = Extractive(plain, plain), Extractive(pairs, pairs), SpanScorer(pairs)
        for case in cases(name, "train"):
            group = case.line["metadata"].get("title") or case.id
            if int(hashlib.sha256(group.encode()).hexdigest(), 16) % FOLDS == 0:
                kind = case.line["metadata"].get("kind")
                sets = {"set": name, "kind": f"{name} {kind}" if kind else name, "form": f"form {case.contract.form}"}
                rows.append({**sets, "golden": case.golden, **answers(case, rules, both, scorer)})
        pairs.keep()
    return rows


def table(rows: list[dict]) -> dict[str, dict[str, float]]:
    """Return EM and F1 of each way, by set, kind of question and form."""
    parts = defaultdict(list)
    for row in rows:
        for key in dict.fromkeys((row["set"], row["kind"], row["form"])):
            parts[key].append([best(m, row[way], row["golden"]) for way in WAYS for m in (exact_match, token_f1)])
    names = [f"{way} {measure}" for way in WAYS for measure in ("EM", "F1")]
    return {
        key: {"n": len(values), **dict(zip(names, np.mean(values, axis=0).round(3).tolist(), strict=True))}
        for key, values in sorted(parts.items())
    }


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def main() -> None:
    """Write the report."""
    options = argparse.ArgumentParser()
    options.add_argument("folder", type=Path)
    folder = options.parse_args().folder
    found, shipped = table(held_back()), resources.files("remit.answer")
    report = {
        "held back": found,
        "settings": tomllib.loads((HERE / "spans.toml").read_text())["train"],
        "digests": {
            **{f"{name}/train.jsonl": digest((DATA / name / "train.jsonl").read_bytes()) for name in SETS},
            **{f"{name}.json": digest((folder / f"{name}.json").read_bytes()) for name in SETS},
            **{name: digest((HERE / name).read_bytes()) for name in READ},
            "span_scorer_features.py": digest(shipped.joinpath("span_scorer_features.py").read_bytes()),
            WEIGHTS: digest(shipped.joinpath(WEIGHTS).read_bytes()),
        },
        "training log": (folder / "train.log").read_text().splitlines()[-1],
    }
    (HERE / "report.json").write_text(json.dumps(report, indent=1) + "\n")
    names = list(next(iter(found.values())))
    lines = ["# Span scorer: the held-back fifth of the training groups", "", "Given the gold passages.", ""]
    lines += ["| | " + " | ".join(names) + " |", "|" + "---|" * (len(names) + 1)]
    lines += [f"| {key} | " + " | ".join(str(values[name]) for name in names) + " |" for key, values in found.items()]
    lines += [
        "",
        "On the material itself, of questions whose gold windows hold the answer: EM, F1 and share of answers in a sentence that",
        "holds a golden one, given the gold windows only, the same among others that share the question's words, and how many:",
        "",
        f"    {report['training log']}",
        "",
        "| file | sha256 |",
        "|---|---|",
        *(f"| {name} | {value} |" for name, value in report["digests"].items()),
        "",
    ]
    (HERE / "report.md").write_text("\n".join(lines))
    print("\n".join(lines))


if __name__ == "__main__":
    main()
