"""The line: one question, from contract to record. Read this file first; every step is a folder beside it."""

from __future__ import annotations

from dataclasses import dataclass

from remit.access.policy import PolicyProvider, authorize
from remit.access.principal import Principal
from remit.access.scope import Filters, Scope
from remit.answer.draft import Answerer
from remit.answer.understand import Understand, as_framed
from remit.contract.budget import Budget, Cost
from remit.contract.contract import Contract
from remit.corpus.document import Snapshot
from remit.corpus.store import Corpus
from remit.decide.decision import Action
from remit.decide.point import OperatingPoint
from remit.decide.rules import decide, open_to_repair
from remit.llm.cancel import Patience
from remit.observe.read import Observer
from remit.record.trace import Trace
from remit.repair.planner import NO_PLANNER, Executor, Planner, State
from remit.rerank.ranking import Reranker, admitted, inside
from remit.retrieve.retriever import Retriever, Search
from remit.settle.outcome import Outcome
from remit.settle.settle import Settle


@dataclass(frozen=True, slots=True)
class Line:
    """The parts a question passes through, chosen once by `engine`."""

    corpus: Corpus
    policy: PolicyProvider
    retriever: Retriever
    reranker: Reranker
    answerer: Answerer
    observe: Observer
    planner: Planner
    executor: Executor
    settle: Settle
    point: OperatingPoint
    candidates: int = 45
    understand: Understand = as_framed

    def ask(self, contract: Contract, who: Principal | None, trace: Trace, patience: Patience) -> Outcome:
        """Answer, ask back, hand to a person, abstain or deny; and leave in `trace` why."""
        note, catalogue = trace.note, self.corpus.catalogue()

        note(contract), note(self.point)
        budget = Budget.of(contract.limits, patience.clock())
        scope = note(authorize(who, contract, self.policy, catalogue))
        snapshot = note(self.corpus.snapshot())
        patience = patience.within(scope.digest, snapshot.digest)
        first = self._first(contract, scope, snapshot)
        found = note(
            self.retriever.search(Search(contract.claim, self.candidates, contract.wanted, first), scope, snapshot)
        )
        understood = self.understand(contract, found, patience)
        contract = contract if understood is contract else note(understood)
        budget = budget.spend(contract.cost)
        ranking = note(self.reranker.rank(contract, found, scope, budget, patience))
        budget = budget.spend(ranking.cost)
        draft = note(self.answerer.draft(contract, inside(ranking, scope), scope, budget, patience))
        budget, tried = note(budget.spend(draft.cost)), frozenset[str]()

        while True:
            seen = note(self.observe.read(contract, scope, snapshot, found, ranking, draft))
            state = State(contract, scope, snapshot, ranking, draft, seen, catalogue, admitted(found.hits, scope))
            planner = self.planner if open_to_repair(seen, self.point, budget) else NO_PLANNER
            proposal, plan = planner.propose(state, budget, tried, patience)
            budget = note(budget.spend(note(proposal).cost))
            decision = note(decide(seen, proposal, self.point, budget))
            if decision.action is not Action.RETRIEVE_AGAIN or plan is None:
                break
            tried |= {str(proposal.fingerprint)}
            repaired = note(self.executor.run(plan, state, budget, patience))
            budget = note(budget.spend(repaired.cost.plus(Cost(rounds=1))))
            ranking, draft = repaired.ranking, repaired.draft

        return note(self.settle(decision, contract, scope, seen, draft))

    def state(self, contract: Contract, who: Principal | None, patience: Patience) -> State:
        """Return what a planner sees after the first draft of a question. Nothing is decided and nothing recorded."""
        catalogue, snapshot = self.corpus.catalogue(), self.corpus.snapshot()
        budget = Budget.of(contract.limits, patience.clock())
        scope = authorize(who, contract, self.policy, catalogue)
        patience = patience.within(scope.digest, snapshot.digest)
        first = self._first(contract, scope, snapshot)
        found = self.retriever.search(Search(contract.claim, self.candidates, contract.wanted, first), scope, snapshot)
        contract = self.understand(contract, found, patience)
        budget = budget.spend(contract.cost)
        ranking = inside(self.reranker.rank(contract, found, scope, budget, patience), scope)
        draft = self.answerer.draft(contract, ranking, scope, budget.spend(ranking.cost), patience)
        seen = self.observe.read(contract, scope, snapshot, found, ranking, draft)
        return State(contract, scope, snapshot, ranking, draft, seen, catalogue, admitted(found.hits, scope))

    def _first(self, contract: Contract, scope: Scope, snapshot: Snapshot) -> Filters:
        """Return what the first search is about: the collections and the readable documents that the contract names."""
        there = (
            document for document in contract.documents if self.corpus.revisions(document, scope, snapshot=snapshot)
        )
        return Filters(collections=contract.collections or None, documents=tuple(there) or contract.documents or None)
