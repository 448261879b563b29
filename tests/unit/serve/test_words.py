"""What the command line prints for people."""

import json
from typing import get_args

from hypothesis import given
from hypothesis import strategies as st

from remit.answer.draft import Citation
from remit.contract.budget import Budget, Limits
from remit.contract.contract import Contract, RevisionWanted
from remit.corpus.document import Span
from remit.decide.decision import Action, Decision, Reason
from remit.record.answered import Answered, Place
from remit.serve import words
from remit.serve.explained import explained
from remit.settle.outcome import Outcome


def done(outcome, **fields):
    """Return an answered question with this outcome."""
    contract = Contract(
        framing="t", question="q", claim="q", facts=(), wanted=RevisionWanted(at="2026-11-30"), form="text"
    )
    defaults = {
        "observation": None,
        "budget": Budget.of(Limits(), 0.0),
        "snapshot": None,
        "trace": "abc",
        "rounds": 0,
        "places": {},
    }
    return Answered(outcome=outcome, contract=contract, seconds=0.1, **{**defaults, **fields})


def decision(action, reason, **fields):
    """Return a decision."""
    return Decision(action=action, reason=reason, rule=1, point="sha256:0", **fields)


ANSWER = decision(Action.ANSWER, "supported")
QUOTE = "The mechanical seal on P-101 is replaced every 12 months. " * 4
CITATION = Citation.of(document="PR-101", revision="3", passage="PR-101@3#1", span=Span(0, len(QUOTE)), quote=QUOTE)


def test_an_answer_shows_its_citation():
    """An answer is followed by document, revision, section and quotation, inside 80 columns."""
    outcome = Outcome(decision=ANSWER, shown=ANSWER, message="m", answer="12 months", citations=(CITATION,))
    shown = list(words.answered(done(outcome, places={"PR-101@3#1": Place("PR-101", "3", "Seals", ("Interval",))})))
    assert "ANSWER" == shown[0]
    assert "  12 months [1]" in shown
    assert "  [1] PR-101, revision 3, Seals, Interval" in shown
    assert max(len(line) for part in shown for line in part.splitlines()) <= words.WIDTH


def test_a_refusal_shows_what_is_missing_and_the_choices():
    """A question back names the values the asker can choose from; a refusal names what could not be established."""
    clarify = decision(Action.CLARIFY, "parameter_open", missing=("line",))
    outcome = Outcome(decision=clarify, shown=clarify, message="Which one?", choices=(("line", ("1", "2")),))
    shown = list(words.answered(done(outcome)))
    assert ["CLARIFY", "", "  Which one?", "  line: 1, 2"] == shown[:4]
    assert "missing  line" in shown


def test_a_closed_outcome_shows_only_what_is_shown():
    """The true decision, budget and rounds of a closed outcome do not reach the asker, in words or in JSON."""
    deny = decision(Action.DENY, "nothing_readable", missing=("secret",))
    abstain = decision(Action.ABSTAIN, "not_answerable_from_readable")
    result = done(Outcome(decision=deny, shown=abstain, message="No.", closed=True), rounds=1)
    said = "\n".join([*words.answered(result), *explained(result), words.as_json(result.as_json())])
    assert [] == [word for word in ("DENY", "deny", "secret", "rounds 1") if word in said]
    shown = result.as_json()
    assert (None, None, None) == (shown["observation"], shown["budget"], shown["rounds"])
    assert "abstain" == shown["decision"]


def test_the_json_of_an_ask_has_the_documented_fields():
    """`ask --json` prints exactly what the design lists, in that order."""
    outcome = Outcome(decision=ANSWER, shown=ANSWER, message="m", answer="12 months", citations=(CITATION,))
    shown = done(outcome).as_json()
    assert [
        "decision",
        "reason",
        "message",
        "answer",
        "citations",
        "missing",
        "observation",
        "budget",
        "snapshot",
        "trace",
        "rounds",
    ] == list(shown)
    assert ["document", "revision", "passage", "start", "end", "quote", "digest"] == list(shown["citations"][0])
    assert ["limit", "used"] == sorted(shown["budget"])
    assert QUOTE == shown["citations"][0]["quote"]


def test_every_reason_has_words():
    """No reason of a decision is left without its line of why."""
    assert {*get_args(Reason)} == {*words.WHY}


@given(st.text())
def test_nothing_printed_steers_a_terminal(text):
    """No escape sequence, control character or reversed line of a document reaches the terminal."""
    printed = words.plain(text)
    assert not any(char in printed for char in "\x1b\x9b\r\x08\u202e\u2067")


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_printed_json_reads_back_equal(data):
    """Escaping what a terminal would obey does not change the data."""
    printed = words.as_json(data)
    assert data == json.loads(printed)
    assert not any(char in printed for char in "\x1b\x9b\u202e\u2067")
