"""Fits the head that says whether a response looks correct, and reports it on dev parts beside an LLM judge.

Labels are exact matches with the golden answers. First drafts of the train parts, over the whole corpora, and with them the
drafts that the plans of `template` led to: a plan's answer is weighed by the same head. A logistic regression is calibrated by what
it is fitted for; the report gives the error that is left (ECE).
Run with REMIT_DATA and REMIT_STORES; with REMIT_GGUF a judge is asked too. Writes estimate.json and report.json; with --report
the head stays as it ships and only its report is made.
"""

import json
import math
import os
import sys
import time
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))

from repairing import CACHE, LIMITS, Instance, instances, kept, opened, run, talking  # noqa: E402 - after the path to it
from tqdm import tqdm  # noqa: E402

from remit.answer.draft import Draft  # noqa: E402
from remit.contract.budget import Budget  # noqa: E402
from remit.llm.cancel import Patience  # noqa: E402
from remit.observe.estimate import head as shipped  # noqa: E402
from remit.observe.estimate import signals  # noqa: E402
from remit.observe.evaluator import Evaluator  # noqa: E402
from remit.observe.observation import Unmeasured  # noqa: E402
from remit.repair.judge import Judge  # noqa: E402
from remit.repair.template import TemplatePlanner  # noqa: E402

HERE = Path(__file__).parent
SETS = ("nq", "hotpotqa", "2wiki")
NAME, RIDGE, FOLDS, SEED = "draft-head/1", 0.3, 5, 5
RISING = {"confidence", "support", "asked and quoted"}
JUDGED = 20


def drafted(name: str, part: str) -> list[Instance]:
    def made() -> list[Instance]:
        with opened(name) as remit:
            return list(tqdm(instances(remit, name, part), desc=f"{name} {part}", file=sys.stderr))

    return kept(CACHE / f"{name}-{part}.pkl", made)


def replanned(name: str) -> list[Instance]:
    """Return the train questions with the drafts that the plans of `template` led to in the place of the first ones."""

    def made() -> list[Instance]:
        found, planner = [], TemplatePlanner()
        with opened(name) as remit:
            for one in tqdm(drafted(name, "train"), desc=f"{name} plans", file=sys.stderr):
                budget = Budget.of(LIMITS, time.monotonic())
                plan = planner.propose(one.state, budget, frozenset(), Patience()).plan
                ran = None if plan is None else run(remit.parts.line.executor, plan, one.state)
                if ran is not None and ran.draft is not None:
                    found.append(one._replace(state=one.state._replace(draft=ran.draft)))
        return found

    return kept(CACHE / f"{name}-replanned.pkl", made)


def rows(found: list[Instance]) -> tuple[list[Instance], np.ndarray, np.ndarray]:
    answered = [one for one in found if one.state.draft.answer is not None]
    values = [list(signals(one.state.contract, one.state.draft).values()) for one in answered]
    return answered, np.array(values), np.array([one.em(one.state.draft.answer) for one in answered])


def fitted(values: np.ndarray, labels: np.ndarray, names: list[str]) -> Evaluator:
    """Return the head. A signal of `RISING` that the fit would count against a response is left out of it."""
    while True:
        center, scale = values.mean(axis=0), values.std(axis=0)
        scale[scale == 0] = 1.0
        model = LogisticRegression(C=RIDGE, max_iter=2000).fit((values - center) / scale, labels)
        kept = [n for n, name in enumerate(names) if name not in RISING or model.coef_[0][n] >= 0]
        if len(kept) == len(names):
            break
        values, names = values[:, kept], [names[n] for n in kept]
    knots = tuple((x / 4, round(1 / (1 + math.exp(-x / 4)), 6)) for x in range(-32, 33))
    return Evaluator(
        name=NAME,
        signals=tuple(names),
        center=tuple(round(float(x), 6) for x in center),
        scale=tuple(round(float(x), 6) for x in scale),
        weights=tuple(round(float(x), 6) for x in model.coef_[0]),
        bias=round(float(model.intercept_[0]), 6),
        knots=knots,
    )


def probabilities(head: Evaluator, found: list[Instance]) -> np.ndarray:
    return np.array([head.probability(signals(one.state.contract, one.state.draft)) for one in found])


def figures(chances: np.ndarray, labels: np.ndarray) -> dict[str, float]:
    said = chances >= 0.5  # noqa: PLR2004 -- likelier than not
    edges = np.minimum((chances * 10).astype(int), 9)
    gaps = [abs(chances[edges == b].mean() - labels[edges == b].mean()) * (edges == b).mean() for b in set(edges)]
    return {
        "n": len(labels),
        "correct": round(float(labels.mean()), 3),
        "accuracy": round(float((said == labels).mean()), 3),
        "auroc": round(float(roc_auc_score(labels, chances)), 3) if len(set(labels)) > 1 else None,
        "ece": round(float(sum(gaps)), 3),
        "says correct": round(float(said.mean()), 3),
    }


def by_confidence(draft: Draft) -> float:
    """Return what stood here before: a logistic curve over the answerer's confidence."""
    return 1.0 / (1.0 + math.exp(-10.0 * (draft.confidence - 0.55)))


def judged(path: str, found: list[Instance]) -> tuple[dict[str, float], float]:
    judge, said, labels, unread = Judge(talking(path)), [], [], 0
    began = time.process_time()
    for one in tqdm(found[:JUDGED], desc="judge", file=sys.stderr):
        budget = Budget.of(LIMITS, time.monotonic())
        verdict = judge.estimate(one.state.contract.claim, one.state.draft, budget, Patience())
        if isinstance(verdict, Unmeasured):
            unread += 1
            continue
        said.append(verdict.probability)
        labels.append(one.em(one.state.draft.answer))
    seconds = (time.process_time() - began) / max(1, len(found[:JUDGED]))
    return {**figures(np.array(said), np.array(labels)), "unreadable": unread}, seconds


def trained() -> tuple[Evaluator, int]:
    """Return the head fitted on train parts, and on how many responses."""
    found = {name: rows([*drafted(name, "train"), *replanned(name)]) for name in SETS}
    names = list(signals(found["nq"][0][0].state.contract, found["nq"][0][0].state.draft))
    values = np.concatenate([v for _, v, _ in found.values()])
    labels = np.concatenate([y for _, _, y in found.values()])
    head = fitted(values, labels, names)
    (ROOT / "src" / "remit" / "observe" / "estimate.json").write_text(
        head.model_dump_json(indent=1) + "\n", encoding="utf-8"
    )
    return head, len(labels)


def figured(head: Evaluator, name: str) -> dict[str, dict[str, float]]:
    """Return what the head, the confidence and the judges say of the first drafts of a dev part, beside the golden answers."""
    found, _, right = rows(drafted(name, "dev"))
    told = {
        "head": figures(probabilities(head, found), right),
        "confidence": figures(np.array([by_confidence(one.state.draft) for one in found]), right),
        "head, the first": figures(probabilities(head, found[:JUDGED]), right[:JUDGED]),
    }
    for path in filter(None, os.environ.get("REMIT_GGUF", "").split(":")):
        figure, seconds = judged(path, found)
        told[f"judge {Path(path).stem}, the first"] = {**figure, "cpu seconds": round(seconds, 2)}
    return told


def main() -> None:
    report: dict[str, object] = {"name": NAME}
    if "--report" in sys.argv[1:]:
        report["trained on"] = json.loads((HERE / "report.json").read_text(encoding="utf-8"))["trained on"]
        made = shipped()
    else:
        made, report["trained on"] = trained()
    report["digest"] = made.digest
    report["dev"] = {name: figured(made, name) for name in SETS}
    (HERE / "report.json").write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
