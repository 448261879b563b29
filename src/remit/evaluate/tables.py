"""The figures of a comparison, each with its interval; what could not be measured is None and is counted, never 0."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from remit.evaluate.measures import MEASURES
from remit.evaluate.surest import Surest, common_coverage, surest
from remit.evaluate.trial import CORRECT, Trial
from remit.measure.bootstrap import Interval, ratio
from remit.measure.calibration import (
    brier,
    calibration_error,
    calibration_floor,
    perfect_area,
    reliability,
    risk_coverage,
)
from remit.measure.compare import Compared, compared, corrected, discoveries

ALL: Final = "all sets"
TIMES: Final = 1000
FLIPS: Final = 5000
"""Permutations of a comparison: the smallest p-value is one in so many, and a correction multiplies it."""
_POINTS: Final = 60


class Figure(NamedTuple):
    """A figure with its interval, over how many trials; `unmeasured` counts those it could not be taken on."""

    interval: Interval | None
    counted: int
    unmeasured: int


class Versus(NamedTuple):
    """How a system differs from the reference on one measure; p as found, after Holm, and after Benjamini and Hochberg.

    `alike` is the share of questions to which both gave the very same answer, or none.
    """

    difference: Interval
    p: float
    holm: float
    bh: float
    detectable: float
    alike: float

    @property
    def found(self) -> bool:
        """Say whether the difference stands at 5 % after Holm's correction."""
        return self.holm <= 0.05  # noqa: PLR2004 -- the level that every table states


class Standing(NamedTuple):
    """One system on one set."""

    trials: int
    groups: int
    figures: dict[str, Figure]
    kinds: dict[str, dict[str, Figure]]
    confusion: dict[str, dict[str, int]]
    declined: dict[str, int]
    acts: dict[str, int]
    ks: dict[int, int]
    seconds: dict[str, float]
    risk: list[tuple[float, float]]
    aurc: float | None
    aurc_perfect: float | None
    bars: list[tuple[float, float, int]]
    calibration: dict[str, float | None]
    surest: dict[float, Surest]
    versus: dict[str, Versus]


def standings(
    trials: Sequence[Trial],
    systems: Sequence[str],
    *,
    reference: str,
    seed: int,
    versus: Sequence[str] = ("f1", "em"),
    asked: Mapping[str, int] | None = None,
) -> dict[str, dict[str, Standing]]:
    """Return each system's standing on each set, and on all of them together, every comparison paired.

    `asked` is how many questions a set has. Where some systems have done all of them, the others are left out of that set; where
    none has, or nothing is said, it is the questions that every system has done.
    """
    sets = dict.fromkeys(trial.set for trial in trials)
    parts = {name: _whole([trial for trial in trials if trial.set == name], (asked or {}).get(name)) for name in sets}
    if len(parts) > 1:
        everywhere = set.intersection(*({trial.system for trial in part} for part in parts.values()))
        parts[ALL] = [trial for part in parts.values() for trial in part if trial.system in everywhere]
    made = {name: [one for one in systems if any(t.system == one for t in part)] for name, part in parts.items()}
    return {name: _set(part, made[name], reference, seed, versus) for name, part in parts.items() if part}


def unfinished(trials: Sequence[Trial], systems: Sequence[str], asked: Mapping[str, int]) -> dict[str, str]:
    """Return of each system that has not done all that was asked how far it came, by set."""
    done = Counter((trial.system, trial.set) for trial in trials)
    told = {
        system: ", ".join(f"{done[system, name]} of {count} questions of {name}" for name, count in asked.items())
        for system in systems
    }
    short = {system for system in systems if any(done[system, name] < count for name, count in asked.items())}
    return {system: line for system, line in told.items() if system in short}


def _whole(part: Sequence[Trial], asked: int | None) -> list[Trial]:
    """Return the trials of the systems that have done a whole set, else those of questions that all systems were tried on."""
    counts = Counter(trial.system for trial in part)
    whole = {system for system, count in counts.items() if count == asked} or set(counts)
    tried = Counter(trial.case for trial in part if trial.system in whole)
    return [trial for trial in part if trial.system in whole and tried[trial.case] == len(whole)]


def _set(
    part: Sequence[Trial], systems: Sequence[str], reference: str, seed: int, versus: Sequence[str]
) -> dict[str, Standing]:
    held = {name: [trial for trial in part if trial.system == name] for name in systems}
    made = {name: standing(found, seed=seed) for name, found in held.items()}
    level = common_coverage(held.values())
    for name, found in held.items():
        made[name].surest.update(surest(found, level, seed=seed, times=TIMES))
    for measure in versus if reference in held else ():
        others = [name for name in systems if name != reference]
        pairs = {name: _compared(held[name], held[reference], measure, seed) for name in others}
        known = {name: pair for name, pair in pairs.items() if pair is not None}
        ps = [pair.p for pair in known.values()]
        for (name, pair), holm, bh in zip(known.items(), corrected(ps), discoveries(ps), strict=True):
            alike = _alike(held[name], held[reference])
            made[name].versus[measure] = Versus(pair.difference, pair.p, holm, bh, pair.detectable, alike)
    return made


def _compared(ours: Sequence[Trial], theirs: Sequence[Trial], measure: str, seed: int) -> Compared | None:
    of = MEASURES[measure].of
    pairs = [
        (one, other, f"{mine.set} {mine.group}")
        for mine, their in zip(ours, theirs, strict=True)
        if (one := of(mine)) is not None and (other := of(their)) is not None
    ]
    if not pairs:
        return None
    mine, their, groups = zip(*pairs, strict=True)
    return compared(mine, their, groups, seed=seed, times=FLIPS)


def _alike(ours: Sequence[Trial], theirs: Sequence[Trial]) -> float:
    return sum(one.answer == other.answer for one, other in zip(ours, theirs, strict=True)) / len(ours)


def standing(found: Sequence[Trial], *, seed: int) -> Standing:
    """Return the figures of one system's trials, without comparisons."""
    kinds = sorted({trial.kind for trial in found})
    risk, aurc, perfect = _risk(found)
    bars, calibration = _calibration(found, seed)
    return Standing(
        trials=len(found),
        groups=len({(trial.set, trial.group) for trial in found}),
        figures={name: figure(found, name, seed=seed) for name in MEASURES},
        kinds={
            kind: {
                name: figure([trial for trial in found if trial.kind == kind], name, seed=seed)
                for name in ("f1", "useful_coverage", "right_action")
            }
            for kind in kinds
        },
        confusion={kind: dict(Counter(trial.action for trial in found if trial.kind == kind)) for kind in kinds},
        declined=dict(Counter(trial.action for trial in found if not trial.answered)),
        acts=dict(Counter(act for trial in found for act in trial.steps).most_common()),
        ks=dict(sorted(Counter(trial.k for trial in found).items())),
        seconds=_seconds(found),
        risk=risk,
        aurc=aurc,
        aurc_perfect=perfect,
        bars=bars,
        calibration=calibration,
        surest={},
        versus={},
    )


def figure(found: Sequence[Trial], name: str, *, seed: int) -> Figure:
    """Return one measure of some trials; no interval where none of them counts."""
    values = [MEASURES[name].of(trial) for trial in found]
    counted = [(value, f"{t.set} {t.group}") for value, t in zip(values, found, strict=True) if value is not None]
    if not counted:
        return Figure(None, 0, len(found))
    taken, groups = zip(*counted, strict=True)
    interval = ratio(taken, [1.0] * len(taken), groups, seed=seed, times=TIMES)
    return Figure(interval, len(taken), len(found) - len(taken))


def _risk(found: Sequence[Trial]) -> tuple[list[tuple[float, float]], float | None, float | None]:
    """Return risk by coverage of the answers in order of confidence, coverage being of all questions; and the areas."""
    answered = [trial for trial in found if trial.answered and trial.confidence is not None]
    if not answered:
        return [], None, None
    wrong = [float(not trial.supported) for trial in answered]
    curve = risk_coverage([float(trial.confidence or 0.0) for trial in answered], wrong)
    share = len(answered) / len(found)
    places = sorted({*np.linspace(0, len(answered) - 1, min(_POINTS, len(answered))).astype(int).tolist()})
    points = [(round(float(curve.coverage[at]) * share, 4), round(float(curve.risk[at]), 4)) for at in places]
    return points, curve.area, perfect_area(wrong)


def _calibration(found: Sequence[Trial], seed: int) -> tuple[list[tuple[float, float, int]], dict[str, float | None]]:
    """Return how confidence compares with being correct, over the answers to questions that have golden ones."""
    known = [trial for trial in found if trial.answered and trial.confidence is not None and trial.f1 is not None]
    if not known:
        return [], dict.fromkeys(("ece", "ece_perfect", "brier"))
    said = [min(1.0, max(0.0, float(trial.confidence or 0.0))) for trial in known]
    so = [float((trial.f1 or 0.0) >= CORRECT) for trial in known]
    floor = calibration_floor(said, seed=seed, times=200)
    bars = [(bar.said, bar.so, bar.cases) for bar in reliability(said, so)]
    return bars, {"ece": calibration_error(said, so), "ece_perfect": floor.mean, "brier": brier(said, so)}


def _seconds(found: Sequence[Trial]) -> dict[str, float]:
    if not found:
        return {}
    taken = [trial.seconds for trial in found]
    return {f"p{at}": float(np.percentile(taken, at)) for at in (50, 95)}


def as_json(held: Mapping[str, Mapping[str, Standing]]) -> dict[str, Any]:
    """Return the standings as JSON data; seconds stand apart, for they alone do not come out the same again."""
    made = {name: {system: _standing(one) for system, one in found.items()} for name, found in held.items()}
    rounded: dict[str, Any] = _rounded(made)
    return rounded


def _rounded(value: Any) -> Any:
    """Return data with its fractions to six places: more of them say nothing."""
    match value:
        case float():
            return round(value, 6)
        case dict():
            return {key: _rounded(one) for key, one in value.items()}
        case list() | tuple():
            return [_rounded(one) for one in value]
        case _:
            return value


def _standing(one: Standing) -> dict[str, Any]:
    return {
        **one._asdict(),
        "figures": {name: _figure(found) for name, found in one.figures.items()},
        "kinds": {kind: {name: _figure(f) for name, f in held.items()} for kind, held in one.kinds.items()},
        "surest": [found._asdict() for found in one.surest.values()],
        "ks": {str(k): count for k, count in one.ks.items()},
        "versus": {name: {**v._asdict(), "difference": v.difference._asdict()} for name, v in one.versus.items()},
    }


def _figure(found: Figure) -> dict[str, Any]:
    interval = None if found.interval is None else found.interval._asdict()
    return {"interval": interval, "count": found.counted, "unmeasured": found.unmeasured}
