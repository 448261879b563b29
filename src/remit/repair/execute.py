"""Run a plan: one `match` over the five operations, inside the state's scope, snapshot and budget."""

from __future__ import annotations

from typing import Final, NamedTuple, assert_never

from remit.answer.draft import Answerer, Draft
from remit.contract.budget import Budget, Cost
from remit.llm.cancel import Patience
from remit.repair.accept import Estimator, better, by_confidence
from remit.repair.bindings import Answered, Asked, Bindings, Doc, Failed, Passages, Result, ids, named, once
from remit.repair.check import check
from remit.repair.decompose import Decomposer
from remit.repair.drafting import contract_for, ranking_of, resting_on, told
from remit.repair.find import find
from remit.repair.ops import DecomposeQuery, GenerateAnswer, Operation, RefineDoc, Retrieval, RewriteQuery
from remit.repair.plan import FINAL, Plan, Step
from remit.repair.planner import Repaired, State, StepFailure, StepRecord, Synonym
from remit.repair.reach import Reach
from remit.repair.refine import Refiner, SentenceRefiner
from remit.repair.rewrite import Rewriter
from remit.rerank.ranking import Ranking
from remit.retrieve.retriever import Retriever

NOTHING_PAID: Final = frozenset[type[Operation]]()


class Parts(NamedTuple):
    """What the operations are done with. `paid` are the operations that take a model call."""

    retriever: Retriever
    answerer: Answerer
    rewriter: Rewriter
    decomposer: Decomposer
    refiner: Refiner
    paid: frozenset[type[Operation]]
    estimate: Estimator


class PlanExecutor:
    """Runs plans with the parts it is given. The same plan, state and parts give the same result."""

    def __init__(
        self,
        retriever: Retriever,
        answerer: Answerer,
        rewriter: Rewriter,
        decomposer: Decomposer,
        refiner: Refiner | None = None,
        *,
        paid: frozenset[type[Operation]] = NOTHING_PAID,
        estimate: Estimator = by_confidence,
    ) -> None:
        """Take the parts. `paid` names the operations that call a model; `estimate` says which draft is the better one."""
        self._parts = Parts(retriever, answerer, rewriter, decomposer, refiner or SentenceRefiner(), paid, estimate)

    @property
    def name(self) -> str:
        """Return the parts that make a plan's result what it is."""
        parts = self._parts
        return " ".join(part.name for part in (parts.answerer, parts.rewriter, parts.decomposer, parts.refiner))

    def run(self, plan: Plan, state: State, budget: Budget, patience: Patience) -> Repaired:
        """Return the new ranking and draft, or the first ones where no better came out.

        Raises:
            Cancelled: the asker went away or the deadline passed; checked before each operation.
        """
        return self.settled(plan, state, self.carried_out(plan, state, budget, patience))

    def carried_out(self, plan: Plan, state: State, budget: Budget, patience: Patience) -> Ran:
        """Return what a plan leads to, before it is held against the first draft: what training rewards.

        Raises:
            Cancelled: as `run`.
        """
        if error := check(plan):
            return Ran(f"abandoned: {error}")
        if budget.rounds < 1:
            return Ran("abandoned: no round is left")
        return _Run(self._parts, state, budget, patience).all(plan)

    def settled(self, plan: Plan, state: State, ran: Ran) -> Repaired:
        """Return what a plan led to where it is estimated better than the first draft; a tie keeps the first."""
        if ran.ranking is None or ran.draft is None:
            return _stood(state, ran.why, ran.steps, cost=ran.cost)
        first = state.draft
        used = {hit.passage.id for hit in state.ranking.hits}
        gained = tuple(hit.passage.id for hit in ran.ranking.hits if hit.passage.id not in used)
        if not gained and (ran.draft.answer, ran.draft.citations) == (first.answer, first.citations):
            return _stood(state, "no progress", ran.steps, cost=ran.cost)
        if not better(state, ran.ranking, ran.draft, self._parts.estimate):
            return _stood(state, "the first answer is estimated as good", ran.steps, gained, ran.cost)
        return Repaired(
            ranking=ran.ranking.model_copy(update={"reason": plan.text}),
            draft=ran.draft,
            steps=ran.steps,
            gained=gained,
            accepted=True,
            why="estimated better than the first answer",
            synonyms=ran.synonyms,
            cost=ran.cost,
        )


class Ran(NamedTuple):
    """What a plan came to. Ranking and draft are None where it was abandoned, and `why` says so."""

    why: str
    ranking: Ranking | None = None
    draft: Draft | None = None
    steps: tuple[StepRecord, ...] = ()
    synonyms: tuple[Synonym, ...] = ()
    cost: Cost = Cost()


class _Done(NamedTuple):
    """What one operation gave and cost."""

    result: Result
    inputs: tuple[str, ...] = ()
    cost: Cost = Cost()
    refused: int = 0


class _Run:
    """One plan on its way: what names stand for, what is left of the budget, what was done."""

    def __init__(self, parts: Parts, state: State, budget: Budget, patience: Patience) -> None:
        self._parts, self._state, self._budget, self._patience = parts, state, budget, patience
        self._reach = Reach.of(state)
        self._bindings = Bindings(state)
        self._records: list[StepRecord] = []
        self._synonyms: tuple[Synonym, ...] = ()
        self._reworded = {state.contract.claim}
        self._drafted: tuple[Ranking, Draft] | None = None
        self._cost = Cost()

    def all(self, plan: Plan) -> Ran:
        """Run every step; the first that the budget does not reach for ends the plan."""
        for step in plan.steps:
            self._patience.check()
            done = (
                self._do(step)
                if self._affords(step.operation, self._budget)
                else _Done(Failed(StepFailure.BUDGET_EXHAUSTED))
            )
            self._note(step, done)
            match done.result:
                case Failed(StepFailure.BUDGET_EXHAUSTED):
                    return self._abandoned(step, StepFailure.BUDGET_EXHAUSTED)
                case Failed(kind) if step.name == FINAL:
                    return self._abandoned(step, kind)
        if self._drafted is None:
            return Ran("abandoned: nothing was drafted", steps=tuple(self._records), cost=self._cost)
        ranking, draft = self._drafted
        return Ran("", ranking, draft, tuple(self._records), self._synonyms, self._cost)

    def _affords(self, operation: Operation, budget: Budget) -> bool:
        """Say whether the budget reaches for one more operation: its call, where it takes one, and time."""
        # An answerer that charged for the first draft will charge again, whatever `paid` says.
        charged = isinstance(operation, GenerateAnswer) and self._state.draft.cost.model_calls > 0
        calls = type(operation) in self._parts.paid or charged
        limit, spent = budget.limits.price, budget.used.price
        dear = limit is not None and (spent is None or spent >= limit) and calls
        short = calls and (budget.model_calls < 1 or budget.tokens < 1)
        return not (short or dear or budget.expired(self._patience.clock()))

    def _do(self, step: Step) -> _Done:
        match step.operation:
            case RewriteQuery():
                return self._rewrite(step.operation)
            case DecomposeQuery():
                return self._decompose(step.operation)
            case Retrieval():
                return self._retrieve(step.operation)
            case RefineDoc():
                return self._refine(step.operation)
            case GenerateAnswer():
                return self._answer(step.operation, final=step.name == FINAL)
            case _:
                assert_never(step.operation)

    def _rewrite(self, operation: RewriteQuery) -> _Done:
        inputs = (named(operation.query), operation.instruction)
        query = self._bindings.texts(operation.query)
        if isinstance(query, Failed):
            return _Done(query, inputs)
        made = self._parts.rewriter.rewrite(query[0], operation.instruction, self._reach, self._budget, self._patience)
        self._synonyms = tuple(dict.fromkeys((*self._synonyms, *made.synonyms)))
        if query[0] in self._reworded:
            self._reworded.update(made.texts)
        result: Result = Asked(made.texts) if made.texts else Failed(StepFailure.NOTHING_TO_REWRITE)
        return _Done(result, (*inputs, *(synonym.passage for synonym in made.synonyms)), made.cost)

    def _decompose(self, operation: DecomposeQuery) -> _Done:
        inputs = (named(operation.query),)
        query = self._bindings.texts(operation.query)
        if isinstance(query, Failed):
            return _Done(query, inputs)
        made = self._parts.decomposer.decompose(query[0], self._reach, self._budget, self._patience)
        result: Result = Asked(made.texts, made.blanks) if made.texts else Failed(StepFailure.NOT_DECOMPOSABLE)
        return _Done(result, inputs, made.cost)

    def _retrieve(self, operation: Retrieval) -> _Done:
        inputs = (named(operation.query),)
        queries = self._bindings.texts(operation.query)
        if isinstance(queries, Failed):
            return _Done(queries, inputs)
        docs: list[Doc] = []
        refused = 0
        for query in queries:
            self._patience.check()
            found = find(operation, query, self._state, self._reach, self._parts.retriever)
            if isinstance(found, Failed):
                return _Done(found, inputs)
            docs.extend(Doc(hit) for hit in found.hits)
            refused += found.refused
        return _Done(Passages(once(docs)), inputs, refused=refused)

    def _refine(self, operation: RefineDoc) -> _Done:
        query, docs = self._bindings.texts(operation.query), self._bindings.docs(operation.doc)
        if isinstance(query, Failed):
            return _Done(query, (named(operation.query),))
        if isinstance(docs, Failed):
            return _Done(docs, (named(operation.query),))
        kept, cost = [], Cost()
        for doc in docs:
            self._patience.check()
            budget = self._budget.spend(cost)
            if not self._affords(operation, budget):
                return _Done(Failed(StepFailure.BUDGET_EXHAUSTED), (named(operation.query),), cost)
            refined = self._parts.refiner.refine(
                query[0], doc.kept, operation.instruction, self._reach, budget=budget, patience=self._patience
            )
            cost = cost.plus(refined.cost)
            if refined.spans:
                kept.append(Doc(doc.hit, refined.spans))
        inputs = (named(operation.query), *(doc.hit.passage.id for doc in docs))
        result: Result = Passages(tuple(kept)) if kept else Failed(StepFailure.NOTHING_REFINED)
        return _Done(result, inputs, cost)

    def _answer(self, operation: GenerateAnswer, *, final: bool) -> _Done:
        queries, docs = self._bindings.queries(operation.query), self._bindings.docs(operation.docs)
        if isinstance(queries, Failed):
            return _Done(queries, (named(operation.query),))
        if isinstance(docs, Failed):
            return _Done(docs, (named(operation.query),))
        query, ranking = queries[0], ranking_of(docs)
        inputs = (named(operation.query), *(hit.passage.id for hit in ranking.hits))
        reworded = query.text in self._reworded
        contract = contract_for(self._state.contract, query.text, self._synonyms, final=final, reworded=reworded)
        answerer = told(self._parts.answerer, operation.additional_instruction)
        draft = resting_on(
            answerer.draft(contract, ranking_of(docs, refined=True), self._state.scope, self._budget, self._patience),
            query.rests_on,
        )
        if final:
            self._drafted = ranking, draft
        if draft.answer is None:
            return _Done(Failed(StepFailure.NO_ANSWER), inputs, draft.cost)
        answered = Answered(draft.answer, draft.claims)
        self._bindings.answered(operation.query, answered)
        return _Done(answered, inputs, draft.cost)

    def _note(self, step: Step, done: _Done) -> None:
        failed = done.result.kind if isinstance(done.result, Failed) else None
        self._budget = self._budget.spend(done.cost)
        self._cost = self._cost.plus(done.cost)
        self._bindings.bind(step.name, done.result)
        self._records.append(
            StepRecord(
                name=step.name,
                operation=type(step.operation).__name__,
                inputs=done.inputs,
                outputs=ids(done.result),
                failed=failed,
                refused=done.refused,
                cost=done.cost,
            )
        )

    def _abandoned(self, step: Step, kind: StepFailure) -> Ran:
        return Ran(f"abandoned: {step.name}: {kind}", steps=tuple(self._records), cost=self._cost)


def _stood(
    state: State,
    why: str,
    steps: tuple[StepRecord, ...] = (),
    gained: tuple[str, ...] = (),
    cost: Cost = Cost(),  # noqa: B008 -- a frozen value
) -> Repaired:
    """Return the first ranking and draft, with why they stand."""
    return Repaired(
        ranking=state.ranking, draft=state.draft, steps=steps, gained=gained, accepted=False, why=why, cost=cost
    )
