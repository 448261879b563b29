"""The readings, on evidence written by hand."""

from __future__ import annotations

from datetime import date

import pytest
from by_words import Record, drafted, held, weighed
from written import STAFF, TODAY, asked, hit, ranked, revision

from remit.access.scope import Scope
from remit.answer.draft import Citation, Claim, Draft
from remit.contract.contract import Contract
from remit.corpus.document import Revision, Snapshot
from remit.observe.agreement import agreement
from remit.observe.authorization import authorization
from remit.observe.citations import citations
from remit.observe.coverage import coverage
from remit.observe.estimate import estimate
from remit.observe.observation import Agreement, Observation, Validity
from remit.observe.read import Reader
from remit.observe.relevance import relevance
from remit.observe.validity import validity
from remit.rerank.ranking import Ranking
from remit.retrieve.retriever import Candidates, Hit

SNAPSHOT = Snapshot(number=1, digest="sha256:0")
FLUSH = asked("How long is the seal chamber of P-101 flushed?")


ONE, OTHER = revision("PR-101", "3"), revision("EN-14")
TEN = hit(ONE, "The seal chamber of P-101 is flushed for 10 minutes.")
TWENTY = hit(OTHER, "The seal chamber of P-101 is flushed for 20 minutes.")


def test_two_authoritative_documents_that_differ_conflict() -> None:
    """Two valid, authoritative documents with different values for the same thing are a conflict that names both."""
    ranking = ranked(TEN, TWENTY)
    found = agreement(FLUSH, drafted(FLUSH, ranking), weighed(FLUSH, ranking), held(ONE, OTHER))
    assert [{c.first, c.second} for c in found.conflicts] == [{TEN.passage.id, TWENTY.passage.id}]


def test_what_was_found_and_not_sent_contradicts_too() -> None:
    """A reranker that sends one passage hides neither the one that contradicts it nor how that one's revision stands."""
    seen = _read_of(TEN, TWENTY, sent=1)
    assert isinstance(seen.agreement, Agreement)
    assert isinstance(seen.validity, Validity)
    assert [{c.first, c.second} for c in seen.agreement.conflicts] == [{TEN.passage.id, TWENTY.passage.id}]
    assert seen.validity.holds == tuple(sorted((ONE.id, OTHER.id)))


def test_what_was_found_outside_the_scope_is_not_read() -> None:
    """A passage that the asker may not read contradicts nothing, sent or not."""
    hidden = hit(revision("EN-14", labels=["board"]), "The seal chamber of P-101 is flushed for 20 minutes.")
    seen = _read_of(TEN, hidden, sent=1)
    assert isinstance(seen.agreement, Agreement)
    assert seen.agreement.conflicts == ()
    assert "EN-14" not in seen.model_dump_json()


def test_nothing_sent_reads_nothing() -> None:
    """Where a policy sends nothing there is no draft, and what was found opens no conflict by itself."""
    seen = _read_of(TEN, TWENTY, sent=0)
    assert isinstance(seen.agreement, Agreement)
    assert seen.agreement.value == "agrees"


def _read_of(*hits: Hit, sent: int) -> Observation:
    """Read what was found of which the first are sent."""
    found = Candidates(hits=hits, readable=2, visible=2, snapshot=SNAPSHOT)
    ranking = ranked(*hits[:sent])
    draft = drafted(FLUSH, ranking) if sent else Draft(answer=None, method="t")
    reader = Reader(Record(*(one.source for one in hits)), lambda c, r, s: weighed(c, r))
    return reader.read(FLUSH, STAFF, SNAPSHOT, found, ranking, draft)


@pytest.mark.parametrize("changed", [{"authority": "informative"}, {"revision": "9"}])
def test_what_is_not_authoritative_or_not_valid_contradicts_nothing(changed: dict[str, object]) -> None:
    """An informative source and a revision that does not hold are no contradiction."""
    rival = revision("EN-14", **changed)
    ranking = ranked(TEN, hit(rival, "The seal chamber of P-101 is flushed for 20 minutes."))
    found = agreement(FLUSH, drafted(FLUSH, ranking), weighed(FLUSH, ranking), held(ONE, OTHER))
    assert found.conflicts == ()


def test_the_same_value_in_another_unit_is_no_conflict() -> None:
    """Sixty minutes and one hour agree."""
    first = hit(ONE, "The seal chamber of P-101 is flushed for 60 minutes.")
    second = hit(OTHER, "The seal chamber of P-101 is flushed for one hour.")
    ranking = ranked(first, second)
    found = agreement(FLUSH, drafted(FLUSH, ranking), weighed(FLUSH, ranking), held(ONE, OTHER))
    assert found.conflicts == ()


def by_line() -> Ranking:
    """Rank two procedures that differ by the line they apply to."""
    one = revision("PR-141", applies_to=[["line", ["1"]]])
    two = revision("PR-142", applies_to=[["line", ["2"]]])
    return ranked(hit(one, "The belt is tensioned to 3.2 kN."), hit(two, "The belt is tensioned to 4.1 kN."))


def test_a_key_the_question_leaves_open_is_asked_for() -> None:
    """Where the answer differs by an applicability key that the question leaves open, the key and its values are read."""
    contract, ranking = asked("How tight is the belt tensioned?"), by_line()
    holds = held(*(h.source for h in ranking.hits))
    found = agreement(contract, drafted(contract, ranking), weighed(contract, ranking), holds)
    assert [(o.key, o.values) for o in found.open_parameters] == [("line", ("1", "2"))]


@pytest.mark.parametrize(
    "contract",
    [asked("How tight is the belt on line 2 tensioned?"), asked("How tight is the belt?", parameters={"line": "2"})],
)
def test_a_key_that_is_fixed_selects_its_evidence(contract: Contract) -> None:
    """Where the question or a parameter fixes the key, only evidence for that value counts and nothing is open."""
    ranking = by_line()
    draft = drafted(contract, ranking)
    found = agreement(contract, draft, weighed(contract, ranking), held(*(h.source for h in ranking.hits)))
    assert (draft.answer, found.open_parameters, found.conflicts) == ("4.1 kN", (), ())


def test_coverage_names_the_missing_fact() -> None:
    """What the quotation does not hold is named, and the weakest fact is the share."""
    contract = asked("Which brand of oil goes into K-401?")
    ranking = ranked(hit(revision("TB-19"), "K-401 takes 12 litres of oil."))
    read = coverage(contract, ranking, drafted(contract, ranking), weighed(contract, ranking))
    missing = {fact.fact for fact in read.facts if fact.support == 0}
    assert (read.share, missing) == (0.0, {"brand", "a name"})


def test_a_draft_without_citations_covers_nothing() -> None:
    """No quotation, no fact: every required fact has no support."""
    draft = Draft(answer=None, method="t")
    read = coverage(FLUSH, ranked(TEN), draft, weighed(FLUSH, ranked(TEN)))
    assert (read.share, {fact.support for fact in read.facts}) == (0.0, {0.0})


def test_relevance_of_nothing_is_zero_passages() -> None:
    """Without passages there is nothing relevant, and no number is made up for any."""
    read = relevance(FLUSH, ranked(), Draft(answer=None, method="t"), ())
    assert (read.passages, read.best) == ((), 0.0)


def checked(source: Revision, *siblings: Revision, contract: Contract = FLUSH) -> tuple[tuple[str, ...], list[str]]:
    """Return which revisions hold and the reasons of the faults, for a draft that rests on `source`."""
    ranking = ranked(hit(source, "The seal chamber of P-101 is flushed for 10 minutes."))
    draft = drafted(contract, ranking)
    read = validity(contract, STAFF, SNAPSHOT, ranking, draft, record=Record(source, *siblings))
    return read.holds, [fault.reason for fault in read.faults]


UNDATED = revision("PR-101", "x", status=None, valid_from=None)


@pytest.mark.parametrize(
    ("source", "siblings", "faults"),
    [
        (ONE, (), []),
        (UNDATED, (), []),
        (UNDATED, (ONE,), ["undated"]),
        (revision("PR-101", "4", status="draft"), (), ["draft"]),
        (revision("PR-101", "4", status="withdrawn"), (), ["withdrawn"]),
        (revision("PR-101", "4", valid_from=date(2027, 1, 1)), (), ["future"]),
        (revision("PR-101", "4", valid_to=TODAY), (), ["expired"]),
        (ONE, (revision("PR-101", "4"),), ["conflicting-metadata"]),
        (ONE, (revision("PR-101", "4", supersedes=["PR-101@3"]),), []),
        (ONE, (revision("PR-101", "4", valid_from=date(2027, 1, 1)),), []),
    ],
)
def test_a_revision_holds_or_its_fault_is_named(
    source: Revision, siblings: tuple[Revision, ...], faults: list[str]
) -> None:
    """Each way in which a revision may not hold has a name; one without status and dates holds only where it is alone."""
    holds, reasons = checked(source, *siblings)
    assert (holds, reasons) == ((source.id,) if not faults else (), faults)


def test_a_passage_outside_the_scope_is_reported() -> None:
    """A passage that a search should not have brought is named, whatever its score."""
    hidden = hit(revision("HR-1", labels=["hr"]), "The seal chamber of P-101 is flushed for 5 minutes.")
    found = Candidates(hits=(TEN, hidden), readable=1, visible=1, snapshot=SNAPSHOT)
    assert authorization(STAFF, found, ranked(TEN, hidden)).outside == (hidden.passage.id,)


def test_an_empty_scope_opens_nothing() -> None:
    """An asker without labels may read nothing, whatever a search claims to have counted."""
    empty = Scope(principal="x", labels=frozenset(), policy="t")
    found = Candidates(hits=(), readable=7, visible=7, snapshot=SNAPSHOT)
    assert authorization(empty, found, ranked()).readable == 0


@pytest.mark.parametrize(
    "changes",
    [
        {"quote": "The seal chamber of P-101 is flushed for 90 minutes."},
        {"start": 3},
        {"end": 5000},
        {"passage": "PR-101@3#77"},
        {"revision": "2"},
        {"digest": "sha256:0"},
    ],
)
def test_a_citation_that_is_not_as_it_says_fails(changes: dict[str, object]) -> None:
    """A citation with another quote, span, passage, revision or digest than what stands there does not verify."""
    ranking = ranked(TEN)
    draft = drafted(FLUSH, ranking)
    right = citations(draft, ranking, STAFF)
    wrong = Citation.model_validate(draft.citations[0].model_dump(context={"keep_text": True}) | changes)
    claim = Claim(text="", citations=(wrong,), support=1.0)
    lied = citations(draft.model_copy(update={"claims": (claim,)}), ranking, STAFF)
    assert (right.failed, len(right.verified), lied.verified, lied.failed) == ((), 1, (), (wrong.digest,))


def test_the_estimate_comes_from_the_response_alone() -> None:
    """A draft without an answer looks incorrect; one that quotes what was asked looks likelier than a stray one."""
    contract = FLUSH
    right = drafted(contract, ranked(TEN))
    stray = right.model_copy(update={"answer": "x y z", "claims": (), "confidence": 0.05})
    silent = estimate(contract, right.model_copy(update={"answer": None}))
    assert (silent.looks_correct, silent.probability) == (False, 0.0)
    assert estimate(contract, right).probability > estimate(contract, stray).probability


@pytest.mark.parametrize("question", ["?!", "...", "the", "a"])
def test_a_question_that_asks_for_nothing_is_covered_by_nothing(question: str) -> None:
    """Without a word to go by there is no fact, and no fact is not enough."""
    contract, ranking = asked(question), ranked(TEN)
    read = coverage(contract, ranking, drafted(contract, ranking), weighed(contract, ranking))
    assert read.share < 0.45


def test_each_passage_has_a_probability_of_its_own() -> None:
    """Every ranked passage has a probability, a closer or earlier one the higher; what it was fitted on is named."""
    ranking = ranked(TEN, hit(OTHER, "The canteen opens at noon."))
    read = relevance(FLUSH, ranking, drafted(FLUSH, ranking), weighed(FLUSH, ranking))
    first, second = read.passages
    assert [first.passage, second.passage] == [one.passage.id for one in ranking.hits]
    assert 1.0 > first.probability > second.probability > 0.0
    assert (read.calibration, read.best) == ("nq, hotpotqa, 2wiki: train", max(first.about, second.about))
