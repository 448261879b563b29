"""One line under several operating points: what does not depend on the point is done once a case and shared.

Every part shared here gives the same for the same arguments, so that a system decides as it would alone. The time that a
shared step took is counted for each system that used it.
"""

from __future__ import annotations

import pickle
import time
import zlib
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from typing import TypeVar

from remit.access.scope import Scope
from remit.answer.draft import Answerer, Draft
from remit.ask import Line
from remit.contract.budget import Budget
from remit.contract.contract import Contract
from remit.corpus.document import Passage, Snapshot
from remit.decide.frozen import FrozenPoint
from remit.llm.cancel import Patience
from remit.llm.embed import Vectors
from remit.observe.evaluator import Evaluator
from remit.observe.observation import Observation, Support
from remit.observe.read import Observer
from remit.observe.support import judged
from remit.repair.plan import Plan
from remit.repair.planner import Executor, Planner, Repaired, State
from remit.rerank.ranking import Ranking
from remit.retrieve.retriever import Candidates, Retriever, Search

T = TypeVar("T")


class Memory:
    """What was done for each case, by what it was done with; and how long what was taken from here had taken.

    The present case's lies open, that of others packed, so that a second round over all cases finds what the first one did.
    """

    def __init__(self) -> None:
        self._kept: dict[Hashable, tuple[object, float]] = {}
        self._packed: dict[str, bytes] = {}
        self._case = ""
        self.saved = 0.0

    def turn_to(self, case: str) -> None:
        """Go over to another case, by its digest."""
        if case == self._case:
            return
        if self._kept:
            self._packed[self._case] = zlib.compress(pickle.dumps(self._kept), 1)
        packed = self._packed.pop(case, None)
        self._kept = {} if packed is None else pickle.loads(zlib.decompress(packed))  # noqa: S301 - packed by this object
        self._case = case

    def once(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return what is kept under `key`, or make it and keep it."""
        if key in self._kept:
            value, seconds = self._kept[key]
            self.saved += seconds
            return value  # type: ignore[return-value]  # what was made under this key
        began, before = time.monotonic(), self.saved
        made = make()
        self._kept[key] = (made, time.monotonic() - began + self.saved - before)
        return made


class _SharedRetriever:
    def __init__(self, retriever: Retriever, memory: Memory) -> None:
        self.retriever, self.memory, self.name = retriever, memory, retriever.name

    def search(self, search: Search, scope: Scope, snapshot: Snapshot) -> Candidates:
        key = ("search", search, scope, snapshot)
        return self.memory.once(key, lambda: self.retriever.search(search, scope, snapshot))

    def sentence_vectors(self, passage: Passage, scope: Scope) -> Vectors:
        return self.retriever.sentence_vectors(passage, scope)


class _SharedAnswerer:
    def __init__(self, answerer: Answerer, memory: Memory) -> None:
        self.answerer, self.memory, self.name = answerer, memory, answerer.name

    def draft(self, contract: Contract, ranking: Ranking, scope: Scope, budget: Budget, patience: Patience) -> Draft:
        key = ("draft", contract, ranking.hits, scope, budget.used)
        return self.memory.once(key, lambda: self.answerer.draft(contract, ranking, scope, budget, patience))


@dataclass(frozen=True, slots=True)
class _SharedExecutor:
    executor: Executor
    memory: Memory

    def run(self, plan: Plan, state: State, budget: Budget, patience: Patience) -> Repaired:
        key = ("run", plan.text, state.contract, state.scope, state.ranking.hits, state.draft, budget.used)
        return self.memory.once(key, lambda: self.executor.run(plan, state, budget, patience))


@dataclass(frozen=True, slots=True)
class _SharedObserver:
    observer: Observer
    memory: Memory
    evaluator: Evaluator | None

    def read(
        self,
        contract: Contract,
        scope: Scope,
        snapshot: Snapshot,
        found: Candidates,
        ranking: Ranking,
        draft: Draft,
    ) -> Observation:
        key = ("read", contract, scope, found.hits, ranking.hits, draft)
        seen = self.memory.once(key, lambda: self.observer.read(contract, scope, snapshot, found, ranking, draft))
        if self.evaluator is None or not isinstance(seen.support, Support):
            return seen
        support = judged(seen.support, self.evaluator, drafted=draft.answer is not None)
        return seen.model_copy(update={"support": support})


def under(line: Line, frozen: FrozenPoint, memory: Memory, planner: Planner) -> Line:
    """Return the line under another operating point, sharing through `memory` what does not depend on it.

    `line` itself has to be one without an evaluator.
    """
    return replace(
        line,
        retriever=_SharedRetriever(line.retriever, memory),
        answerer=_SharedAnswerer(line.answerer, memory),
        executor=_SharedExecutor(line.executor, memory),
        observe=_SharedObserver(line.observe, memory, frozen.evaluator),
        planner=planner,
        point=frozen.point,
    )
