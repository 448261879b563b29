"""The line itself, over parts that say what a test told them to."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import repeat

import pytest
from hypothesis import given
from hypothesis import strategies as st
from written import asked, hit, revision

from remit.access.policy import GroupLabels
from remit.access.principal import Principal
from remit.access.scope import Scope
from remit.answer.draft import Draft
from remit.ask import Line
from remit.contract.budget import Budget, Cost, Limits
from remit.contract.catalogue import Catalogue
from remit.contract.contract import Contract
from remit.corpus.document import Snapshot
from remit.decide.decision import Action, Decision
from remit.decide.point import OperatingPoint
from remit.decide.proposal import Proposal
from remit.errors import AccessFailed
from remit.llm.cancel import Patience
from remit.observe.observation import (
    Agreement,
    Authorization,
    CitationCheck,
    Coverage,
    Estimate,
    Observation,
    PassageScore,
    Relevance,
    Validity,
)
from remit.record.trace import Trace
from remit.repair.ops import GenerateAnswer, Ref
from remit.repair.plan import Plan, Step
from remit.repair.planner import Planned, Repaired, State
from remit.rerank.cutoff import Cutoff
from remit.rerank.ranking import Ranking
from remit.retrieve.retriever import Candidates, Hit, Search
from remit.settle.outcome import Outcome

SNAPSHOT = Snapshot(number=1, digest="sha256:0")
CONTRACT = asked("How long is the seal chamber of P-101 flushed?")
MARA = Principal(id="mara", groups=("staff",))
SEEN = hit(revision("PR-101", "3"), "The seal chamber of P-101 is flushed for 10 minutes.")
HIDDEN = hit(revision("HR-1", labels=["hr"]), "The seal chamber of P-101 is flushed for 5 minutes.")
PLAN = Plan((Step("final_answer", GenerateAnswer(Ref("question"), Ref("doc_list"))),))
DRAFT = Draft(answer="10 minutes", confidence=0.9, method="told")


def observed(*, enough: bool, outside: tuple[str, ...] = (), readable: int = 1) -> Observation:
    """Write an observation that is enough to answer, or lacks coverage."""
    return Observation(
        relevance=Relevance(passages=(PassageScore(passage="a", probability=0.9),), best=0.9, method="told"),
        coverage=Coverage(facts=(), share=1.0 if enough else 0.0, method="told"),
        agreement=Agreement(method="told"),
        validity=Validity(holds=(), method="told"),
        authorization=Authorization(readable=readable, outside=outside, method="told"),
        citations=CitationCheck(verified=("sha",), method="told"),
        estimate=Estimate(looks_correct=enough, probability=0.5, method="told"),
    )


@dataclass
class Told:
    """Every part of a line at once: it gives back what it was told and writes down what it was given."""

    hits: tuple[Hit, ...] = (SEEN,)
    enough: tuple[bool, ...] = (True,)
    offers: tuple[tuple[str, bool], ...] = ()
    name: str = "told"
    drafted: list[Ranking] = field(default_factory=list)
    planned: int = 0
    ran: int = 0
    reads: int = 0

    def catalogue(self) -> Catalogue:
        """Give no collections."""
        return Catalogue()

    def snapshot(self) -> Snapshot:
        """Give the one snapshot."""
        return SNAPSHOT

    def search(self, search: Search, scope: Scope, snapshot: Snapshot) -> Candidates:
        """Give the hits, whatever the scope says: a faulty engine."""
        return Candidates(hits=self.hits, readable=len(self.hits), visible=len(self.hits), snapshot=snapshot)

    def draft(self, contract: Contract, ranking: Ranking, scope: Scope, budget: Budget, patience: Patience) -> Draft:
        """Write down the ranking and draft."""
        self.drafted.append(ranking)
        return DRAFT if ranking.hits else Draft(answer=None, method="told")

    def read(
        self, contract: Contract, scope: Scope, snapshot: Snapshot, found: Candidates, ranking: Ranking, draft: Draft
    ) -> Observation:
        """Give the next observation; the last one is repeated."""
        enough = self.enough[min(self.reads, len(self.enough) - 1)]
        self.reads += 1
        labels = [h for h in ranking.hits if not scope.admits(h.source.labels, h.source.collection, h.source.document)]
        return observed(enough=enough, outside=tuple(h.passage.id for h in labels), readable=found.readable)

    def propose(self, state: State, budget: Budget, tried: frozenset[str], patience: Patience) -> Planned:
        """Offer the next plan; a fingerprint that was tried is marked as repeated, whatever the offer says."""
        if self.planned >= len(self.offers):
            return Planned(Proposal(plan=None, policy="told"), None)
        fingerprint, _ = self.offers[self.planned]
        self.planned += 1
        repeated = fingerprint in tried
        return Planned(Proposal(plan=PLAN.text, fingerprint=fingerprint, repeated=repeated, policy="told"), PLAN)

    def run(self, plan: Plan, state: State, budget: Budget, patience: Patience) -> Repaired:
        """Run nothing and keep the first draft."""
        self.ran += 1
        return Repaired(
            ranking=state.ranking, draft=state.draft, steps=(), gained=(), accepted=False, why="told", cost=Cost()
        )

    def __call__(
        self, decision: Decision, contract: Contract, scope: Scope, seen: Observation, draft: Draft
    ) -> Outcome:
        """Hand the decision on."""
        return Outcome(decision=decision, shown=decision, message="told")


def asking(told: Told, *, rounds: int = 2, who: Principal | None = MARA) -> tuple[Outcome, list[str]]:
    """Ask the line and return the outcome with the kinds of the trace's entries."""
    line = Line(
        corpus=told,  # type: ignore[arg-type]
        policy=GroupLabels(),
        retriever=told,  # type: ignore[arg-type]
        reranker=Cutoff(),
        answerer=told,
        observe=told,
        planner=told,
        executor=told,
        settle=told,
        point=OperatingPoint(),
    )
    trace = Trace("t")
    contract = CONTRACT.model_copy(update={"limits": Limits(rounds=rounds)})
    outcome = line.ask(contract, who, trace, Patience())
    return outcome, [entry.kind for entry in trace.entries]


def test_the_values_are_written_down_in_the_order_of_the_line() -> None:
    """A straight answer leaves the values of the line in the trace, in the order in which they came to be."""
    outcome, kinds = asking(Told())
    assert outcome.decision.action is Action.ANSWER
    assert kinds == [
        "Contract",
        "OperatingPoint",
        "Scope",
        "Snapshot",
        "Candidates",
        "Ranking",
        "Draft",
        "Budget",
        "Observation",
        "Proposal",
        "Budget",
        "Decision",
        "Outcome",
    ]


def test_nothing_readable_is_denied_without_drafting_from_anything() -> None:
    """A scope that opens nothing ends in deny, no planner is asked, and the answerer sees no passage."""
    told = Told(hits=(), offers=(("f", False),))
    outcome, _ = asking(told)
    assert (outcome.decision.action, told.planned, [r.hits for r in told.drafted]) == (Action.DENY, 0, [()])


def test_a_passage_outside_the_scope_is_denied_and_never_drafted_from() -> None:
    """What a faulty search brings from outside the scope reaches no answerer and ends the question in deny."""
    told = Told(hits=(SEEN, HIDDEN))
    outcome, _ = asking(told)
    assert (outcome.decision.action, [h.passage.id for h in told.drafted[0].hits]) == (Action.DENY, [SEEN.passage.id])


def test_without_a_principal_there_is_no_line() -> None:
    """Nobody asking is an access failure: nothing is searched and nothing drafted."""
    told = Told()
    with pytest.raises(AccessFailed):
        asking(told, who=None)
    assert (told.drafted, told.reads) == ([], 0)


@pytest.mark.parametrize("rounds", [0, 1, 2, 5])
def test_rounds_are_exact(rounds: int) -> None:
    """With ever new plans and never enough evidence exactly as many plans run as there are rounds, then it abstains."""
    told = Told(enough=(False,), offers=tuple((f"f{n}", False) for n in range(20)))
    outcome, kinds = asking(told, rounds=rounds)
    assert (told.ran, kinds.count("Repaired"), outcome.decision.action) == (rounds, rounds, Action.ABSTAIN)


def test_a_repeated_plan_ends_the_loop() -> None:
    """A plan whose fingerprint has run is not run again, however many rounds are left."""
    told = Told(enough=(False,), offers=tuple(repeat(("same", False), 9)))
    outcome, _ = asking(told, rounds=9)
    assert (told.ran, outcome.decision.action) == (1, Action.ABSTAIN)


def test_no_plan_is_asked_for_where_the_answer_stands() -> None:
    """Where the evidence suffices no plan is asked for and none runs."""
    told = Told(offers=(("f", False),))
    asking(told)
    assert (told.planned, told.ran) == (0, 0)


@given(
    st.lists(st.booleans(), min_size=1, max_size=6),
    st.lists(st.tuples(st.sampled_from("abc"), st.booleans()), max_size=8),
    st.integers(0, 4),
)
def test_the_line_always_ends(enough: list[bool], offers: list[tuple[str, bool]], rounds: int) -> None:
    """For any stream of readings and plans at most `rounds` plans run and the last decision is terminal."""
    told = Told(enough=tuple(enough), offers=tuple(offers))
    outcome, kinds = asking(told, rounds=rounds)
    assert told.ran <= rounds
    assert outcome.decision.action is not Action.RETRIEVE_AGAIN
    assert kinds[-1] == "Outcome"
