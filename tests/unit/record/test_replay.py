"""A recorded decision comes out again, and a changed record is noticed."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remit.contract.budget import Budget, Cost, Limits
from remit.decide.point import OperatingPoint
from remit.decide.proposal import Proposal
from remit.decide.rules import decide
from remit.observe.observation import (
    Agreement,
    Authorization,
    CitationCheck,
    Conflict,
    Coverage,
    FactSupport,
    Observation,
    OpenParameter,
    PassageScore,
    Relevance,
    RevisionFault,
    Unmeasured,
    Validity,
)
from remit.record.replay import replay
from remit.record.trace import Entry, Trace

share = st.floats(0, 1)
unmeasured = st.builds(Unmeasured, reason=st.sampled_from(["no passages", "no model"]))
relevance = st.builds(
    Relevance,
    passages=st.sampled_from([(), (PassageScore(passage="a#1", probability=0.7),)]),
    best=share,
    method=st.just("m"),
)
coverage = st.builds(
    Coverage,
    facts=st.tuples(st.builds(FactSupport, fact=st.text(max_size=5), support=share)),
    share=share,
    method=st.just("m"),
)
conflict = Conflict(about="interval", first="a#1", second="b#1")
parameter = OpenParameter(key="line", values=("1", "2"), passages=("a#1", "b#1"))
agreement = st.builds(
    Agreement,
    conflicts=st.sampled_from([(), (conflict,)]),
    open_parameters=st.sampled_from([(), (parameter,)]),
    method=st.just("m"),
)
validity = st.builds(
    Validity,
    holds=st.just(("A@1",)),
    faults=st.sampled_from([(), (RevisionFault(revision="A@1", reason="undated"),)]),
    ambiguous=st.sampled_from([(), ("A@1", "A@2")]),
    method=st.just("m"),
)
authorization = st.builds(
    Authorization, readable=st.integers(0, 3), outside=st.sampled_from([(), ("z#1",)]), method=st.just("m")
)
citations = st.builds(
    CitationCheck, verified=st.sampled_from([(), ("d",)]), failed=st.sampled_from([(), ("e",)]), method=st.just("m")
)
observations = st.builds(
    Observation,
    relevance=relevance | unmeasured,
    coverage=coverage | unmeasured,
    agreement=agreement | unmeasured,
    validity=validity | unmeasured,
    authorization=authorization | unmeasured,
    citations=citations | unmeasured,
    estimate=unmeasured,
)
proposals = st.builds(
    Proposal,
    plan=st.none() | st.just("final_answer = ..."),
    repeated=st.booleans(),
    expects=st.text(max_size=5),
    policy=st.just("p"),
)
budgets = st.builds(
    Budget,
    limits=st.builds(Limits, rounds=st.integers(0, 3)),
    used=st.builds(Cost, rounds=st.integers(0, 3), price=st.none() | st.just(0.25)),
    deadline=st.floats(0, 1e9),
)


def recorded(steps, point):
    """Return the entries the line leaves for these (observation, proposal, budget) steps, as they are on disk."""
    trace = Trace("t")
    trace.note(point)
    for seen, proposal, budget in steps:
        trace.note(seen), trace.note(proposal), trace.note(budget)
        trace.note(decide(seen, proposal, point, budget))
    return [Entry.model_validate(json.loads(json.dumps(entry.model_dump()))) for entry in trace.entries]


@given(
    st.lists(st.tuples(observations, proposals, budgets), max_size=3),
    st.builds(OperatingPoint, relevance=share, coverage=share),
)
def test_a_trace_written_read_and_replayed_gives_the_same_decisions(steps, point):
    """Invariant 9: whatever was observed, deciding again from the record changes nothing."""
    again = replay(recorded(steps, point))
    assert (len(steps), None) == (again.decisions, again.difference)


@pytest.fixture
def entries():
    """The record of one question that was answered at once."""
    seen = Observation(
        relevance=Relevance(passages=(PassageScore(passage="a#1", probability=0.9),), best=0.9, method="m"),
        coverage=Coverage(facts=(), share=1.0, method="m"),
        agreement=Agreement(method="m"),
        validity=Validity(holds=("A@1",), method="m"),
        authorization=Authorization(readable=1, method="m"),
        citations=CitationCheck(verified=("d",), method="m"),
        estimate=Unmeasured(reason="no model"),
    )
    step = (seen, Proposal(plan=None, policy="none"), Budget.of(Limits(), 0.0))
    return recorded([step], OperatingPoint())


def changed(entry, **fields):
    """Return the entry with some fields replaced."""
    return entry.model_copy(update={"data": {**entry.data, **fields}})


def test_a_changed_decision_is_the_first_difference(entries):
    """A record whose decision does not follow from its observation is reported with both."""
    entries[-1] = changed(entries[-1], action="deny", rule=1)
    difference = replay(entries).difference
    assert (1, "deny", "answer") == (difference.number, difference.recorded.action, difference.again.action)


def test_another_operating_point_is_a_difference(entries):
    """Replaying under other thresholds than the recorded ones does not pass as the same."""
    entries[0] = changed(entries[0], relevance=0.95)
    assert not replay(entries).same


def test_a_decision_without_its_grounds_is_a_difference(entries):
    """A decision whose observation is missing cannot be made again, and counts as different."""
    difference = replay([entry for entry in entries if entry.kind != "Observation"]).difference
    assert (1, None) == (difference.number, difference.again)


def test_no_decision_is_no_difference():
    """A trace that broke before any decision replays to none."""
    assert (0, True) == (replay([]).decisions, replay([]).same)
