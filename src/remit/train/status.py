"""How far a training is: what its log holds by policy and round, and whether its report is there."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

from remit.train.rollout_log import read_rollouts


def status_of(folder: Path) -> dict[str, Any]:
    """Return the counts of a training's folder; one that has not begun has none."""
    log = folder / "rollouts.jsonl"
    rows = list(read_rollouts(log)) if log.exists() else []
    by: dict[tuple[int, str], set[str]] = defaultdict(set)
    counts: dict[tuple[int, str], int] = defaultdict(int)
    for row in rows:
        key = row.provenance.round, row.provenance.policy
        by[key].add(row.question)
        counts[key] += 1
    state = "complete" if (folder / "report.json").exists() else "under way" if rows else "not begun"
    return {
        "state": state,
        "rollouts": len(rows),
        "scored": len({(row.question, row.trajectory, row.provenance.environment) for row in rows}),
        "by_policy": [
            {
                "round": number,
                "policy": policy,
                "questions": len(by[number, policy]),
                "rollouts": counts[number, policy],
            }
            for number, policy in by
        ],
    }
