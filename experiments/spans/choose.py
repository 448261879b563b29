"""Compares whole sentences, rules and scorer on the held-back training groups, and writes report.md and report.json.

`python choose.py HELD_BACK_WEIGHTS FOLDER`, in the project's environment; FOLDER is what material.py wrote. Here it was decided
for which forms the scorer speaks. No dev file is read.
"""

import argparse
import hashlib
import json
import sys
import tomllib
from collections import defaultdict
from importlib import resources
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))
from gold import DATA, EVERYONE, Encoder, cases

from remit.adapters.minilm import MiniLm
from remit.answer.bridge import strongest
from remit.answer.extract import SURE, Extractive
from remit.answer.span_scorer import WEIGHTS, SpanScorer, certain
from remit.measure.text import best, exact_match, token_f1

HERE = Path(__file__).resolve().parent
FOLDS = 5
SETS = ("nq", "hotpotqa", "2wiki")
WAYS = ("whole", "rule", "scorer", "both")
READ = ("material.py", "train.py", "spans.toml", "choose.py")


def held_back(weights: Path) -> list[dict]:
    """Return what each way answers to the questions of the held-back groups, from the sentence that Remit would quote."""
    scorer, rows = SpanScorer(MiniLm(), weights), []
    for name in SETS:
        encoder = Encoder(name)
        answerer = Extractive(encoder, encoder)
        for case in cases(name, "train"):
            group = case.line["metadata"].get("title") or case.id
            if int(hashlib.sha256(group.encode()).hexdigest(), 16) % FOLDS:
                continue
            joint = strongest(case.contract, case.ranking, answerer.weigh(case.contract, case.ranking, EVERYONE))
            if joint is None:
                continue
            text, found = joint.main.text, joint.main.found
            ruled = None if found is None else found.text
            scored = scorer.best(case.contract, text, joint.main.hit.source.title)
            answers = {
                "whole": text,
                "rule": ruled or text,
                "scorer": text[scored.start : scored.end] if scored else text,
            }
            unsure = scored is None or scored.chance < SURE or certain(case.contract, text, ruled)
            answers["both"] = answers["rule" if unsure else "scorer"]
            form = f"form {case.contract.form}, the rules {'find a span' if ruled not in {None, text} else 'find none'}"
            rows.append({"set": name, "form": form, "golden": case.golden, **answers})
        encoder.keep()
    return rows


def table(rows: list[dict]) -> dict[str, dict[str, float]]:
    """Return EM and F1 of each way, by set and by form."""
    parts = defaultdict(list)
    for row in rows:
        for key in (row["set"], row["form"]):
            parts[key].append([best(m, row[way], row["golden"]) for way in WAYS for m in (exact_match, token_f1)])
    names = [f"{way} {measure}" for way in WAYS for measure in ("EM", "F1")]
    return {
        key: {"n": len(values), **dict(zip(names, np.mean(values, axis=0).round(3).tolist(), strict=True))}
        for key, values in parts.items()
    }


def main() -> None:
    """Write the report."""
    options = argparse.ArgumentParser()
    options.add_argument("weights", type=Path)
    options.add_argument("folder", type=Path)
    chosen = options.parse_args()

    def digest(data: bytes) -> str:
        return hashlib.sha256(data).hexdigest()

    found = table(held_back(chosen.weights))
    shipped = resources.files("remit.answer")
    report = {
        "held back": found,
        "settings": tomllib.loads((HERE / "spans.toml").read_text())["train"],
        "digests": {
            **{f"{name}/train.jsonl": digest((DATA / name / "train.jsonl").read_bytes()) for name in SETS},
            "pairs.json": digest((chosen.folder / "pairs.json").read_bytes()),
            **{name: digest((HERE / name).read_bytes()) for name in READ},
            "span_scorer_features.py": digest(shipped.joinpath("span_scorer_features.py").read_bytes()),
            WEIGHTS: digest(shipped.joinpath(WEIGHTS).read_bytes()),
        },
        "training log": (chosen.folder / "back.log").read_text().splitlines()[-1],
    }
    (HERE / "report.json").write_text(json.dumps(report, indent=1) + "\n")
    names = list(next(iter(found.values())))
    lines = [
        "# Span scorer: the held-back fifth of the training groups",
        "",
        "Given the gold passages; the sentence is the one Remit would quote.",
        "",
    ]
    lines += ["| | " + " | ".join(names) + " |", "|" + "---|" * (len(names) + 1)]
    lines += [f"| {key} | " + " | ".join(str(values[name]) for name in names) + " |" for key, values in found.items()]
    lines += [
        "",
        "EM and F1 on held-back sentences that hold the answer, all of them, and how well none is told apart:",
        "",
        f"    {report['training log']}",
    ]
    lines += [
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
