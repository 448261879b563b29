"""Plans tried for real: the state of a question in its store, plans that a teacher or a policy proposes, what they lead to."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Final, NamedTuple, cast

import numpy as np

from remit.access.principal import parse_principal
from remit.answer.extract import Extractive
from remit.contract.budget import Budget, Limits
from remit.contract.catalogue import Catalogue
from remit.contract.frame import Given, frame
from remit.contract.value import digest_of
from remit.engine import Remit
from remit.llm.cancel import Patience
from remit.measure.text import best, exact_match, token_f1
from remit.observe.estimate import head
from remit.repair.execute import PlanExecutor
from remit.repair.features import Seen, seen_of
from remit.repair.planner import State
from remit.repair.policy import Situation, Weights
from remit.repair.pool import chances, of_template, pool
from remit.rerank.choice import RerankChoice
from remit.settings import Settings
from remit.train.planner_examples import LEAVE, plan_of, text_of
from remit.train.questions import Question
from remit.train.rollout import Scored, Trajectory
from remit.train.teacher import proposals

LIMITS: Final = Limits(rounds=3, model_calls=20, seconds=600.0)
_ASKER: Final = "training:public"
_SPANS: Final = 5
_SAVED: Final = 25
_LEAST: Final = 1e-9
"""Chance beside that of the policy with which any plan may be drawn."""


class Instance(NamedTuple):
    """A question of a set with the state after its first draft.

    `margins` are the weights of the drafter's best spans, heaviest first: its reasoning, r0 of RePAIR.
    """

    question: Question
    source: str
    state: State
    margins: tuple[float, ...]

    @property
    def id(self) -> str:
        """The id of the question within all sets."""
        return f"{self.source}/{self.question.id}"

    @property
    def group(self) -> str:
        """What hangs together with it."""
        return f"{self.source}/{self.question.group}"

    def f1(self, answer: str | None) -> float:
        """Return the token F1 of an answer, the maximum over the golden ones; 0 for none."""
        return best(token_f1, answer or "", self.question.golden) if answer else 0.0

    def exact(self, answer: str | None) -> float:
        """Return whether an answer is a golden one."""
        return best(exact_match, answer, self.question.golden) if answer else 0.0

    def oracle(self) -> Seen:
        """Return what training sees off-policy: whether the draft is right, and the drafter's weights where it is not."""
        right = self.exact(self.state.draft.answer) == 1.0
        return Seen(right, () if right else self.margins)

    def estimated(self) -> Seen:
        """Return what training sees on-policy, as at inference."""
        return seen_of(self.state)


def opened(store: Path, settings: Settings | None = None) -> Remit:
    """Return a store to learn from, with room for every plan."""
    # The vanilla RAG of the tables sends the order found, whatever the default reranker is.
    said = settings or Settings(rerank=RerankChoice(policy="cutoff"))
    return Remit.open(store, settings=said.model_copy(update={"limits": LIMITS}), environ={})


def instances(
    remit: Remit,
    source: str,
    questions: Sequence[Question],
    kept: Path,
    *,
    today: date,
    step: Callable[[int], object] = lambda _: None,
) -> list[Instance]:
    """Return the questions with the states that the line drafts; they are kept in the file `kept` for the next time.

    What is kept is of one snapshot and one set of parts; of another it is made anew.
    """
    line = remit.parts.line
    parts = (line.answerer.name, line.reranker.name, remit.parts.encoder.name, head().digest)
    about = digest_of([remit.snapshot().digest, *parts])
    states: dict[str, tuple[State, tuple[float, ...]]] = {}
    extractive = Extractive(remit.parts.encoder, remit.parts.retriever)
    if kept.exists():
        held, states = pickle.loads(kept.read_bytes())  # noqa: S301 - a file that this function wrote
        states = states if held == about else {}
    who = parse_principal(_ASKER)
    before = len(states)
    for done, question in enumerate(questions, 1):
        if question.id not in states:
            contract = frame(question.text, Given(today=today, limits=LIMITS), Catalogue(), lambda _: None)
            state = line.state(contract, who, Patience())
            weighed = extractive.weigh(contract, state.ranking, state.scope)
            states[question.id] = (state, tuple(one.weight for one in weighed[:_SPANS]))
            if len(states) % _SAVED == 0:
                _save(kept, about, states)
        step(done)
    if len(states) > before:
        _save(kept, about, states)
    return [Instance(question, source, *states[question.id]) for question in questions]


def _save(kept: Path, about: str, states: object) -> None:
    kept.parent.mkdir(parents=True, exist_ok=True)
    waiting = kept.with_suffix(".part")
    waiting.write_bytes(pickle.dumps((about, states)))
    waiting.replace(kept)


class PlannerTrial:
    """Proposes plans by a teacher, or by the policy where `weights` are given, and scores the answers they lead to.

    Leaving the draft alone is always among what is sampled: its reward is that of the draft. At temperature 0 there is one
    trajectory, what the policy does at inference; with `template`, what the template planner does.
    """

    def __init__(self, stores: Mapping[str, Remit], how: TrialFactory) -> None:
        self._stores, self._how = stores, how

    def state(self, item: Instance) -> str:
        """Return the digest of the question, its passages and its draft: what all trajectories start from."""
        hits = [hit.passage.id for hit in item.state.ranking.hits]
        return digest_of([item.id, hits, item.state.draft.answer, item.state.snapshot.digest])

    def propose(self, item: Instance, count: int) -> Sequence[Trajectory]:
        """Return distinct trajectories, leaving alone first; the same for the same question and seed."""
        how = self._how
        chance = np.random.default_rng([how.seed, int(digest_of(item.id)[7:23], 16)])
        if how.template:
            return [Trajectory(text_of(of_template(item.state)))]
        if how.weights is None:
            taught = proposals(item.state, item.oracle(), count - 1, chance)
            return [Trajectory(LEAVE), *(Trajectory(plan.text) for plan in taught)]
        situation = Situation(item.state, item.estimated())
        plans = pool(item.state, situation)
        logs = chances(situation, plans, how.weights)
        if how.temperature == 0.0:
            best = int(logs.argmax())
            return [Trajectory(text_of(plans[best]), min(0.0, float(logs[best])))]
        weights = np.exp(chances(situation, plans, how.weights, how.temperature).astype(np.float64)) + _LEAST
        drawn = chance.choice(len(plans), size=min(count, len(plans)), replace=False, p=weights / weights.sum())
        order = [0, *sorted(int(place) for place in drawn if place)]  # leaving alone is always among them
        return [Trajectory(text_of(plans[place]), min(0.0, float(logs[place]))) for place in order]

    def score(self, item: Instance, trajectory: Trajectory) -> Scored:
        """Return the token F1 of what the plan leads to (RePAIR, 3.2); a plan that comes to nothing is worth 0.

        The terms hold exact match too, and both for what the fallback keeps: the new answer where it is estimated better.
        """
        plan, answer, why = plan_of(trajectory.text), item.state.draft.answer, ""
        kept = answer
        if plan is not None:
            executor = cast("PlanExecutor", self._stores[item.source].parts.line.executor)
            ran = executor.carried_out(plan, item.state, Budget.of(LIMITS, Patience().clock()), Patience())
            answer, why = (ran.draft.answer, "") if ran.draft is not None else (None, ran.why)
            settled = executor.settled(plan, item.state, ran)
            kept = settled.draft.answer if settled.accepted else kept
        terms = {"f1": item.f1(answer), "em": item.exact(answer), "kept f1": item.f1(kept), "kept em": item.exact(kept)}
        return Scored(answer, terms["f1"], terms, why)


@dataclass(frozen=True, slots=True)
class TrialFactory:
    """Makes the trial, in whatever process: stores by set, the seed, and a policy's weights or None for the teacher."""

    stores: Mapping[str, Path]
    seed: int
    weights: Weights | None = None
    temperature: float = 1.0
    template: bool = False

    def __call__(self) -> PlannerTrial:
        """Return the trial."""
        return PlannerTrial({name: opened(path) for name, path in self.stores.items()}, self)
