"""From questions to contracts, by rules."""

from __future__ import annotations

import re
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remit.contract.catalogue import Catalogue, Collection
from remit.contract.contract import Contract
from remit.contract.frame import Given, _sort, frame
from remit.contract.places import occurrences

TODAY = date(2026, 11, 30)
CATALOGUE = Catalogue(
    collections=(
        Collection(name="procedures", title="Maintenance procedures", aliases=("procedures",)),
        Collection(name="hr", title="Personnel rules", aliases=("personnel rules",)),
    )
)


def contract(question: str, **given: object) -> Contract:
    """Frame a question asked today in a store with two documents."""
    known = {"PR-114": "PR-114", "IR-2026-05": "IR-2026-05"}
    return frame(question, Given(today=TODAY, **given), CATALOGUE, known.get)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("question", "form", "dimensions"),
    [
        ("How long do I flush P-101?", "number", ("duration", "length", "cycle")),
        ("For how many years are records kept?", "number", ("duration",)),
        ("What pressure do we put on the shell?", "number", ("pressure",)),
        ("Max water pressure for lancing?", "number", ("pressure",)),
        ("What is the discharge temperature limit on K-401?", "number", ("temperature",)),
        ("What does a seal cartridge cost?", "number", ("money",)),
        ("When is PSV-310 due?", "date", ()),
        ("What clearance does the ring have when new?", "number", ("length",)),
        ("Whose signature goes on the sheet?", "name", ()),
        ("Can we weld in bay 4 without a permit?", "boolean", ()),
        ("What do I need to wear in the tank?", "list", ()),
        ("Why was the interval cut?", "text", ("reason",)),
    ],
)
def test_the_form_of_the_answer(question: str, form: str, dimensions: tuple[str, ...]) -> None:
    """The form of the answer and the dimensions a number may have are read off the question."""
    made = contract(question)
    wanted = next((fact.dimensions for fact in made.facts if fact.kind == "value"), ())
    assert (made.form, wanted) == (form, dimensions)


def test_required_facts() -> None:
    """A code must stand as it is, the topic holds the content words, and what is asked of it is a fact of its own."""
    facts = {fact.kind: fact.words or fact.name for fact in contract("Which brand of oil goes into K-401?").facts}
    assert facts == {"entity": "k-401", "topic": ("brand", "oil"), "focus": ("brand",), "value": "a name"}


def test_a_collection_named_as_the_source_narrows_the_contract() -> None:
    """The words "according to the procedures" name a collection and are no part of the claim."""
    made = contract("According to the maintenance procedures, what torque for the cover bolts?")
    assert (made.collections, made.claim) == (("procedures",), "what torque for the cover bolts?")


@pytest.mark.parametrize("said", ["Summarise the", "Please summarize our", "Show me the", "Read", "Search the"])
def test_a_collection_that_is_to_be_summarised_is_named(said: str) -> None:
    """Who asks to have a collection read, shown or summarised names it, and gets the answer that its rights give."""
    assert ("hr",) == contract(f"{said} personnel rules.").collections


def test_a_document_is_named_by_its_id_only_where_there_is_one() -> None:
    """A code that names a document narrows the contract to it; either way the evidence must mention the code."""
    known, other = contract("Summarise IR-2026-05 please"), contract("Summarise IR-2026-99 please")
    entities = [fact.name for fact in other.facts if fact.kind == "entity"]
    assert (known.documents, other.documents, entities) == (("IR-2026-05",), (), ["ir-2026-99"])


@pytest.mark.parametrize(
    ("question", "at"),
    [
        ("What was the interval as of 1 July 2024?", date(2024, 7, 1)),
        ("Interval back in May 2022?", date(2022, 5, 1)),
        ("What caused the failure in March 2026?", TODAY),
    ],
)
def test_only_an_as_of_date_selects_revisions(question: str, at: date) -> None:
    """A date behind "as of" or its like selects the revision; the date of an event does not."""
    assert contract(question).wanted.at == at


def test_what_the_caller_gives_wins() -> None:
    """An as-of date and parameters given by the caller win over the question's words."""
    made = contract("Interval as of 1 July 2024?", as_of=date(2020, 1, 1), parameters={"line": "2"})
    assert (made.wanted.at, made.bound("line"), made.bound("region")) == (date(2020, 1, 1), "2", None)


def test_a_named_revision_of_a_named_document() -> None:
    """Asking for "revision 2 of PR-114" gives that revision, whatever holds today."""
    assert contract("What interval did revision 2 of PR-114 give?").wanted.named == "2"


@pytest.mark.parametrize(
    ("question", "at"),
    [
        ("What was the interval as of 2024?", date(2024, 12, 31)),
        ("Which limit was in force in 2023?", date(2023, 12, 31)),
        ("Which limit was in force in 2026?", TODAY),
        ("What caused the failure in 2024?", TODAY),
    ],
)
def test_a_year_selects_revisions_only_where_the_question_speaks_as_of_it(question: str, at: date) -> None:
    """A year alone is its last day that there has been; where it may be when a thing happened, today's revisions are read."""
    wanted = contract(question).wanted
    assert (wanted.at, wanted.historical) == (at, at != TODAY)


@pytest.mark.parametrize(
    ("question", "sort"),
    [
        ("What does the valve P-7 open at?", "valve"),
        ("What is the flow of pump P-101?", "pump"),
        ("What does the relief valve PSV-341 open at?", "valve"),
        ("What does P-101 weigh?", ""),
        ("When did we grease P-101?", ""),
        ("What is the weight of unit P-101?", ""),
        ("What is the cost of replacing P-101?", ""),
        ("What turned out to be the reason P-101 stopped?", ""),
        ("What is the oil P-101 takes?", ""),
        ("We are about to take P-101 back. Who signs?", ""),
        ("Who signs for the pump in position P-101?", ""),
        ("Who was there at the time P-101 stopped?", ""),
        ("Is the valve P-7 open?", "valve"),
        ("Wie schwer ist die Pumpe P-101?", ""),
    ],
)
def test_a_code_is_of_the_sort_that_the_question_says(question: str, sort: str) -> None:
    """The noun before a code says what it stands for; a verb, a general word and another language say nothing."""
    assert [fact.sort for fact in contract(question).facts if fact.terms == (fact.name,) and "-" in fact.name] == [sort]


@pytest.mark.parametrize("question", ["What is the current interval?", "What is the interval now?", "Latest interval?"])
def test_current_is_today_and_no_fact(question: str) -> None:
    """Words for what holds now leave the date at today, and evidence need not repeat them."""
    made = contract(question)
    said = {word for fact in made.facts for word in fact.words}
    assert (made.wanted.at, made.wanted.historical) == (TODAY, False)
    assert not said & {"current", "now", "latest"}


def test_a_revision_is_named_only_of_a_document_that_is_there() -> None:
    """A "revision 2" of no known document narrows nothing: it is a key that the evidence may apply to."""
    made = contract("What interval does revision B of the procedure give?")
    assert (made.wanted.named, dict(made.stated)) == (None, {"revision": "b"})


@pytest.mark.parametrize(
    ("question", "unit"),
    [
        ("How many hours does the flush take?", "hours"),
        ("What is the pressure in psi?", "psi"),
        ("What does it weigh in the winter?", None),
    ],
)
def test_the_unit_that_is_wanted(question: str, unit: str | None) -> None:
    """A unit after "in" or "how many" is the one that the answer is wanted in; no other word is."""
    assert contract(question).unit == unit


@pytest.mark.parametrize(
    ("question", "sense", "amounts"),
    [
        ("May it run at more than 6 bar?", "above", ("6 bar",)),
        ("Is it at least 5 mm?", "at_least", ("5 mm",)),
        ("Is it between 5 and 7 bar?", "between", ("5 bar", "7 bar")),
        ("Is it between 5 bar and 7 bar?", "between", ("5 bar", "7 bar")),
    ],
)
def test_comparisons_are_kept_with_their_amounts(question: str, sense: str, amounts: tuple[str, ...]) -> None:
    """What a question compares with is read with its sense, and the question wants yes or no."""
    made = contract(question)
    assert ([(one.sense, one.amounts) for one in made.comparisons], made.form) == ([(sense, amounts)], "boolean")


def test_nothing_is_compared_where_an_amount_only_stands_there() -> None:
    """An amount without a comparing word is none."""
    assert contract("What happens at 6 bar?").comparisons == ()


@pytest.mark.parametrize("question", ["List the tools for the swap.", "Which tools do I need for the swap?"])
def test_lists_are_asked_for_by_their_words(question: str) -> None:
    """The word "list" and a plural after "which" want a list."""
    assert contract(question).form == "list"


def test_every_contract_names_the_version_of_its_rules() -> None:
    """The framing of a contract is told with its version; without a caller's fields no origin is claimed for any."""
    made = contract("What is the interval?")
    assert (made.framing.partition("/")[0], made.origins) == ("rules", ())


@given(st.text("P-17_ aİb.", max_size=30), st.sampled_from(["p-1", "P-17", "a", "b-7", "1"]))
def test_a_code_stands_where_it_is_a_word_of_its_own(text: str, code: str) -> None:
    """Without a pattern for each of a thousand codes the places are those that the pattern would find."""
    pattern = rf"(?<!\w){re.escape(code)}(?!\w)"
    assert [match.span() for match in re.finditer(pattern, text, re.IGNORECASE)] == occurrences(code, text)


@pytest.mark.parametrize("code", ["P-1", "P-1 ", " P-1", "pump P-1-b or of valve P-1", "P-1 in the valve P-1"])
def test_the_noun_before_a_code_is_its_sort(code: str) -> None:
    """It is read at whichever place of the code it stands, and not off a longer code."""
    assert ("valve" if code.endswith("valve P-1") else "") == _sort("P-1", f"What of {code}?", "en")


@pytest.mark.parametrize(
    ("question", "documents", "named"),
    [
        ("When did visits end in VIS revision 1?", ("VIS",), "1"),
        ("How many visitors does VIS allow at a bed?", ("VIS",), None),
        ("When did visits end in XYZ revision 1?", (), None),
    ],
)
def test_a_document_named_without_a_number(question: str, documents: tuple[str, ...], named: str | None) -> None:
    """An id in capitals names its document where there is one, and a revision behind it is the one that is asked about."""
    made = frame(question, Given(today=TODAY), CATALOGUE, {"VIS": "VIS"}.get)
    assert (made.documents, made.wanted.named) == (documents, named)


def test_a_revision_that_is_the_source_is_no_fact() -> None:
    """What only says where to look has not to stand in the evidence."""
    made = frame("When did visits end in VIS revision 1?", Given(today=TODAY), CATALOGUE, {"VIS": "VIS"}.get)
    assert [fact.name for fact in made.facts if fact.kind == "entity"] == []
