"""Plans of the two papers that write them, run by the common executor: what is observed, and whose answer stands."""

from __future__ import annotations

from remit.answer.draft import Draft
from remit.baselines.work import Work
from remit.contract.contract import Contract
from remit.repair.drafting import POLICY
from remit.repair.plan import Plan
from remit.repair.planner import Executor, Repaired, State
from remit.rerank.ranking import Ranking
from remit.retrieve.retriever import Candidates, Hit


def state_of(work: Work, found: Candidates, hits: tuple[Hit, ...], draft: Draft) -> State:
    """Return the state that planners are shown."""
    line, asked = work.means.line, work.asked
    ranking = Ranking(hits=hits, policy="baseline", reason="as the system ordered them")
    seen = line.observe.read(asked.contract, asked.scope, asked.snapshot, found, ranking, draft)
    return State(asked.contract, asked.scope, asked.snapshot, ranking, draft, seen, line.corpus.catalogue())


def ran(work: Work, plan: Plan, state: State, executor: Executor) -> Repaired:
    """Return what a plan led to, its cost charged and its operations put down, the final answer not among them."""
    done = executor.run(plan, state, work.budget, work.patience)
    work.budget = work.budget.spend(done.cost)
    for step in plan.steps[:-1]:
        work.did(type(step.operation).__name__)
    work.did("answer")
    if done.accepted:
        work.sent = done.ranking.hits
    return done


def takes_the_new(contract: Contract, ranking: Ranking, draft: Draft) -> float:
    """Estimate a plan's draft above the first one, whatever it says: what RAG-Critic does."""
    return float(ranking.policy == POLICY)
