import pytest

from remit.contract.budget import Budget, Cost, Limits
from remit.llm.ledger import Call
from remit.record.ledger import Ledger, settle_accounts
from remit.record.trace import Trace

REPLIED = Call("m", "replied", 100, 20, tokens=120, seconds=0.5, price=0.25)
BROKEN = Call("m", "failed", None, None, tokens=900, seconds=2.0, price=None, estimated=True)
KEPT = Call("m", "cached", 0, 0, tokens=0, seconds=0.0, price=0.0, key="sha256:ab")


def settled(calls, *budgets):
    """Return the entries that are written down for these calls after these budgets."""
    trace = Trace("t")
    for budget in budgets:
        trace.note(budget)
    settle_accounts(trace, calls, Limits(), 60.0)
    return trace.entries[len(budgets) :]


@pytest.mark.parametrize(
    ("calls", "cost"),
    [
        ([], Cost()),
        ([KEPT], Cost()),
        ([REPLIED, KEPT, REPLIED], Cost(model_calls=2, tokens=240, price=0.5)),
        ([REPLIED, BROKEN], Cost(model_calls=2, tokens=1020, price=None)),
    ],
)
def test_the_ledger_adds_up(calls, cost):
    """Calls, tokens and price are summed; a hit of the cache is no call, and one unknown price makes the sum unknown."""
    assert cost == Ledger.of(calls).cost


def test_a_question_without_a_call_has_no_ledger():
    """No entry: nothing was asked of a model."""
    assert [] == settled([], Budget.of(Limits(), 0.0))


def test_a_budget_that_agrees_is_left_alone():
    """The ledger stands in the trace, and the budget is not written twice."""
    used = Cost(rounds=1, model_calls=1, tokens=120, price=0.25)
    (ledger,) = settled([REPLIED], Budget.of(Limits(), 0.0).spend(used))
    assert ("Ledger", 0.25) == (ledger.kind, ledger.data["calls"][0]["price"])


@pytest.mark.parametrize("budgets", [[], [Budget.of(Limits(), 0.0).spend(Cost(rounds=1))]])
def test_calls_of_a_part_that_broke_come_on_the_budget(budgets):
    """Where the line ended before a cost was handed up, the last budget shows it, with its rounds."""
    _, last = settled([REPLIED, BROKEN], *budgets)
    assert Cost(rounds=len(budgets), model_calls=2, tokens=1020, price=None) == Budget.model_validate(last.data).used
