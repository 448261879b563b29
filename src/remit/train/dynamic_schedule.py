"""The schedule of DynamicRAG (algorithm 1) for the `encoder` reranker: from its clone of experts, by its own draws, iterated."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

from remit.answer.extract import Extractive
from remit.contract.value import Value
from remit.engine import Remit
from remit.measure.bertscore import TokenMatch
from remit.parts import encoder_of
from remit.rerank.head import Head
from remit.settings import Settings
from remit.train.bounds import Above, Many, Seed, Weight
from remit.train.collect import collect
from remit.train.environment import Environment, Kept, Quoting
from remit.train.expert import from_search
from remit.train.fit import Fitting, clone, fresh_head, rounded
from remit.train.instances import Shelf
from remit.train.planner_examples import by_question
from remit.train.reranker_preference import Epoch, Preferring, Ranked, prefer
from remit.train.reranker_trial import Case, RerankerTrial, rewarded, rows_of
from remit.train.reward import WEIGHTS, Weights
from remit.train.rollout import Provenance, Rollout
from remit.train.rollout_log import RolloutLog
from remit.train.shards import HERE, Where
from remit.train.steps import Trajectory as Taken
from remit.train.steps import steps_of


class Shares(Value):
    """The weights of the five terms of the reward (DynamicRAG, 3.2.3)."""

    exact: Weight = 0.2
    semantic: Weight = 0.2
    fluency: Weight = 0.2
    brevity: Weight = 0.2
    judged: Weight = 0.2

    @property
    def weights(self) -> Weights:
        """Return them as the reward takes them."""
        return Weights(self.exact, self.semantic, self.fluency, self.brevity, self.judged)


class DynamicSchedule(Value):
    """How a reranker is trained from its clone on: iterations of draws and preferences, eight draws a question as in the paper.

    It starts from the clone that ships, of experts who know the gold passages, or from a clone of the `search`: of an expert
    who sends what is scored at least `share` of the best and knows nothing of answers. Beside its draws, the first passages
    in the order found and in the policy's own are tried, as many as each of `prefixes` says.
    `similar` measures the semantic term with the packaged encoder (it is not BERTScore);
    `ablate` trains once more without each term.
    """

    start: Literal["package", "search"] = "package"
    share: Weight = 0.85
    start_epochs: Many = 3
    prefixes: tuple[Many, ...] = ()

    iterations: Many = 2
    samples: Many = 8
    temperature: Above = 1.0
    fit: Preferring = Preferring()
    reward: Shares = Shares()
    similar: bool = True
    ablate: bool = False
    fixed: tuple[int, ...] = (1, 3, 5, 10, 15)
    seed: Seed = 1


class Told(NamedTuple):
    """A line of the learning curve."""

    iteration: int
    epoch: Epoch


class Bench(NamedTuple):
    """What all iterations share: the stores, the log, digests of data and environment, and where work is done."""

    stores: Mapping[str, Path]
    today: date
    log: RolloutLog
    data: str
    environment: str
    answers: Path
    where: Where = HERE
    step: Callable[[str, int], object] = lambda *_: None


@dataclass(frozen=True, slots=True)
class TrialFactory:
    """Makes the trial of a reranker, in whatever process: an environment of each set, and the policy's weights."""

    stores: Mapping[str, Path]
    today: date
    answers: Path
    head: Head = field(repr=False)
    seed: int
    temperature: float = 1.0
    similar: bool = True
    prefixes: tuple[int, ...] = ()

    def __call__(self) -> RerankerTrial:
        """Return the trial; stores stay open as long as the process lives."""
        similarity = TokenMatch(encoder_of(Settings())) if self.similar else None  # type: ignore[arg-type] # it reads tokens
        held = {name: _environment(name, path, self.today, self.answers) for name, path in self.stores.items()}
        return RerankerTrial(
            held, self.head, seed=self.seed, temperature=self.temperature, similarity=similarity, prefixes=self.prefixes
        )


def drawn(
    head: Head, cases: Sequence[Case], bench: Bench, how: DynamicSchedule, *, number: int, temperature: float
) -> tuple[Rollout, ...]:
    """Return rollouts of a policy: the greedy choice alone at temperature 0, that and draws above it."""
    seed = how.seed + number
    prefixes = how.prefixes if temperature > 0 else ()
    factory = TrialFactory(bench.stores, bench.today, bench.answers, head, seed, temperature, how.similar, prefixes)
    named = f"{head.digest}" if temperature > 0 else f"greedy of {head.digest} stop {head.stop_at}"
    provenance = Provenance(
        policy=named, round=number, reward=f"terms/1 similar={how.similar}", data=bench.data,
        environment=bench.environment, seed=seed,
    )  # fmt: skip
    samples = how.samples if temperature > 0 else 1
    what = f"iteration {number}" if temperature > 0 else "greedy"
    done = collect(
        factory, cases, bench.log, provenance=provenance, samples=samples, where=bench.where,
        step=lambda count: bench.step(what, count),
    )  # fmt: skip
    return done.rollouts


def started(cases: Sequence[Case], how: DynamicSchedule) -> Head:
    """Return the policy that training begins with: the one that ships, or a clone of the search (step 1 of algorithm 1)."""
    if how.start == "package":
        return Head.read()
    limits, shown = Head({}, least=1), []
    for case in cases:
        hits = from_search(case.instance, share=how.share).hits
        shown.append(Taken(case.seen, tuple(case.seen.row(hit.passage.id) for hit in hits)))
    steps, fitting = steps_of(shown, limits), Fitting(seed=how.seed, epochs=how.start_epochs)
    return rounded(clone(fresh_head(steps, fitting, least=limits.least), steps, fitting))


def trained(
    cloned: Head,
    cases: Sequence[Case],
    bench: Bench,
    how: DynamicSchedule,
    *,
    weights: Weights = WEIGHTS,
    told: Callable[[Told], object] = lambda _: None,
) -> list[Head]:
    """Return the policy after each iteration; the reference of every one is the clone, as in the paper."""
    heads, head = [], cloned
    for number in range(1, how.iterations + 1):
        rollouts = drawn(head, cases, bench, how, number=number, temperature=how.temperature)
        fit = how.fit.model_copy(update={"seed": how.fit.seed + number})
        ranked = ranked_of(cases, rollouts, weights)
        head = rounded(prefer(ranked, head, cloned, fit, told=lambda epoch, n=number: told(Told(n, epoch))))  # type: ignore[misc]
        heads.append(head)
    return heads


def ranked_of(cases: Sequence[Case], rollouts: Sequence[Rollout], weights: Weights) -> list[Ranked]:
    """Return the rankings tried for each question with their rewards under some weights."""
    rewards, rows = rewarded(rollouts, weights), by_question(rollouts)
    found = []
    for case in cases:
        if case.id in rows and rewards.get(case.id):
            held = rewards[case.id]
            rankings = tuple(rows_of(text, case) for text in held)
            found.append(Ranked(case.id, case.seen, rankings, np.array(list(held.values()))))
    return found


_OPEN = ExitStack()


def _environment(name: str, store: Path, today: date, answers: Path) -> Environment:
    """Return the extractive answerer over a store, its answers kept; a model would stand in its place."""
    shelf = _OPEN.enter_context(Shelf(store, day=today))
    remit = _OPEN.enter_context(Remit.open(store, settings=shelf.settings, environ={}))
    quoting = Quoting(Extractive(remit.parts.encoder, remit.parts.retriever), shelf.scope)
    return Kept(quoting, answers / f"{name}.jsonl")
