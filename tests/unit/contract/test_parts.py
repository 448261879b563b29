"""Questions that ask several things."""

from __future__ import annotations

import pytest
from by_words import drafted, weighed
from written import asked, hit, ranked, revision

from remit.contract.parts import parts
from remit.observe.coverage import coverage


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("Who leads the drill and how often is it held?", ("Who leads the drill", "how often is it held")),
        ("What does a bicycle cost, and what does a dog cost?", ("What does a bicycle cost", "what does a dog cost")),
        ("When is it tested and by whom is it tested?", ("When is it tested", "by whom is it tested")),
        ("How often is the drill held?", ()),
        ("When and where is the drill held?", ()),
        ("What happens if and when the pump stops?", ()),
        ("Which oil and grease does P-101 take?", ()),
        ("Who repairs pumps and valves?", ()),
    ],
)
def test_the_parts_of_a_question(question: str, found: tuple[str, ...]) -> None:
    """Each part asks something itself; things that are listed, and a bare question word, are no parts."""
    assert found == parts(question)


LEADS, HELD = "The fire drill is led by the mate.", "The fire drill is held every 14 days."


@pytest.mark.parametrize(
    ("text", "held"),
    [(HELD, False), (LEADS, False), ("The fire drill is led by the mate and held every 14 days.", True)],
)
def test_an_answer_to_one_part_covers_the_question_not(text: str, *, held: bool) -> None:
    """Coverage is the least of what the parts have; one sentence that states both has both."""
    contract = asked("By whom is the fire drill led and how often is the fire drill held?")
    ranking = ranked(hit(revision("D-1"), text))
    reading = coverage(contract, ranking, drafted(contract, ranking), weighed(contract, ranking))
    assert held == (reading.share > 0.0)
