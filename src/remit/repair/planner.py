"""The state a planner sees, and the port to planners."""

from __future__ import annotations

from enum import StrEnum
from typing import Final, NamedTuple, Protocol

from remit.access.scope import Scope
from remit.answer.draft import Draft
from remit.contract.budget import Budget, Cost
from remit.contract.catalogue import Catalogue
from remit.contract.contract import Contract
from remit.contract.value import DocumentText, Value
from remit.corpus.document import Snapshot
from remit.decide.proposal import Proposal
from remit.llm.cancel import Patience
from remit.observe.observation import Observation
from remit.repair.plan import Plan
from remit.rerank.ranking import Ranking
from remit.retrieve.retriever import Hit


class State(NamedTuple):
    """A RAG state at inference, (q, D, a0, c-hat) of RePAIR section 3.1, with what governs it.

    The estimate is `seen.estimate`; learned planners look at nothing else of the observation. The deterministic
    `template` planner reads the other readings too: it is the corrective protocol's, not the paper's. `found` holds what the
    first search found inside the scope, sent to the answerer or not.
    """

    contract: Contract
    scope: Scope
    snapshot: Snapshot
    ranking: Ranking
    draft: Draft
    seen: Observation
    catalogue: Catalogue
    found: tuple[Hit, ...] = ()


class Planned(NamedTuple):
    """A proposal together with the plan it describes; both say None where the planner had nothing new to offer."""

    proposal: Proposal
    plan: Plan | None


class Planner(Protocol):
    """Maps a state to a short corrective plan, or to none."""

    name: str

    def propose(self, state: State, budget: Budget, tried: frozenset[str], patience: Patience) -> Planned:
        """Return a plan whose fingerprint is not in `tried`, marked as repeated where only such a one is left."""


class NoPlanner:
    """Proposes nothing: what a single pass uses, and the line where a plan could not change the decision."""

    name = "none"

    def propose(self, state: State, budget: Budget, tried: frozenset[str], patience: Patience) -> Planned:
        """Return no plan, at no cost."""
        return Planned(Proposal(plan=None, policy=self.name), None)


NO_PLANNER: Final = NoPlanner()


class StepFailure(StrEnum):
    """Why a step of a plan gave nothing."""

    INDEX_OUT_OF_RANGE = "index_out_of_range"
    EMPTY_LIST = "empty_list"
    NEEDS_FAILED_STEP = "needs_failed_step"
    NOTHING_TO_REWRITE = "nothing_to_rewrite"
    NOT_DECOMPOSABLE = "not_decomposable"
    NOTHING_REFINED = "nothing_refined"
    COLLECTION_NOT_APPROVED = "collection_not_approved"
    NO_PASSAGE_IN_USE = "no_passage_in_use"
    NO_ANSWER = "no_answer"
    BUDGET_EXHAUSTED = "budget_exhausted"


class StepRecord(Value):
    """What one step of a plan did, by ids.

    Passages stand by their id, texts of the plan by name or digest. `refused` counts the rows that a retriever handed out
    against scope or filters.
    """

    name: str
    operation: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    failed: StepFailure | None = None
    refused: int = 0
    cost: Cost = Cost()


class Synonym(Value):
    """A phrase of the question and what a passage inside the scope says it means."""

    phrase: str
    meaning: DocumentText
    passage: str


class Repaired(Value):
    """What a plan led to. `accepted` is False where the first draft stood; `gained` lists passages not in use before.

    `synonyms` are the definitions by which the plan understood the question; none where the first draft stood.
    """

    ranking: Ranking
    draft: Draft
    steps: tuple[StepRecord, ...]
    gained: tuple[str, ...]
    accepted: bool
    why: str
    synonyms: tuple[Synonym, ...] = ()
    cost: Cost = Cost()


class Planning(NamedTuple):
    """A state, what a planner proposed for it, and what the plan led to; None where none was run."""

    state: State
    planned: Planned
    repaired: Repaired | None


class Executor(Protocol):
    """Runs a plan inside the state's scope and snapshot."""

    def run(self, plan: Plan, state: State, budget: Budget, patience: Patience) -> Repaired:
        """Return the new ranking and draft, or the first ones where no better came out."""
