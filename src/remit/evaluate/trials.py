"""Runs a comparison: systems by questions, in worker processes, each trial kept when it is done, so that a killed run goes on."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from pydantic import ValidationError

from remit.baselines.system import missing
from remit.baselines.table import system_of
from remit.contract.value import digest_of
from remit.errors import InvalidInput
from remit.evaluate.caps import Cap
from remit.evaluate.comparison import Comparison
from remit.evaluate.material import Ready
from remit.evaluate.trial import Trial
from remit.evaluate.working import Job, Place, bench_of, made

CARD: Final = "card.json"
TRIALS: Final = "trials.jsonl"


class Applied(NamedTuple):
    """The systems of an experiment as they are on one set: their names, or why they do not apply; and the set's card."""

    names: dict[int, str]
    reasons: dict[str, str]
    card: dict[str, Any]


class Ran(NamedTuple):
    """All trials in the order of sets, questions and systems; what does not apply; why the run ended early, if it did."""

    trials: tuple[Trial, ...]
    reasons: dict[str, str]
    card: dict[str, Any]
    stopped: str


def run(
    comparison: Comparison, place: Place, sets: Sequence[Ready], *, tell: Callable[[int, int], None] | None = None
) -> Ran:
    """Return the trials of a comparison; what is on disk already is not tried again, but for what had failed.

    Raises:
        InvalidInput: the folder holds a run under another card.
        RemitError: a store, a model or weights cannot be used.
    """
    applied = [_applied(comparison, place, one) for one in sets]
    reasons = {name: why for one in applied for name, why in one.reasons.items()}
    card = _card(comparison, sets, applied)
    _carded(place.out / CARD, {**card, "not_applicable": reasons})
    done = {trial.key: trial for trial in read_trials(place.out / TRIALS)}
    jobs, wanted = _jobs(comparison, sets, applied, done)
    stopped = _worked(comparison, place, jobs, done, len(wanted), tell)
    return Ran(tuple(done[key] for key in wanted if key in done), reasons, card, stopped)


def read_trials(path: Path) -> Iterator[Trial]:
    """Yield the trials of a file; a last line that a kill tore is left out.

    Raises:
        InvalidInput: another line is no trial.
    """
    lines = path.read_text(encoding="utf-8").split("\n") if path.exists() else []
    for number, line in enumerate(lines, 1):
        try:
            if line.strip():
                yield Trial.model_validate_json(line)
        except ValidationError as error:
            if number < len(lines):
                raise InvalidInput(f"{path}:{number}: is no trial; take the line out and run again") from error


def _mend(path: Path) -> None:
    """Cut off a last line that a kill tore, so that the next one does not join it."""
    if path.exists():
        held = path.read_bytes()
        whole = held.rfind(b"\n") + 1
        if whole < len(held):
            with path.open("r+b") as file:
                file.truncate(whole)


def read_card(folder: Path) -> dict[str, Any]:
    """Return the card of a run."""
    card: dict[str, Any] = json.loads((folder / CARD).read_text(encoding="utf-8"))
    return card


def _applied(comparison: Comparison, place: Place, one: Ready) -> Applied:
    names: dict[int, str] = {}
    reasons: dict[str, str] = {}
    with bench_of(comparison, place, one.store) as bench:
        means = bench.kit.means
        for at, entry in enumerate(comparison.systems):
            system = system_of(entry.system, entry.options, bench.kit)
            name = entry.label or system.name
            if why := missing(system, means.chat, means.spelled):
                reasons[name] = why
            elif name in names.values():
                raise InvalidInput(f"two systems are called {name!r}: give one of them a label")
            else:
                names[at] = name
        return Applied(names, reasons, bench.card)


def _card(comparison: Comparison, sets: Sequence[Ready], applied: Sequence[Applied]) -> dict[str, Any]:
    asked = {
        one.name: {"questions": len(one.cases), "digest": one.digest, "left_out": one.left_out, **held.card}
        for one, held in zip(sets, applied, strict=True)
    }
    return {
        "experiment": comparison.digest,
        "name": comparison.name,
        "seed": comparison.seed,
        "today": comparison.today.isoformat(),
        "limits": comparison.limits.model_dump(mode="json"),
        "systems": [entry.model_dump(mode="json") for entry in comparison.systems],
        "sets": asked,
    }


def _carded(path: Path, card: dict[str, Any]) -> None:
    """Write the card, or see that it is the one that the folder's results were made under."""
    text = json.dumps(card, indent=1, sort_keys=True) + "\n"
    if path.exists():
        held = json.loads(path.read_text(encoding="utf-8"))
        changed = sorted(key for key in {*held, *card} if held.get(key) != card.get(key))
        if changed:
            raise InvalidInput(
                f"{path}: the results here were made under another card ({', '.join(changed)} differ): give another --out"
            )
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _jobs(
    comparison: Comparison, sets: Sequence[Ready], applied: Sequence[Applied], done: dict[tuple[str, str, str], Trial]
) -> tuple[list[Job], list[tuple[str, str, str]]]:
    jobs, wanted = [], []
    for at, (one, held) in enumerate(zip(sets, applied, strict=True)):
        under = digest_of([comparison.limits.model_dump(mode="json"), comparison.today.isoformat(), held.card])
        for case in one.cases:
            left = []
            for number, name in held.names.items():
                digest = digest_of([case.digest, comparison.systems[number].model_dump(mode="json"), under])
                wanted.append((one.name, digest, name))
                kept = done.get(wanted[-1])
                if kept is None or kept.failure:
                    left.append((number, name, digest))
            if left:
                jobs.append(Job(at, one.name, case, one.store, tuple(left), one.parts.get(case.id, ())))
    return jobs, wanted


def _worked(
    comparison: Comparison,
    place: Place,
    jobs: Sequence[Job],
    done: dict[tuple[str, str, str], Trial],
    total: int,
    tell: Callable[[int, int], None] | None,
) -> str:
    """Do the jobs, in worker processes where there are several; return why it ended before the last, or nothing."""
    cap = Cap(comparison.run, time.monotonic)
    _mend(place.out / TRIALS)
    with (place.out / TRIALS).open("a", encoding="utf-8") as file:
        for found in made(comparison, place, jobs, lambda: bool(cap.reached())):
            for trial in found:
                file.write(f"{trial.model_dump_json()}\n")
                done[trial.key] = trial
                cap.count(trial)
            file.flush()
            if tell is not None:
                tell(sum(1 for one in done.values() if not one.failure), total)
    return cap.reached()
