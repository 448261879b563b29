"""What a plan costs, and what ends it: calls, rounds, time, the asker."""

import threading

import pytest
from executing import AGAIN, failures, run

from remit.contract.budget import Cost
from remit.errors import Cancelled
from remit.llm.cancel import Patience
from remit.repair.check import PAID
from remit.repair.planner import StepFailure
from remit.repair.reach import Queries


def test_every_operation_spends_and_the_sum_is_exact(made, rows):
    """What the plan cost is the sum of its steps, and each step sees what the ones before left."""

    class Paid:
        name = "paid"

        def rewrite(self, query, instruction, reach, budget, patience):
            return Queries(("seal flushed",), (), Cost(model_calls=1, tokens=30))

    text = (
        'q = RewriteQuery(question, "clarify")\na = Retrieval(q[0], 5)\nm = GenerateAnswer(q[0], a)\n'
        "final_answer = GenerateAnswer(question, [a, doc_list])"
    )
    answerer = made.answerer(cost=Cost(model_calls=1, tokens=100))
    repaired, _ = run(
        made, text, rows, answerer=answerer, rewriter=Paid(), paid=PAID, budget=made.budget(model_calls=3)
    )
    assert Cost(model_calls=3, tokens=230) == repaired.cost
    assert repaired.cost.tokens == sum(step.cost.tokens for step in repaired.steps)
    assert [2, 1] == [call.budget.model_calls for call in answerer.calls]


@pytest.mark.parametrize("calls", [0, 1, 2])
def test_the_budget_is_exact(made, rows, calls):
    """With n model calls left, n calls are made; the next operation that needs one ends the plan."""
    text = "m = GenerateAnswer(question, doc_list)\nfinal_answer = GenerateAnswer(question, doc_list)"
    answerer = made.answerer(cost=Cost(model_calls=1))
    limits = made.budget(model_calls=calls)
    repaired, _ = run(made, text, rows, answerer=answerer, paid=PAID, budget=limits)
    assert (min(calls, 2), min(calls, 2)) == (len(answerer.calls), repaired.cost.model_calls)
    assert (calls < 2) == (StepFailure.BUDGET_EXHAUSTED in failures(repaired))


def test_an_answerer_that_charged_once_is_counted_on_to_charge_again(made, rows):
    """No call is made on an empty budget, even where nobody said that the answerer calls a model."""
    first = made.draft_on(rows[1], cost=Cost(model_calls=1))
    answerer = made.answerer(cost=Cost(model_calls=1))
    repaired, _ = run(
        made, AGAIN, rows, state=made.state(hits=rows[1:2], draft=first), answerer=answerer,
        budget=made.budget(model_calls=1).spend(Cost(model_calls=1)),
    )  # fmt: skip
    assert ([], False) == (answerer.calls, repaired.accepted)


def test_without_a_round_nothing_runs(made, rows):
    """At 0 rounds the first answer stands."""
    repaired, parts = run(made, AGAIN, rows, budget=made.budget(rounds=0))
    assert ([], [], False) == (parts.retriever.searches, parts.answerer.calls, repaired.accepted)


def test_time_is_up_before_the_next_operation(made, rows):
    """A budget past its deadline ends the plan."""
    repaired, parts = run(made, AGAIN, rows, patience=Patience(clock=lambda: 61.0))
    assert ([StepFailure.BUDGET_EXHAUSTED], []) == (failures(repaired), parts.answerer.calls)


def test_after_a_cancel_nothing_is_called(made, rows):
    """The signal is looked at before each operation; a cancel during one stops the next."""
    stop = threading.Event()

    class Cancelling(made.retriever):
        def search(self, search, scope, snapshot):
            stop.set()
            return super().search(search, scope, snapshot)

    retriever, answerer = Cancelling(rows), made.answerer()
    with pytest.raises(Cancelled):
        run(made, AGAIN, rows, retriever=retriever, answerer=answerer, patience=Patience(stop=stop, clock=lambda: 0.0))
    assert (1, 0) == (len(retriever.searches), len(answerer.calls))
