"""Which relation a question asks about, and whether a sentence states it."""

from __future__ import annotations

import pytest

from remit.contract.relations import another_relation, runs_backwards, thing_missed, verb_asked, who_does


@pytest.mark.parametrize(
    ("question", "verb"),
    [
        ("Who replaces the ward manager?", "replaces"),
        ("Who may authorise a departure?", "authorise"),
        ("Who is allowed to approve overtime?", "approve"),
        ("Who stands in for the dispatcher?", "substitutes"),
        ("Who is responsible for the drug cabinet?", "responsible"),
        ("Who is the plant manager?", None),
        ("Who wrote the song?", None),
        ("Who looked after the list?", None),
        ("When does the bank close?", None),
    ],
)
def test_the_verb_of_what_somebody_is_asked_for(question: str, verb: str | None) -> None:
    """The verb behind "who" has to be stated by the evidence, unless it says next to nothing."""
    assert verb_asked(question) == verb


@pytest.mark.parametrize(
    ("question", "text", "another"),
    [
        ("When does the bank close?", "The bank opens at 07:30.", True),
        ("When does the lock close?", "The lock opens at 06:00.", True),
        ("When does the bank close?", "The bank shuts at 16:00.", False),
        ("How often are the filters replaced?", "The filters are inspected every 3 months.", True),
        ("How often are the filters replaced?", "The filters are renewed every 3 months.", False),
        ("Who writes the roster?", "The head nurse approves the roster.", True),
        ("Who delivers the oxygen?", "The porter orders the oxygen.", True),
        ("How long do I flush before starting it?", "Flush it for 10 minutes, then replace the cap.", False),
        # not looked at while the rules were written
        ("When is the patient admitted?", "Patients are discharged at 11:00.", True),
        ("How often are the brakes calibrated?", "The brakes are lubricated every week.", True),
        ("Who trains the drivers?", "The depot head hires the drivers.", True),
        ("How often is the tank cleaned?", "The tank is rinsed daily.", False),
    ],
)
def test_a_sentence_of_another_relation_is_told(question: str, text: str, another: bool) -> None:
    """A sentence that says something else of the same thing answers nothing; one with another word for it does."""
    assert another_relation(question, text) is another


@pytest.mark.parametrize(
    ("question", "text", "missed"),
    [
        ("How often are the pump filters replaced?", "The pump batteries are replaced every 2 years.", True),
        ("How often are the pump filters replaced?", "They are replaced every 2 years.", False),
        ("Who approves overtime?", "The head nurse approves the duty roster.", True),
        ("Who decides whether the unit may be started?", "The shift lead decides on a start.", False),
    ],
)
def test_a_sentence_about_another_thing_is_told(question: str, text: str, missed: bool) -> None:
    """The last word of what is acted on has to be there, or a pronoun for it."""
    assert bool(thing_missed(question, text)) is missed


@pytest.mark.parametrize(
    ("question", "text", "backwards"),
    [
        ("Who replaces Dr Lee?", "Dr Lee replaces Dr Marsh.", True),
        ("Who replaces Dr Marsh?", "Dr Lee replaces Dr Marsh.", False),
        ("Who replaces Dr Marsh?", "Dr Marsh is replaced by Dr Lee.", False),
        ("Who replaces Dr Lee?", "Dr Marsh is replaced by Dr Lee.", True),
        ("Who supervises the bosun?", "The bosun supervises the deckhands.", True),
        ("Who supervises the deckhands?", "The bosun supervises the deckhands.", False),
    ],
)
def test_who_acts_on_whom(question: str, text: str, backwards: bool) -> None:
    """A relation the wrong way round is another one."""
    assert runs_backwards(question, text) is backwards


@pytest.mark.parametrize(
    ("question", "text", "who"),
    [
        ("Who authorises departures?", "The harbour master authorises departures.", "harbour master"),
        ("Who checks the cabinet?", "The cabinet is checked by the night pharmacist every Friday.", "night pharmacist"),
        ("Who is responsible for the keys?", "The lodge keeper is responsible for the keys.", "lodge keeper"),
        ("Who paints the buoys?", "The buoys are painted every five years.", None),
        ("Who approves the plan?", "The plan is not approved.", None),
    ],
)
def test_who_is_named_beside_the_verb(question: str, text: str, who: str | None) -> None:
    """Who acts stands before the verb, or behind "by"; nobody is made up."""
    found = who_does(question, text)
    assert (None if found is None else text[slice(*found)]) == who
