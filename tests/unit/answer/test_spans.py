"""The shortest span that answers."""

from __future__ import annotations

import pytest
from written import asked

from remit.answer.found import same_value
from remit.answer.spans import find


@pytest.mark.parametrize(
    ("question", "sentence", "answer"),
    [
        ("How long is the chamber flushed?", "The chamber is flushed for 10 minutes before the pump is started.", "10 minutes"),
        ("What torque for the cover bolts?", "Bolt: M12; Torque nm: 42; Pattern: cross.", "42 N·m"),
        ("At what pressure is the shell tested?", "The shell is tested at 16.5 bar and held for 30 minutes.", "16.5 bar"),
        ("When is PSV-310 due?", "Valve: PSV-310; Next test: 2027-03-12.", "2027-03-12"),
        ("When is the siren tested?", "The siren is tested on the first Wednesday of each month at 11:00.",
         "the first Wednesday of each month"),
        ("Until when is the lift closed?", "The lift is closed from 2 May 2026 until 9 June 2026.", "9 June 2026"),
        ("Since when is the lift closed?", "The lift is closed from 2 May 2026 until 9 June 2026.", "2 May 2026"),
        ("When may visitors come?", "Visitors may come between 13:00 and 19:30.", "between 13:00 and 19:30"),
        ("Which number do I call in case of fire?", "In case of fire, call 112 first.", "112"),
        ("Whose signature goes on the sheet?", "The test sheet is signed by the shift engineer.", "shift engineer"),
        ("What extension do I ring?", "A smell of gas is reported to the control room on 2260.", "2260"),
        ("To whom will the Amsel be sold?", "The Amsel will be sold to Hafenlinie for 2 EUR on 1 March 2027.", "Hafenlinie"),
        ("With whom is the pier shared?", "The pier is shared with Nordsee Lotsen since May.", "Nordsee Lotsen"),
        ("Which vessel was built in 2011?", "vessel: Merle; passengers: 240; built: 2011.", "Merle"),
        ("Which part number is the gasket?", "The channel gasket has the part code E-203/G.", "E-203/G"),
        ("Is hot work permitted in bay 4 without a permit?", "Hot work is not permitted in bay 4 without a permit.", "No"),
        ("May visitors take photographs?", "Visitors may take photographs.", "Yes"),
        ("What do I need to wear?", "Wear chemical goggles, nitrile gloves and a rubber apron.",
         "chemical goggles, nitrile gloves and a rubber apron"),
    ],
)  # fmt: skip
def test_the_span_has_the_wanted_form(question: str, sentence: str, answer: str) -> None:
    """The span that answers is the one of the form the question asks for, and no more."""
    found = find(asked(question), sentence)
    assert found is not None
    assert found.text == answer


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("At what pressure is the shell tested?", "The shell is tested after cleaning."),
        ("When is the belt due?", "The belt has not been ordered."),
        ("Who builds the scaffold?", "The contractor has not yet been chosen."),
        ("What does the cartridge cost?", "The cartridge is kept for 14 days."),
    ],
)
def test_no_span_where_the_form_is_missing(question: str, sentence: str) -> None:
    """A sentence without a span of the wanted form, or that says it is not known yet, answers nothing."""
    assert find(asked(question), sentence) is None


def test_the_same_value_in_other_units() -> None:
    """Two answers are the same where their values are, whatever the unit; different values are different."""
    question = asked("How long is it flushed?")
    one, same, other = (find(question, f"It is flushed for {x}.") for x in ("60 minutes", "one hour", "20 minutes"))
    assert one is not None
    assert same is not None
    assert other is not None
    assert (same_value(one, same), same_value(one, other)) == (True, False)


@pytest.mark.parametrize(
    ("question", "sentence", "answer"),
    [
        ("At what time is the drill?", "The drill takes place at 10:15 on the first Monday of each month.", "10:15"),
        ("At what time is the ice delivered?", "The ice is delivered at 5 am.", "5 am"),
        (
            "How often is the drill?",
            "The drill takes place on the first Monday of the month.",
            "first Monday of the month",
        ),
        ("How often are the chairs tested?", "The chairs are tested twice a year.", "twice a year"),
        ("Which pump is used in Cardiology?", "ward: Cardiology; pump: Agilia; asset: P-201.", "Agilia"),
        ("Who authorises departures?", "The harbour master authorises departures.", "harbour master"),
        # not looked at while the rules were written
        ("How often is the well tested?", "The well is tested every other Tuesday.", "every other Tuesday"),
        ("What time does the gate shut?", "The gate shuts at 9.30 pm in summer.", "9.30 pm"),
        ("Which room is the archive in?", "part: archive; floor: 2; room: Oak.", "Oak"),
    ],
)
def test_times_rhythms_and_cells(question: str, sentence: str, answer: str) -> None:
    """A time of day, how often something is, and the cell of the column asked for are found as they are written."""
    found = find(asked(question), sentence)
    assert found is not None
    assert found.text.removeprefix("on the ").removeprefix("at ") == answer
