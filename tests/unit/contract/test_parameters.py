"""Whether a question fixes a parameter."""

from __future__ import annotations

from datetime import date

import pytest

from remit.contract.catalogue import Catalogue
from remit.contract.frame import Given, frame
from remit.contract.parameters import bound_value, qualifiers


@pytest.mark.parametrize(
    ("question", "key", "values", "bound"),
    [
        ("Torque for the cover bolts on P-102 rev B?", "equipment_revision", ("A", "B"), "B"),
        ("Torque for equipment revision a please", "equipment_revision", ("A", "B"), "A"),
        ("How tight is the belt on line 2?", "line", ("1", "2"), "2"),
        ("How tight is the belt?", "line", ("1", "2"), None),
        ("A torque for the belt?", "equipment_revision", ("A", "B"), None),
        ("What tension in the northern region?", "region", ("northern", "southern"), "northern"),
    ],
)
def test_a_value_is_bound_where_the_question_names_it(
    question: str, key: str, values: tuple[str, ...], bound: str | None
) -> None:
    """A key is fixed by its value behind the key's name or its beginning, or by a telling word; not by a stray letter."""
    made = frame(question, Given(today=date(2026, 11, 30)), Catalogue(), lambda _: None)
    assert bound_value(made, key, values) == bound


def test_a_given_parameter_wins() -> None:
    """A parameter that the caller gave is taken as it is."""
    given = Given(today=date(2026, 11, 30), parameters={"line": "7"})
    made = frame("How tight is the belt on line 2?", given, Catalogue(), lambda _: None)
    assert bound_value(made, "line", ("1", "2")) == "7"


@pytest.mark.parametrize(
    ("question", "things"),
    [
        ("When do the mocks of Year 10 start?", [("year", "10")]),
        ("Is Fryer 1 used for prawns on 12 March?", [("fryer", "1")]),
        ("What deposit for unit 7 and rev B?", [("unit", "7"), ("rev", "b")]),
        ("How long does 2 bar take after March 12?", []),
    ],
)
def test_things_told_apart_by_a_number(question: str, things: list[tuple[str, str]]) -> None:
    """A thing with its number or letter is one that the evidence must name; dates and amounts are none."""
    assert qualifiers(question) == things
