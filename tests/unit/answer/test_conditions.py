"""Rules that hold only somewhere, for somebody or at some time."""

from __future__ import annotations

import pytest
from written import asked, hit, revision

from remit.answer.conditions import place_of, sets_condition, with_condition
from remit.answer.draft import Citation, Claim
from remit.answer.spans import find


@pytest.mark.parametrize(
    ("question", "rule", "sets"),
    [
        ("May visitors enter the lab?", "Visitors may not enter the lab after 18:00.", True),
        ("Are flowers allowed?", "Flowers are not allowed in intensive care.", True),
        ("May I smoke on the roof?", "Contractors must not smoke on the roof.", True),
        ("May children visit patients?", "Children under 12 may visit patients on Sundays.", True),
        ("Are flowers allowed in intensive care?", "Flowers are strictly forbidden in intensive care.", False),
        ("May bicycles be parked in the yard?", "Bicycles may be parked in the yard.", False),
        # not looked at while the rules were written
        ("Is swimming allowed?", "Swimming is forbidden at high tide.", True),
        ("May guests bring dogs?", "Guests in the annex may bring dogs.", True),
        ("Must helmets be worn?", "Helmets must always be worn.", False),
        ("Darf man hier parken?", "Besucher dürfen im Hof parken.", True),
    ],
)
def test_a_rule_that_says_more_than_the_question_sets_a_condition(question: str, rule: str, sets: bool) -> None:
    """Place, people and time that the question does not fix are conditions; words that only forbid are none."""
    assert sets_condition(question, rule, asked(question).language) is sets


@pytest.mark.parametrize(
    ("question", "rule"),
    [
        ("Are flowers allowed?", "Flowers are not allowed in intensive care."),
        ("May I smoke on the roof?", "Contractors must not smoke on the roof."),
    ],
)
def test_no_bare_verdict_from_a_rule_with_a_condition(question: str, rule: str) -> None:
    """Such a rule is said as it stands, with its condition."""
    found = find(asked(question), rule)
    assert found is not None
    assert found.text == rule


def test_the_place_that_a_heading_names() -> None:
    """A heading that shares no word with question and rule may say where the rule holds; one that only says "rules" does not."""
    question, rule = "May phones be used?", "Phones must not be used."
    assert [place_of(question, rule, (heading,)) for heading in ("Radiology", "House rules", "Phones")] == [
        "Radiology",
        None,
        None,
    ]


@pytest.mark.parametrize(
    ("quote", "section", "answer"),
    [
        ("Flowers are not allowed in intensive care.", (), "No: Flowers are not allowed in intensive care."),
        ("Flowers are not allowed.", (), "No"),
        ("Flowers are not allowed.", ("Guide", "Ward 3"), "No: Ward 3: Flowers are not allowed."),
        ("The film was made by a director in Oslo.", (), "No"),
    ],
)
def test_a_model_s_verdict_brings_the_condition(quote: str, section: tuple[str, ...], answer: str) -> None:
    """A model's bare yes or no stands with the rule it rests on, where that leaves something open; a fact is no rule."""
    passage = hit(revision("A"), quote, section=section)
    (span,) = passage.passage.sentences
    citation = Citation.of(document="A", revision="1", passage=passage.passage.id, span=span, quote=quote)
    claims = (Claim(text="No", citations=(citation,), support=1.0),)
    assert with_condition("No", claims, asked("Are flowers allowed?"), (passage,)) == answer
