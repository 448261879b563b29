"""Two runs beside each other: the same systems over the questions that both have, paired."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from remit.errors import InvalidInput
from remit.evaluate.measures import MEASURES
from remit.evaluate.trial import Trial
from remit.measure.compare import compared, corrected


def beside(one: Sequence[Trial], other: Sequence[Trial], measure: str, *, seed: int = 1) -> list[dict[str, Any]]:
    """Return by set and system how a measure of the second run differs from the first; p-values corrected for all rows.

    Raises:
        InvalidInput: there is no such measure.
    """
    if measure not in MEASURES:
        raise InvalidInput(f"{measure!r} is no measure; known are {', '.join(MEASURES)}")
    of = MEASURES[measure].of
    first, second = ({(t.set, t.system, t.case): t for t in trials} for trials in (one, other))
    rows: dict[tuple[str, str], list[tuple[float, float, str]]] = {}
    for key in first.keys() & second.keys():
        was, now = of(first[key]), of(second[key])
        if was is not None and now is not None:
            rows.setdefault(key[:2], []).append((was, now, first[key].group))
    made = [_row(*key, measure, sorted(held), seed) for key, held in sorted(rows.items())]
    for row, holm in zip(made, corrected([row["p"] for row in made]), strict=True):
        row["holm"] = holm
    return made


def _row(name: str, system: str, measure: str, held: list[tuple[float, float, str]], seed: int) -> dict[str, Any]:
    was, now, groups = [row[0] for row in held], [row[1] for row in held], [row[2] for row in held]
    found = compared(now, was, groups, seed=seed)
    return {
        "set": name,
        "system": system,
        "measure": measure,
        "questions": len(held),
        "one": sum(was) / len(was),
        "other": sum(now) / len(now),
        "difference": found.difference.value,
        "low": found.difference.low,
        "high": found.difference.high,
        "p": found.p,
    }
