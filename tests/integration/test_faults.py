"""The whole line over a provider that fails: a decision with a reason, in time, on record, and on the bill."""

import time
from contextlib import suppress

import faults
import pytest
from small_store import MARA, QUESTION, THEO, UNKNOWN, entries, filled, opened, result

from remit import Limits
from remit.errors import Cancelled
from remit.llm.cancel import Patience
from remit.record.ledger import Ledger
from remit.record.replay import replay
from remit.record.trace import Trace

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """Return a small store."""
    return filled(tmp_path_factory.mktemp("faults"))


@pytest.fixture
def server():
    """Return an endpoint that plays faults."""
    with faults.serving() as serving:
        yield serving


@pytest.fixture(scope="module")
def without(store):
    """Return what the question comes to without a model."""
    with opened(store) as remit:
        return result(remit.ask(QUESTION, principal=MARA))


def bill(remit, done):
    """Return the ledger of a question, having checked that it is what the budget shows as used."""
    (data,) = entries(remit, done, "Ledger")
    ledger = Ledger.model_validate(data)
    assert done.budget.used == ledger.cost.model_copy(update={"rounds": done.rounds})
    return ledger.calls


FAULTS = {
    "unauthorized": ("check the chat key", "failed"),
    "busy": ("is busy", "busy"),
    "wait": ("is busy", "busy"),
    "broken": ("status 500", "failed"),
    "malformed": ("not JSON", "failed"),
    "shapeless": ("no chat reply", "failed"),
    "empty": ("empty reply", "failed"),
    "cut": ("cut off by its length", "replied"),
    "half": ("broke off", "failed"),
    "unfinished": ("broke off", "failed"),
    "html": ("answered text/html", "failed"),
    "huge": ("more than a reply can be", "failed"),
    "silent": ("share of the time", "cancelled"),
    "stalled": ("share of the time", "cancelled"),
    "plain": ("no ANSWER line", "replied"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_every_fault_ends_in_a_decision(store, server, without, fault):
    """The decision is the one without a model; in time, with the reason, each try on the bill, and the trace closed."""
    words, ended = FAULTS[fault]
    seconds = 3.0
    with opened(store, server, fault, limits=Limits(seconds=seconds), key=faults.KEY) as remit:
        done = remit.ask(QUESTION, principal=MARA)
        took, recorded = done.seconds, remit.trace(done.trace, principal=None)
        calls = bill(remit, done)
        why = entries(remit, done, "Draft")[0]["why"]
    assert without == result(done)
    assert words in why
    assert took < seconds
    assert ("closed", True) == (recorded.state, replay(recorded.entries).same)
    assert [ended] * len(server.seen) == [call.ended for call in calls]
    assert len(server.seen) == (3 if fault == "busy" else 1)
    assert faults.KEY not in str(recorded)


def test_a_refused_connection_ends_in_a_decision(store, without):
    """Nobody listens: the decision is the one without a model."""
    with opened(store, url="http://127.0.0.1:9") as remit:
        done = remit.ask(QUESTION, principal=MARA)
        assert "cannot be reached" in entries(remit, done, "Draft")[0]["why"]
        assert ["failed"] == [call.ended for call in bill(remit, done)]
    assert without == result(done)


def test_a_silent_provider_cannot_hold_a_question_that_needs_more_rounds(store, server):
    """Where every round asks the model and it never speaks, the end is still a refusal inside the deadline."""
    with opened(store, server, "silent", limits=Limits(seconds=2.0)) as remit:
        done = remit.ask(UNKNOWN, principal=MARA)
        bill(remit, done)
        assert "closed" == remit.trace(done.trace, principal=None).state
    assert "abstain" == str(done.outcome.decision.action)
    assert done.seconds < 2.5


@pytest.mark.parametrize("path", ["said", "told"])
@pytest.mark.parametrize("question", [QUESTION, UNKNOWN])
def test_the_ledger_is_the_sum_of_what_the_provider_counted(store, server, path, question):
    """Streamed or not, in one round or several: calls and tokens of the bill, the budget and the provider are the same."""
    with opened(store, server, path) as remit:
        done = remit.ask(question, principal=MARA)
        calls = bill(remit, done)
    assert len(server.seen) == len(calls) == done.budget.used.model_calls >= 1
    assert sum(server.usage) == done.budget.used.tokens
    assert server.usage == [call.prompt_tokens + call.reply_tokens for call in calls]
    assert None is done.budget.used.price


def test_a_configured_price_is_on_the_bill_and_limits_it(store, server):
    """What a million tokens cost is multiplied out; with a limit that no call fits, none is made."""
    price = {"prompt": 10.0, "reply": 100.0}
    with opened(store, server, "told", price=price) as remit:
        done = remit.ask(QUESTION, principal=MARA)
        assert pytest.approx((100 * 10 + 8 * 100) / 1e6) == done.budget.used.price == bill(remit, done)[0].price
    with opened(store, server, "told", price=price, limits=Limits(price=0.001)) as remit:
        done = remit.ask(QUESTION, principal=MARA)
    assert ("answer", 1, 0.0) == (str(done.outcome.decision.action), len(server.seen), done.budget.used.price)


@pytest.mark.parametrize("calls", [0, 1, 2])
def test_the_limit_of_calls_is_exact(store, server, calls):
    """A busy provider and many rounds: never one call more than the limit."""
    with opened(store, server, "busy", limits=Limits(model_calls=calls, rounds=3, seconds=8)) as remit:
        done = remit.ask(UNKNOWN, principal=MARA)
    assert calls == len(server.seen) == done.budget.used.model_calls


@pytest.mark.parametrize("asker", [THEO, None])
def test_nothing_retrieved_means_no_call(store, server, asker):
    """Who may read nothing costs no call, and there is no bill."""
    with opened(store, server) as remit:
        done = remit.ask(QUESTION, principal=asker)
        assert [] == entries(remit, done, "Ledger")
    assert "answer" != str(done.outcome.decision.action)
    assert [] == server.seen


def test_a_kept_reply_is_no_call_and_stays_in_its_scope(tmp_path, server):
    """The same asker is answered from the cache, with its key on the bill; another asker, or a changed store, is not."""
    store = filled(tmp_path)
    with opened(store, server, cache_megabytes=1) as remit:
        first, second = (remit.ask(QUESTION, principal=MARA) for _ in range(2))
        (again,) = bill(remit, second)
        assert result(first) == result(second)
        assert (1, 0, "cached", 71) == (len(server.seen), second.budget.used.model_calls, again.ended, len(again.key))
        remit.ask(QUESTION, principal=type(MARA)(id="nina", groups=MARA.groups))
        assert 2 == len(server.seen)
        remit.delete("gate")
        remit.ask(QUESTION, principal=MARA)
        assert 3 == len(server.seen)


@pytest.mark.parametrize("moment", range(6))
def test_a_cancel_at_any_moment_of_a_reply_ends_the_question(store, server, moment):
    """While the prompt is read, between two parts and after the last: no call after it, the trace closed, no answer kept."""
    patience = Patience()

    def at(number):
        if number == moment:
            patience.stop.set()
            time.sleep(0.4)  # so that nothing more is sent before the signal is seen

    server.moment = at
    with opened(store, server, "watched") as remit:
        done = remit.ask(QUESTION, principal=MARA, patience=patience)
        assert "closed" == remit.trace(done.trace, principal=None).state
        bill(remit, done)
    assert 1 == len(server.seen)
    if moment < 5:  # after the last part the reply is whole
        assert ("abstain", "budget_exhausted") == result(done)[:2]


@pytest.mark.parametrize("question", [QUESTION, UNKNOWN])
def test_a_cancel_at_any_step_of_the_line_ends_its_calls(store, server, question):
    """The signal at every entry of the trace in turn: no model call follows it."""
    with opened(store, server) as remit:
        whole = remit.ask(question, principal=MARA)
        for step in range(len(remit.trace(whole.trace, principal=None).entries)):
            before, stopping = len(server.seen), Stopping(step, server)
            stopping.run(remit, whole.contract)
            assert stopping.calls == len(server.seen), f"a call after step {step}"
            assert len(server.seen) - before == len(stopping.patience.tally)


class Stopping:
    """An asker who goes away at one entry of the trace; `calls` is how many the endpoint had had by then."""

    def __init__(self, step, server):
        self.step, self.server, self.entries = step, server, 0
        self.patience, self.calls = Patience(), None

    def saw(self, entry):
        """Give the signal at the entry."""
        if self.entries == self.step:
            self.patience.stop.set()
            self.calls = len(self.server.seen)
        self.entries += 1

    def run(self, remit, contract):
        """Put the question; afterwards `calls` is set, also where the line ended before the entry."""
        with suppress(Cancelled):
            remit.parts.line.ask(contract, MARA, Trace("t", watch=self.saw), self.patience)
        self.calls = len(self.server.seen) if self.calls is None else self.calls
