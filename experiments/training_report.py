"""Writes what a training left beside its recipe: report.json, report.md and curve.svg.

    python experiments/training_report.py OUT experiments/repair

OUT is the folder that `remit train planner` or `remit train reranker` wrote.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

from remit.evaluate.plots import curves


def shown(value: list[float] | None) -> str:
    return "" if value is None else f"{value[0]:.3f} [{value[1]:.3f}, {value[2]:.3f}]"


def markdown(rows: list[dict[str, Any]]) -> list[str]:
    names = list(rows[0])
    return [
        f"| {' | '.join(names)} |",
        f"|{'---|' * len(names)}",
        *(f"| {' | '.join(str(row.get(name, '')) for name in names)} |" for row in rows),
    ]


def of_planner(report: dict[str, Any]) -> list[str]:
    lines = ["# RePAIR's two phases, cross-fitted by group", "", report["headline"], ""]
    said = {
        "f1": "Token F1, controller off (the paper's 5.1, table 2)",
        "em": "Exact match, controller off",
        "kept f1": "Token F1 of what the fallback keeps",
    }
    for term, title in said.items():
        rows = [
            {
                "set": row["set"], "n": row["n"], "system": row["system"], "value": shown(row["value"]),
                "over vanilla": shown(row.get("difference")), "relative": f"{row['relative']:+.1%}" if row.get("relative") is not None else "",
                "p": f"{row['p']:.4f}" if "p" in row else "", "found from": f"{row['detectable']:.3f}" if "detectable" in row else "",
            }
            for row in report["tables"][term]
        ]  # fmt: skip
        lines += [f"## {title}", "", *markdown(rows), ""]
    kinds = ["Retrieval", "RewriteQuery", "DecomposeQuery", "RefineDoc", "GenerateAnswer", "final GenerateAnswer"]
    usage = [
        {
            "set": row["set"],
            "system": row["system"],
            **{kind: row["actions"].get(kind, 0) for kind in kinds},
            "a question": f"{sum(row['actions'].get(kind, 0) for kind in kinds[:-1]) / row['n']:.2f}",
        }
        for row in report["tables"]["f1"]
        if "actions" in row
    ]
    lines += [
        "## Actions (5.3, table 3)",
        "",
        "`final GenerateAnswer` counts the plans; the others are operations before their final answer, `a question` their sum by questions.",
        "",
        *markdown(usage),
        "",
    ]
    pairs = [
        {"one": row["one"], "other": row["other"], "F1 difference": shown(row["difference"]), "p": f"{row['p']:.4f}"}
        for row in report["phases"]
    ]
    return [*lines, "## Trainings beside each other (5.2)", "", *markdown(pairs), ""]


def of_reranker(report: dict[str, Any], ablations: list[dict[str, Any]]) -> list[str]:
    lines = ["# DynamicRAG's preferences, on questions held out", "", report["headline"], ""]
    figures = ("reward", "exact", "f1", "k")

    def row_of(row: dict[str, Any]) -> dict[str, Any]:
        made = {"set": row["set"], "n": row["n"], "system": row["system"]}
        for figure in figures:
            made[figure] = shown(row[figure])
        made["reward over the clone"] = shown(row.get("reward difference"))
        made["f1 over the clone"] = shown(row.get("f1 difference"))
        return made

    lines += [*markdown([row_of(row) for row in report["table"]]), "", "## Passages sent", ""]
    most = max(int(k) for held in report["k"].values() for k in held)
    lines += markdown(
        [
            {"system": name, **{str(k): held.get(str(k), 0) for k in range(most + 1)}}
            for name, held in report["k"].items()
        ]
    )
    if report["without"]:
        lines += [
            "",
            "## Rewards without one term, one iteration each, scored by the whole reward",
            "",
            *markdown([row_of(row) for row in report["without"]]),
        ]
    if report.get("headroom"):
        lines += ["", "## What the rankings tried leave to be learned, on the questions trained on", ""]
        lines += markdown(
            [{name: f"{v:.3f}" if isinstance(v, float) else v for name, v in row.items()} for row in report["headroom"]]
        )
    if ablations:
        lines += ["", "## Retrievers, and how many candidates", ""]
        lines += markdown(
            [{key: value for key, value in row_of(row).items() if "clone" not in key} for row in ablations]
        )
    return [*lines, ""]


def curve(out: Path, kind: str) -> str:
    lines: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for row in json.loads((out / kind / "curve.json").read_text()):
        name = f"iteration {row['iteration']}" if kind == "reranker" else f"{row['phase']} {row['round']}"
        if kind == "reranker" or row["fold"] is None:
            lines[name].append((row["number"] + 1, row["loss"]))
    return curves(lines, "epoch", "DPO loss")


def main() -> None:
    out, beside = Path(sys.argv[1]), Path(sys.argv[2])
    report, more = json.loads((out / "report.json").read_text()), out / "ablations.json"
    ablations = json.loads(more.read_text()) if more.exists() else []
    kind = report["recipe"]["kind"]
    beside.mkdir(parents=True, exist_ok=True)
    report = {**report, "ablations": ablations} if ablations else report
    (beside / "report.json").write_text(json.dumps(report, ensure_ascii=False) + "\n", encoding="utf-8")
    text = of_planner(report) if kind == "planner" else of_reranker(report, ablations)
    (beside / "report.md").write_text("\n".join(text), encoding="utf-8")
    (beside / "curve.svg").write_text(curve(out, kind) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
