"""The whole line with a judge of entailment: what it does not find supported is not released, and every call is on the bill."""

import faults
import pytest
from small_store import MARA, NOW, QUESTION, entries, filled

from remit import Limits, Remit
from remit.answer.checking import SupportChoice
from remit.record.ledger import Ledger
from remit.record.replay import replay
from remit.settings import ChatSettings, Settings

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """Return a small store."""
    return filled(tmp_path_factory.mktemp("entail"))


@pytest.fixture
def server():
    """Return an endpoint that plays a drafter and a judge."""
    with faults.serving() as serving:
        yield serving


def asks(request):
    """Say whether a request is the judge's."""
    return "Do the quotations state this answer?" in request["messages"][-1]["content"]


def judged(store, server, verdict, path="said", **limits):
    """Ask with a judge that says `verdict`; return the outcome, its drafts and the calls on its bill."""
    server.say = lambda request: verdict if asks(request) else faults.GOOD
    chat = ChatSettings(kind="openai", url=f"http://127.0.0.1:{server.server_port}/{path}", model="m")
    settings = Settings(chat=chat, support=SupportChoice(kind="chat"), limits=Limits(**limits))
    with Remit.open(store, settings=settings, now=lambda: NOW) as remit:
        done = remit.ask(QUESTION, principal=MARA)
        (data,) = entries(remit, done, "Ledger")
        recorded = remit.trace(done.trace, principal=None)
        assert ("closed", True) == (recorded.state, replay(recorded.entries).same)
        return done, entries(remit, done, "Draft"), Ledger.model_validate(data)


@pytest.mark.parametrize("path", ["said", "told"])
def test_a_supported_answer_is_released_with_its_verdict(store, server, path):
    """Yes: the answer stands; draft and check are two calls, and bill, budget and provider count the same, streamed or not."""
    done, drafts, ledger = judged(store, server, "YES", path)
    assert ("answer", "12 months") == (str(done.outcome.decision.action), done.outcome.answer)
    assert ["supported"] == [one["verdict"] for one in drafts[0]["judged"]]
    assert len(server.seen) == len(ledger.calls) == 2
    assert sum(server.usage) == ledger.cost.tokens == done.budget.used.tokens


@pytest.mark.parametrize("verdict", ["NO", "It depends.", "YES, but see section 4"])
def test_an_answer_that_is_not_found_supported_is_not_released(store, server, verdict):
    """No, or no verdict: a refusal, the model's and the documents' own sentence alike."""
    done, drafts, ledger = judged(store, server, verdict)
    assert "abstain" == str(done.outcome.decision.action)
    assert done.outcome.answer is None
    assert all(draft["answer"] is None for draft in drafts)
    assert done.budget.used == replace_rounds(ledger, done)


def replace_rounds(ledger, done):
    """Return the bill with the rounds of a question."""
    return ledger.cost.model_copy(update={"rounds": done.rounds})


def test_a_judge_that_breaks_off_ends_in_a_refusal_on_the_bill(store, server):
    """The draft came and its check broke off: nothing is released unchecked, the reason is on record, and so is the call."""

    def said(request):
        if asks(request):
            raise ConnectionResetError
        return faults.GOOD

    server.say = said
    chat = ChatSettings(kind="openai", url=f"http://127.0.0.1:{server.server_port}/said", model="m")
    settings = Settings(chat=chat, support=SupportChoice(kind="chat"), limits=Limits(rounds=0))
    with Remit.open(store, settings=settings, now=lambda: NOW) as remit:
        done = remit.ask(QUESTION, principal=MARA)
        (draft,), (data,) = entries(remit, done, "Draft"), entries(remit, done, "Ledger")
    assert ("abstain", None) == (str(done.outcome.decision.action), done.outcome.answer)
    assert ("unmeasured", True) == (draft["judged"][0]["verdict"], "not checked" in draft["judged"][0]["why"])
    assert ["replied", "failed"] == [call.ended for call in Ledger.model_validate(data).calls]


def test_a_silent_provider_cannot_hold_draft_and_check_beyond_the_deadline(store, server):
    """Neither speaks: both give up inside the time, nothing is released, and every call is on the bill."""
    chat = ChatSettings(kind="openai", url=f"http://127.0.0.1:{server.server_port}/silent", model="m")
    settings = Settings(chat=chat, support=SupportChoice(kind="chat"), limits=Limits(seconds=3.0))
    with Remit.open(store, settings=settings, now=lambda: NOW) as remit:
        done = remit.ask(QUESTION, principal=MARA)
        (data,) = entries(remit, done, "Ledger")
        assert "closed" == remit.trace(done.trace, principal=None).state
    assert ("abstain", None) == (str(done.outcome.decision.action), done.outcome.answer)
    assert done.seconds < 3.5
    assert {"cancelled"} == {call.ended for call in Ledger.model_validate(data).calls}
    assert len(server.seen) == len(data["calls"])


def test_a_call_is_left_for_the_check(store, server):
    """With one call in all it is not spent on a draft that could not be checked: the extractive answer is judged."""
    done, _, ledger = judged(store, server, "YES", model_calls=1, rounds=0)
    assert [True] == [asks(request) for request in server.seen]
    assert (1, "answer") == (len(ledger.calls), str(done.outcome.decision.action))


def test_the_trace_names_the_judge_and_its_prompt(store, server):
    """Setup holds the judge's name and the digest of the prompt's file."""
    server.say = lambda _: "YES"
    chat = ChatSettings(kind="openai", url=f"http://127.0.0.1:{server.server_port}/said", model="m")
    with Remit.open(store, settings=Settings(chat=chat, support=SupportChoice(kind="chat")), now=lambda: NOW) as remit:
        (setup,) = entries(remit, remit.ask(QUESTION, principal=MARA), "Setup")
    assert "entail/1" in setup["answerer"]
    assert "answer/entail.txt" in dict(setup["prompts"])
