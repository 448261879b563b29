"""In what sources differ, on which key, and in what a draft differs from its own quotations."""

from __future__ import annotations

from datetime import date

import pytest
from by_words import Record, drafted, held, weighed
from written import STAFF, TODAY, asked, hit, ranked, revision

from remit.answer.draft import Citation, Claim, Draft
from remit.contract.contract import Contract
from remit.corpus.document import Snapshot, Span
from remit.observe.agreement import agreement
from remit.observe.differs import draft_faults
from remit.observe.observation import Agreement, Validity
from remit.observe.validity import validity
from remit.rerank.ranking import Ranking

SNAPSHOT = Snapshot(number=1, digest="sha256:0")


def agreed(contract: Contract, ranking: Ranking) -> Agreement:
    """Read the agreement of a ranking whose revisions all hold."""
    holds = held(*(one.source for one in ranking.hits))
    return agreement(contract, drafted(contract, ranking), weighed(contract, ranking), holds)


@pytest.mark.parametrize(
    ("question", "first", "second", "differs"),
    [
        (
            "How long is the seal flushed?",
            "The seal is flushed for 10 minutes.",
            "The seal is flushed for 20 minutes.",
            "value",
        ),
        ("How high is the pump pressure?", "The pump pressure is 5 bar.", "The pump pressure is 5 psi.", "unit"),
        ("When is the valve due?", "The valve is due on 3 May 2027.", "The valve is due on 9 May 2027.", "date"),
        (
            "May visitors enter the pump hall?",
            "Visitors may enter the pump hall.",
            "Visitors may not enter the pump hall.",
            "negation",
        ),
        (
            "What must be done with the pump hall door?",
            "The pump hall door must be locked.",
            "The pump hall door must not be locked.",
            "negation",
        ),
    ],
)
def test_a_conflict_says_in_what_the_sources_differ(question: str, first: str, second: str, differs: str) -> None:
    """Amount, unit, day and denial are told apart, and each side is named where it says so."""
    contract = asked(question)
    ranking = ranked(hit(revision("AA-1"), first), hit(revision("BB-2"), second))
    (conflict,) = agreed(contract, ranking).conflicts
    said = {(side.document, side.end - side.start) for side in conflict.sides}
    assert conflict.differs == differs
    assert said == {("AA-1", len(first)), ("BB-2", len(second))}


def test_overlapping_applicability_is_a_conflict_of_its_own() -> None:
    """Two approved documents that both apply to line 2, and each to another line too, leave it unclear which holds."""
    one = revision("AA-1", applies_to=[["line", ["1", "2"]]])
    two = revision("BB-2", applies_to=[["line", ["2", "3"]]])
    ranking = ranked(hit(one, "The belt is tensioned to 3.2 kN."), hit(two, "The belt is tensioned to 4.1 kN."))
    (conflict,) = agreed(asked("How tight is the belt tensioned?"), ranking).conflicts
    assert conflict.differs == "applicability"


PRICES = "lesson: guitar; pupil: adult; price: 40 EUR.\nlesson: guitar; pupil: child; price: 25 EUR."


def test_rows_that_differ_are_asked_back() -> None:
    """Two rows of one table that answer alike but for a column that the question leaves open are asked back by it."""
    contract = asked("What does a guitar lesson cost?")
    ranking = ranked(hit(revision("AA-1"), PRICES, kind="table"))
    (opened,) = agreed(contract, ranking).open_parameters
    assert (opened.key, opened.values, opened.known_from) == ("pupil", ("adult", "child"), "table")


@pytest.mark.parametrize(
    "contract",
    [
        asked("What does a guitar lesson cost for a child?"),
        asked("What does a guitar lesson cost?", parameters={"pupil": "child"}),
    ],
)
def test_a_row_that_the_question_fixes_is_the_one_that_answers(contract: Contract) -> None:
    """A word of the question or a parameter picks the row; nothing is open then, and no other row is quoted."""
    ranking = ranked(hit(revision("AA-1"), PRICES, kind="table"))
    found = agreed(contract, ranking)
    assert (drafted(contract, ranking).answer, found.open_parameters, found.conflicts) == ("25 EUR", (), ())


def by_year() -> Ranking:
    """Rank what two headings of one document say of the same thing."""
    source = revision("AA-1")
    one = hit(source, "The examination lasts 60 minutes.", section=("Examinations", "Year 10"))
    return ranked(one, hit(source, "The examination lasts 90 minutes.", section=("Examinations", "Year 11"), start=100))


def test_headings_that_tell_two_sentences_apart_are_asked_back() -> None:
    """The same sentence under "Year 10" and "Year 11" depends on the year, which the question leaves open."""
    (opened,) = agreed(asked("How long does the examination last?"), by_year()).open_parameters
    assert (opened.key, opened.values, opened.known_from) == ("year", ("10", "11"), "heading")


def test_a_heading_that_the_question_names_is_no_open_key() -> None:
    """A question about year 11 is answered from year 11 and asks nothing back."""
    contract = asked("How long does the Year 11 examination last?")
    assert (drafted(contract, by_year()).answer, agreed(contract, by_year()).open_parameters) == ("90 minutes", ())


def test_documents_of_one_kind_are_no_contradiction() -> None:
    """Two leases that differ in their rent do not contradict each other: the question leaves open which is meant."""
    one = hit(revision("AA-1", title="Lease, Unit 4, Northgate"), "The rent is 48,000 GBP per year.")
    two = hit(revision("BB-2", title="Lease, Unit 7, Northgate"), "The rent is 61,500 GBP per year.")
    found = agreed(asked("How much is the rent per year?"), ranked(one, two))
    assert (found.conflicts, [(opened.key, opened.values) for opened in found.open_parameters]) == (
        (),
        [("unit", ("4", "7"))],
    )


@pytest.mark.parametrize(
    ("text", "differs"),
    [
        ("It is flushed for 20 minutes.", "value"),
        ("It is flushed for 10 hours.", "unit"),
        ("It is not flushed for 10 minutes.", "negation"),
        ("P-102 is flushed for 10 minutes.", "applicability"),
        ("It is flushed for 10 minutes since 3 May 2026.", "date"),
        ("It is flushed for 10 minutes.", None),
    ],
)
def test_a_draft_that_says_something_else_than_its_quotation_is_found(text: str, differs: str | None) -> None:
    """A statement is compared with what it cites: number, unit, day, code and denial."""
    quote = "It is flushed for 10 minutes."
    citation = Citation.of(document="AA-1", revision="1", passage="AA-1@1#0", span=Span(0, len(quote)), quote=quote)
    draft = Draft(answer=text, claims=(Claim(text=text, citations=(citation,), support=1.0),), method="t")
    found = draft_faults(asked("How long is it flushed?"), draft)
    assert [fault.differs for fault in found] == ([] if differs is None else [differs])


def stood(source, *siblings, contract: Contract | None = None) -> Validity:
    """Read the validity of a draft that rests on `source`."""
    contract = contract or asked("How long is the seal flushed?")
    ranking = ranked(hit(source, "The seal is flushed for 10 minutes."))
    draft = drafted(contract, ranking)
    record = Record(source, *siblings)
    evidence = weighed(contract, ranking)
    return validity(contract, STAFF, SNAPSHOT, ranking, draft, record=record, weighed=evidence)


@pytest.mark.parametrize(
    ("fields", "given", "state", "holds"),
    [
        ({}, {}, "current", True),
        ({"valid_from": date(2020, 1, 1)}, {"as_of": date(2021, 1, 1)}, "as-of", True),
        ({}, {"revision": "1"}, "named", True),
        ({"status": "superseded"}, {}, "superseded", False),
        ({"status": "superseded", "valid_to": TODAY}, {}, "superseded", False),
        ({"valid_to": TODAY}, {}, "expired", False),
        ({"valid_from": date(2027, 1, 1)}, {}, "future", False),
        ({"status": "withdrawn"}, {}, "withdrawn", False),
        ({"status": "draft"}, {}, "draft", False),
        ({"status": None, "valid_from": None}, {}, "unlabelled", True),
    ],
)
def test_every_revision_in_use_has_a_state(fields: dict, given: dict, state: str, holds: bool) -> None:
    """Each revision of the ranking is named with how it stands to the contract, and whether it holds."""
    read = stood(revision("AA-1", **fields), contract=asked("How long is the seal flushed?", **given))
    assert [(one.state, one.holds, one.used) for one in read.states] == [(state, holds, True)]


def test_unlabelled_beside_others_and_conflicting_metadata_are_states() -> None:
    """A revision without labels beside others, and two that both claim to hold, are named as such and do not hold."""
    plain = stood(revision("AA-1", status=None, valid_from=None), revision("AA-1", "2"))
    both = stood(revision("AA-1"), revision("AA-1", "2"))
    assert [(one.state, one.holds) for read in (plain, both) for one in read.states] == [
        ("unlabelled", False),
        ("conflicting-metadata", False),
    ]


def test_what_holds_for_something_else_is_a_fault() -> None:
    """A draft for line 1 is no answer where the question fixes line 2: it is never taken for the generic one."""
    contract = asked("How tight is the belt on line 2 tensioned?")
    ranking = ranked(hit(revision("AA-1", applies_to=[["line", ["1"]]]), "The belt is tensioned to 3.2 kN."))
    evidence = weighed(contract, ranking)
    read = validity(contract, STAFF, SNAPSHOT, ranking, drafted(contract, ranking), record=Record(), weighed=evidence)
    assert [fault.reason for fault in read.faults] == ["other-applicability"]


def test_each_reading_has_value_evidence_and_version() -> None:
    """Every reading says what it found, on which ids, by which method in which version."""
    contract = asked("How long is the seal flushed?")
    ranking = ranked(hit(revision("AA-1"), "The seal is flushed for 10 minutes."))
    found = agreed(contract, ranking)
    read = stood(revision("AA-1"))
    assert (found.value, found.evidence, found.version) == ("agrees", (), "4")
    assert (read.value, read.evidence, read.version) == ("holds", ("AA-1@1",), "3")
