"""Runs a comparison: systems by questions, in worker processes, each trial kept when it is done, so that a killed run goes on."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from pydantic import ValidationError

from remit.ask import Line
from remit.baselines.system import System, missing
from remit.baselines.table import system_of
from remit.cases.case import Case
from remit.contract.value import digest_of
from remit.errors import InvalidInput
from remit.evaluate.caps import Cap
from remit.evaluate.code import code_of
from remit.evaluate.comparison import Comparison
from remit.evaluate.material import Ready
from remit.evaluate.trial import Trial
from remit.evaluate.working import REPLIES, Job, Place, Try, bench_of, made
from remit.llm.learned import question_key

CARD: Final = "run-card.json"
TRIALS: Final = "trials.jsonl"


_LEARNED: Final = "learned_from"
APART: Final = frozenset({"experiment", "systems", "not_applicable"})
"""What of a card may change while the results stay: each trial says itself which system it is of."""


class Applied(NamedTuple):
    """The systems of an experiment as they are on one set: their names, or why they do not apply.

    `parts` are what each is made of, and `card` is what all of them share.
    """

    names: dict[int, str]
    reasons: dict[str, str]
    parts: dict[int, dict[str, str]]
    card: dict[str, Any]


class Ran(NamedTuple):
    """All trials there are of what was asked; what does not apply; the card; why the run ended early, if it did."""

    trials: tuple[Trial, ...]
    reasons: dict[str, str]
    card: dict[str, Any]
    stopped: str


def run(
    comparison: Comparison, place: Place, sets: Sequence[Ready], *, tell: Callable[[int, int], None] | None = None
) -> Ran:
    """Return the trials of a comparison; what is on disk already is not tried again, but for what had failed.

    Systems may be added, or change, between two runs in one folder: those that stayed are not tried again.

    Raises:
        InvalidInput: the folder holds a run under another card.
        RemitError: a store, a model or weights cannot be used.
    """
    applied = [_applied(comparison, place, one) for one in sets]
    reasons = {name: why for one in applied for name, why in one.reasons.items()}
    card = _carded(place.out / CARD, _card(comparison, sets, applied), reasons)
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


def ran_before(folder: Path) -> Ran:
    """Return what a folder holds of the run that its card describes; trials of systems as they were before are left out."""
    card: dict[str, Any] = json.loads((folder / CARD).read_text(encoding="utf-8"))
    reasons = card.pop("not_applicable", {})
    under = {(name, system["name"], system["under"]) for name, one in card["sets"].items() for system in one["systems"]}
    held = {trial.key: trial for trial in read_trials(folder / TRIALS)}
    kept = tuple(trial for trial in held.values() if (trial.set, trial.system, trial.under) in under)
    return Ran(kept, reasons, card, "")


def _applied(comparison: Comparison, place: Place, one: Ready) -> Applied:
    names: dict[int, str] = {}
    reasons: dict[str, str] = {}
    parts: dict[int, dict[str, str]] = {}
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
                names[at], parts[at] = (
                    name,
                    {**parts_of(system, means.line, bench.prompts), **known_to(system, one.cases)},
                )
        return Applied(names, reasons, parts, bench.card)


def parts_of(system: System, common: Line, prompts: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Return what a system has that others on the same card need not have: reranker, planner, operating point, prompts of its own."""
    own = getattr(system, "line", system)
    found = {name: part.name for name in ("reranker", "planner") if (part := getattr(own, name, None)) is not None}
    if "planner" in found:
        found["point"] = getattr(own, "point", common.point).digest
    folders = (("reranker", "rerank/"), ("planner", "repair/"))
    mine = [folder for part, folder in folders if part in found]
    mine.append(f"baselines/{type(system).__module__.rpartition('.')[2]}.")
    said = [list(one) for one in prompts if one[0].startswith(tuple(mine))]
    return {**found, "prompts": digest_of(said)[:23]} if said else found


def known_to(system: System, cases: Sequence[Case]) -> dict[str, str]:
    """Return how many of the questions a trained part of a system learned from, where there are any: they measure nothing."""
    own = getattr(system, "line", system)
    parts = (getattr(own, name, None) for name in ("reranker", "planner"))
    learned = frozenset[str]().union(*(getattr(part, "learned", ()) for part in parts))
    known = sum(question_key(case.question) in learned for case in cases)
    return {_LEARNED: f"{known} of {len(cases)} questions"} if known else {}


def _under(comparison: Comparison, held: Applied, number: int) -> str:
    """Return the digest of all that decides on a system's trials but the case: short, for each trial carries it."""
    limits = comparison.limits.model_dump(mode="json")
    entry = comparison.systems[number].model_dump(mode="json")
    parts = {name: said for name, said in held.parts[number].items() if name != _LEARNED}
    made = [limits, comparison.today.isoformat(), held.card, entry, parts]
    if comparison.likeness is not None:
        made.append(comparison.likeness.model_dump(mode="json"))
    return digest_of(made)[:23]


def _card(comparison: Comparison, sets: Sequence[Ready], applied: Sequence[Applied]) -> dict[str, Any]:
    asked = {
        one.name: {
            "questions": len(one.cases),
            "digest": one.digest,
            "left_out": one.left_out,
            **held.card,
            "systems": [
                {"name": name, "under": _under(comparison, held, number), **held.parts[number]}
                for number, name in held.names.items()
            ],
        }
        for one, held in zip(sets, applied, strict=True)
    }
    return {
        "experiment": comparison.digest,
        "name": comparison.name,
        "seed": comparison.seed,
        "code": code_of(),
        "today": comparison.today.isoformat(),
        "limits": comparison.limits.model_dump(mode="json"),
        "systems": [entry.model_dump(mode="json") for entry in comparison.systems],
        "sets": asked,
    }


def _shared(card: Mapping[str, Any]) -> dict[str, Any]:
    """Return what of a card has to stay for the results to be of one run."""
    sets = {name: {key: one[key] for key in one if key not in APART} for name, one in card["sets"].items()}
    return {**{key: card[key] for key in card if key not in APART}, "sets": sets}


def _carded(path: Path, card: dict[str, Any], reasons: Mapping[str, str]) -> dict[str, Any]:
    """Write the card and return it; see first that it is the one that the folder's results were made under.

    A run begun by a Remit that named no code goes on without: which code made its first trials is not known.
    """
    if path.exists():
        before = json.loads(path.read_text(encoding="utf-8"))
        if before.get("code") is None:
            card = {**card, "code": None}
            before["code"] = None
        held, wanted = _shared(before), _shared(card)
        changed = sorted(key for key in {*held, *wanted} if held.get(key) != wanted.get(key))
        if changed:
            raise InvalidInput(
                f"{path}: the results here were made under another card ({', '.join(changed)} differ): give another --out; "
                f"replies of a model that lie in {path.parent.name}/{REPLIES} may be copied into it"
            )
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_suffix(".new")
    new.write_text(json.dumps({**card, "not_applicable": reasons}, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    new.replace(path)
    return card


def _jobs(
    comparison: Comparison,
    sets: Sequence[Ready],
    applied: Sequence[Applied],
    done: Mapping[tuple[str, str, str], Trial],
) -> tuple[list[Job], list[tuple[str, str, str]]]:
    """Return what is left to do, and the keys of all that is wanted.

    Question by question, so that systems share what they do alike. With a chat model, whose replies are kept on disk, system by
    system in the order of the experiment: a run that its budget ends has whole systems.
    """
    jobs, wanted = [], []
    orders = (
        [range(len(comparison.systems))] if comparison.chat is None else [[n] for n in range(len(comparison.systems))]
    )
    for numbers in orders:
        for at, (one, held) in enumerate(zip(sets, applied, strict=True)):
            under = {number: _under(comparison, held, number) for number in numbers if number in held.names}
            for case in one.cases:
                left = []
                for number, digest in ((n, digest_of([case.digest, said])) for n, said in under.items()):
                    wanted.append((one.name, digest, held.names[number]))
                    kept = done.get(wanted[-1])
                    if kept is None or kept.failure:
                        left.append(Try(number, held.names[number], digest, under[number]))
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
    left = sum(len(job.tries) for job in jobs)
    with (place.out / TRIALS).open("a", encoding="utf-8") as file:
        for found in made(comparison, place, jobs, lambda: bool(cap.reached())):
            for trial in found:
                file.write(f"{trial.model_dump_json()}\n")
                done[trial.key] = trial
                cap.count(trial)
            file.flush()
            left -= len(found)
            if tell is not None:
                tell(total - left, total)
    return cap.reached() if left else ""
