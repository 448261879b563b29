"""The two phases of RePAIR (algorithms 1 and 2) for the `encoder` planner, and their cross-fitting by group."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final, Literal, NamedTuple

from remit.contract.value import Value, digest_of
from remit.repair.encoder import bytes_of
from remit.repair.policy import Weights
from remit.train.bounds import Above, Count, Folds, Many, Seed
from remit.train.collect import collect
from remit.train.planner_examples import Tried, by_question, tried
from remit.train.planner_preference import Epoch, Preferring, prefer
from remit.train.planner_trial import Instance, TrialFactory
from remit.train.questions import part_of
from remit.train.rollout import Provenance, Rollout
from remit.train.rollout_log import RolloutLog
from remit.train.shards import HERE, Where

Phase = Literal["offline", "online", "both"]
PHASES: Final[tuple[Phase, ...]] = ("offline", "online", "both")
TEACHER: Final = "teacher/1"
TEMPLATE: Final = "template"
POOLED: Final = "pool/2"
"""How a policy chooses: rollouts of another way are not its own."""


class RepairSchedule(Value):
    """How a planner is trained: plans the teacher proposes, rounds on-policy, plans sampled in each, and both fits.

    `online_questions` are drawn for each on-policy round; all of them unless told. The reference is the initial policy in both phases, as in the paper, not what came of the first.
    """

    teacher_plans: Many = 16
    rounds: Count = 2
    samples: Many = 8
    online_questions: Many | None = None
    temperature: Above = 1.0
    offline: Preferring = Preferring()
    online: Preferring = Preferring()
    folds: Folds = 5
    seed: Seed = 1


class Told(NamedTuple):
    """A line of the learning curve: which phase and round, and the epoch."""

    phase: str
    round: int
    epoch: Epoch


class Bench(NamedTuple):
    """What all phases share: stores by set, the log, the digests of the data and of what answers, and where work is done."""

    stores: Mapping[str, Path]
    log: RolloutLog
    data: str
    environment: str
    where: Where = HERE
    step: Callable[[str, int], object] = lambda *_: None

    def provenance(self, policy: str, number: int, seed: int) -> Provenance:
        """Return where rollouts of a policy in a round are from."""
        return Provenance(
            policy=policy, round=number, reward="token-f1/1", data=self.data, environment=self.environment, seed=seed
        )


def taught(instances: Sequence[Instance], bench: Bench, how: RepairSchedule) -> tuple[Rollout, ...]:
    """Return the off-policy log: for each question what the teacher proposed, run and scored."""
    return collect(
        TrialFactory(bench.stores, how.seed),
        instances,
        bench.log,
        provenance=bench.provenance(TEACHER, 0, how.seed),
        samples=how.teacher_plans,
        where=bench.where,
        step=lambda done: bench.step("teacher", done),
    ).rollouts


def offline(
    instances: Sequence[Instance],
    rollouts: Sequence[Rollout],
    initial: Weights,
    how: RepairSchedule,
    told: Callable[[Told], object] = lambda _: None,
) -> Weights:
    """Return the planner after the off-policy phase: it learns from what the teacher tried, and sees the oracle's label."""
    examples = _examples(instances, rollouts, oracle=True)
    return prefer(examples, initial, initial, how.offline, told=lambda epoch: told(Told("offline", 0, epoch)))


def online(
    instances: Sequence[Instance],
    start: Weights,
    initial: Weights,
    bench: Bench,
    how: RepairSchedule,
    told: Callable[[Told], object] = lambda _: None,
) -> Weights:
    """Return the planner after the on-policy rounds: it samples its own plans, and sees only the estimate."""
    weights, every = start, instances
    for number in range(1, how.rounds + 1):
        instances = _drawn(every, how, number)
        sampled = collect(
            TrialFactory(bench.stores, how.seed + number, weights, how.temperature),
            instances,
            bench.log,
            provenance=bench.provenance(f"{POOLED} {digest_of_weights(weights)}", number, how.seed + number),
            samples=how.samples,
            where=bench.where,
            step=lambda done, number=number: bench.step(f"round {number}", done),  # type: ignore[misc]
        ).rollouts
        examples = _examples(instances, sampled, oracle=False)
        fit = how.online.model_copy(update={"seed": how.online.seed + number})
        weights = prefer(
            examples,
            weights,
            initial,
            fit,
            told=lambda epoch, number=number: told(Told("online", number, epoch)),  # type: ignore[misc]
        )
    return weights


def trained(
    instances: Sequence[Instance],
    rollouts: Sequence[Rollout],
    *,
    initial: Weights,
    bench: Bench,
    how: RepairSchedule,
    phases: Sequence[Phase] = PHASES,
    told: Callable[[Told], object] = lambda _: None,
) -> dict[Phase, Weights]:
    """Return the planner after each of the paper's trainings (table 2, rows 7 to 9); `rollouts` are the teacher's."""
    found: dict[Phase, Weights] = {}
    if "offline" in phases or "both" in phases:
        found["offline"] = offline(instances, rollouts, initial, how, told)
    if "both" in phases:
        found["both"] = online(instances, found["offline"], initial, bench, how, told=told)
    if "online" in phases:
        found["online"] = online(instances, initial, initial, bench, how, told=told)
    return found


def chosen(
    policy: Weights | None, instances: Sequence[Instance], bench: Bench, how: RepairSchedule
) -> tuple[Rollout, ...]:
    """Return what a policy does at inference, one rollout a question: its likeliest plan, or leaving the draft alone.

    None stands for the `template` planner.
    """
    name = TEMPLATE if policy is None else digest_of_weights(policy)
    factory = TrialFactory(bench.stores, how.seed, policy, 0.0, template=policy is None)
    provenance = bench.provenance(name if policy is None else f"{POOLED} likeliest of {name}", 0, how.seed)
    return collect(factory, instances, bench.log, provenance=provenance, samples=1, where=bench.where).rollouts


def folds_of(instances: Sequence[Instance], how: RepairSchedule) -> list[tuple[list[Instance], list[Instance]]]:
    """Return for each fold what is trained on and what is held out; no group stands on both sides."""
    part = {one.id: part_of(one.group, how.folds) for one in instances}
    return [
        ([one for one in instances if part[one.id] != fold], [one for one in instances if part[one.id] == fold])
        for fold in range(how.folds)
    ]


def digest_of_weights(weights: Weights) -> str:
    """Return the digest of a planner's weights, as traces and artifacts name it."""
    return f"sha256:{hashlib.sha256(bytes_of(weights)).hexdigest()}"


def _drawn(instances: Sequence[Instance], how: RepairSchedule, number: int) -> Sequence[Instance]:
    """Return the questions of an on-policy round, in their order; which they are is up to chance, the same each time."""
    if how.online_questions is None or how.online_questions >= len(instances):
        return instances
    order = sorted(range(len(instances)), key=lambda place: digest_of([how.seed, number, instances[place].id]))
    return [instances[place] for place in sorted(order[: how.online_questions])]


def _examples(instances: Sequence[Instance], rollouts: Sequence[Rollout], *, oracle: bool) -> list[Tried]:
    rows = by_question(rollouts)
    return [
        tried(
            one.state,
            one.oracle() if oracle else one.estimated(),
            rows.get(one.id, ()),
            question=one.id,
            group=one.group,
        )
        for one in instances
    ]
