"""From questions to contracts, by rules."""

from __future__ import annotations

from datetime import date

import pytest

from remit.contract.catalogue import Catalogue, Collection
from remit.contract.contract import Contract
from remit.contract.frame import Given, frame

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
