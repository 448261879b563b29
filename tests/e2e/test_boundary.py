"""The one boundary around the line: a part that breaks ends as a recorded refusal, never as an answer."""

import subprocess
import sys
import threading
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from remit import Limits, Principal, Remit
from remit.errors import AccessFailed, Cancelled, InvalidInput, NothingThere, ProviderFailed
from remit.llm.cancel import Patience
from remit.record.replay import replay
from remit.settings import Settings

pytestmark = pytest.mark.integration

QUESTION = "How often is the mechanical seal of pump P-7 replaced?"
MARA = Principal(id="mara", groups=("maintenance",))
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.fixture
def remit(store):
    """The small store, opened in this process."""
    with Remit.open(store, environ={}, now=lambda: NOW) as opened:
        yield opened


class Broken:
    """A part whose every method raises, and that has a name."""

    name = "broken/1"

    def __init__(self, error):
        self.error = error

    def __getattr__(self, method):
        def fail(*args, **kwargs):
            raise self.error

        return fail

    def __call__(self, *args, **kwargs):
        raise self.error


def breaking(remit, part, error):
    """Put a broken part into the line."""
    remit.parts.__dict__["line"] = replace(remit.parts.line, **{part: Broken(error)})


def kinds(remit, done):
    """Return the kinds of what was recorded."""
    return [entry.kind for entry in remit.trace(done.trace, principal=None).entries]


@pytest.mark.parametrize("part", ["retriever", "reranker", "answerer", "observe", "settle"])
@pytest.mark.parametrize("error", [ValueError("secret words"), ProviderFailed("secret words")])
def test_a_broken_part_ends_as_a_recorded_abstain(remit, part, error):
    """Whatever part breaks: abstain, no answer, the trace closed with part and type of the error but not its words."""
    breaking(remit, part, error)
    done = remit.ask(QUESTION, principal=MARA)
    recorded = remit.trace(done.trace, principal=None)
    assert ("abstain", "part_failed", None) == (
        done.outcome.decision.action,
        done.outcome.decision.reason,
        done.outcome.answer,
    )
    assert "closed" == recorded.state
    failure = next(entry.data for entry in recorded.entries if entry.kind == "Failure")
    assert type(error).__name__ == failure["error"]
    assert "secret" not in str(recorded.entries)
    assert (None, None, None) == tuple(done.as_json()[name] for name in ("observation", "budget", "rounds"))


def test_a_broken_policy_ends_as_a_deny(remit):
    """A policy that comes to no verdict opens nothing: deny, and nothing was searched."""
    breaking(remit, "policy", ConnectionError("directory is down"))
    done = remit.ask(QUESTION, principal=MARA)
    assert ("deny", "access_unmeasured") == (done.outcome.decision.action, done.outcome.decision.reason)
    assert "Candidates" not in kinds(remit, done)
    assert "directory" not in str(remit.trace(done.trace, principal=None).entries)


def test_an_access_failure_anywhere_ends_as_a_deny(remit):
    """Also where the access check that breaks sits inside another part."""
    breaking(remit, "retriever", AccessFailed("no verdict"))
    assert "deny" == remit.ask(QUESTION, principal=MARA).outcome.decision.action


def test_no_principal_no_answer(remit):
    """Without a principal the line denies, and says so on record."""
    done = remit.ask(QUESTION, principal=None)
    assert ("deny", "access_unmeasured") == (done.outcome.decision.action, done.outcome.decision.reason)


def test_a_deadline_ends_as_an_abstain(remit):
    """When the time is up nothing more is done, and the trace is closed."""
    breaking(remit, "observe", Cancelled("the deadline has passed"))
    done = remit.ask(QUESTION, principal=MARA)
    assert ("abstain", "budget_exhausted") == (done.outcome.decision.action, done.outcome.decision.reason)
    assert "Outcome" == kinds(remit, done)[-1]


def test_a_cancelled_question_is_recorded(remit):
    """An asker who went away leaves a closed trace and no answer."""
    stop = threading.Event()
    stop.set()
    done = remit.ask(QUESTION, principal=MARA, patience=Patience(stop=stop))
    assert ("abstain", None) == (done.outcome.decision.action, done.outcome.answer)


def test_an_interrupted_ask_leaves_a_closed_trace(store):
    """Ctrl-C ends the ask; what was done so far is on record, without an outcome."""
    with Remit.open(store, environ={}, new_id=lambda: "t1") as remit:
        breaking(remit, "answerer", KeyboardInterrupt())
        with pytest.raises(KeyboardInterrupt):
            remit.ask(QUESTION, principal=MARA)
        recorded = remit.trace("t1", principal=None)
    assert "closed" == recorded.state
    assert "Ranking" == recorded.entries[-1].kind


KILLED = """
import os, sys
from dataclasses import replace
from remit import Principal, Remit

class Killing:
    name = "killing/1"
    def draft(self, *given):
        os.kill(os.getpid(), 9)

remit = Remit.open(sys.argv[1], environ={}, new_id=lambda: "t1")
remit.parts.__dict__["line"] = replace(remit.parts.line, answerer=Killing())
remit.ask(sys.argv[2], principal=Principal(id="mara", groups=("maintenance",)))
"""


def test_a_killed_ask_reads_as_unfinished(store):
    """Kill -9 in the middle of an ask leaves its opening row; its asker learns nothing from it, and the store goes on."""
    done = subprocess.run([sys.executable, "-c", KILLED, store, QUESTION], check=False)
    assert -9 == done.returncode
    with Remit.open(store, environ={}) as remit:
        assert ("unfinished", ()) == (
            remit.trace("t1", principal=None).state,
            remit.trace("t1", principal=MARA).entries,
        )
        assert "answer" == remit.ask(QUESTION, principal=MARA).outcome.decision.action


def test_an_answer_that_cannot_be_recorded_is_not_handed_out(remit, monkeypatch):
    """The closing row comes before the answer: where it fails, so does the ask."""
    remit.ask(QUESTION, principal=MARA)
    monkeypatch.setattr(remit.journal, "close", Broken(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        remit.ask(QUESTION, principal=MARA)


def test_every_recorded_ask_replays(remit):
    """An answer, a refusal and a deny each decide the same again from their record."""
    for principal in (MARA, Principal(id="theo")):
        for question in (QUESTION, "Which colour is the pump P-7?", "What does LV-9 say?"):
            done = remit.ask(question, principal=principal)
            assert replay(remit.trace(done.trace, principal=None).entries).same


@pytest.mark.parametrize("rounds", [0, 1, 2])
def test_no_more_plans_run_than_the_budget_has_rounds(store, rounds):
    """A question that finds nothing ends within its rounds, exactly none at 0."""
    settings = Settings(limits=Limits(rounds=rounds))
    with Remit.open(store, settings=settings) as remit:
        done = remit.ask("Which brand of paint is on the casing of pump P-7?", principal=MARA)
        ran = kinds(remit, done).count("Repaired")
    assert ran == done.rounds <= rounds
    assert "answer" != done.outcome.decision.action


def test_a_decision_for_a_person_is_queued(remit):
    """A refusal that a person can act on waits in its queue under its trace."""
    done = remit.ask(QUESTION, principal=Principal(id="theo"))
    assert done.outcome.decision.queue is not None
    assert done.trace in {item.trace for item in remit.journal.waiting(done.outcome.decision.queue)}


def test_nothing_is_recorded_of_what_is_no_question(remit):
    """An empty question is refused before the journal is touched."""
    with pytest.raises(InvalidInput):
        remit.ask("  ", principal=MARA)
    assert 0 == remit.journal.unfinished()


def test_text_is_kept_in_traces_only_where_the_store_says_so(store):
    """`keep_text` writes the quote into the trace; without it there are digests."""
    for keep in (False, True):
        with Remit.open(store, settings=Settings(keep_text=keep)) as remit:
            done = remit.ask(QUESTION, principal=MARA)
            quote = done.outcome.citations[0].quote
            assert keep == (quote in str(remit.trace(done.trace, principal=None).entries))


def test_a_deleted_document_answers_nobody(remit):
    """After a delete the same question ends without an answer, and what was cited cannot be read."""
    assert "answer" == remit.ask(QUESTION, principal=MARA).outcome.decision.action
    assert 2 == remit.delete("PR-1")
    assert "answer" != remit.ask(QUESTION, principal=MARA).outcome.decision.action
    with pytest.raises(NothingThere):
        remit.delete("PR-1")
