"""Which number, which verdict: sentences in which a careless reader picks the wrong one."""

from __future__ import annotations

import pytest
from written import asked, hit, revision

from remit.answer.found import same_value
from remit.answer.items import with_lead_in
from remit.answer.retracted import says_what_holds
from remit.answer.spans import find

PRESSURE = "The line is tested at at least 15 bar and at most 18 bar."


@pytest.mark.parametrize(
    ("question", "sentence", "answer"),
    [
        ("How much does tank T-2 hold?", "Tank T-1 holds 500 litres and tank T-2 holds 800 litres.", "800 litres"),
        ("How much does tank T-1 hold?", "Tank T-1 holds 500 litres and tank T-2 holds 800 litres.", "500 litres"),
        ("What is the meal cost abroad?", "The meal cost is 45 EUR for domestic travel and 70 EUR for travel abroad.", "70 EUR"),
        ("What is the meal cost for domestic travel?",
         "The meal cost is 45 EUR for domestic travel and 70 EUR for travel abroad.", "45 EUR"),
        ("At what pressure is it tested now?", "Until May 2025 the pressure was 6 bar; it is now 4 bar.", "4 bar"),
        ("What is the maximum pressure?", PRESSURE, "18 bar"),
        ("What is the minimum pressure?", PRESSURE, "15 bar"),
        ("What torque for the bolts?", "The bolts take 40 to 45 Nm.", "40 to 45 Nm"),
        ("At what pressure does it open?", "It opens between 10 and 12 bar.", "between 10 and 12 bar"),
        ("What does the pass cost?", "The pass costs 1.200,50 EUR.", "1.200,50 EUR"),
        ("What torque for the bolts?", "The torque is not 45 Nm; it was changed to 60 Nm.", "60 Nm"),
        ("What torque for the cover bolts?", "bolt: cover; torque nm: 42; length mm: 60.", "42 N·m"),
    ],
)  # fmt: skip
def test_the_number_that_stands_with_the_words_asked_for(question: str, sentence: str, answer: str) -> None:
    """Of several numbers the one in the clause of the question's words is taken; a range stays a range."""
    found = find(asked(question), sentence)
    assert found is not None
    assert found.text == answer


def test_where_two_numbers_could_be_meant_the_sentence_is_the_answer() -> None:
    """Where nothing tells two numbers of two clauses apart, none of them is picked."""
    sentence = "The fan alarms at 5.0 mm/s and trips at 9.0 mm/s."
    found = find(asked("What vibration limit does the fan have?"), sentence)
    assert found is not None
    assert (found.text, found.value) == (sentence, None)


@pytest.mark.parametrize(
    ("question", "row"),
    [
        ("What fee does a painting apprentice pay?", "trade: painting; deposit eur: 15; weeks: 3."),
        ("How long can the syrup be used after opening?", "child's age: 4 years; dose: 5 ml."),
        ("How often is the oil in P-101 changed?", "machine: P-101; lubricant: VG 68 oil; check: weekly."),
    ],
)
def test_a_cell_under_another_label_is_no_answer(question: str, row: str) -> None:
    """A number in a column that the question does not ask for answers nothing, whatever its unit."""
    contract = asked(question)
    found = find(contract, row)
    assert found is None


@pytest.mark.parametrize(
    ("question", "sentence", "answer"),
    [
        ("Is smoking allowed in the pump house?", "Smoking is permitted only at the shelter next to the gate.", None),
        ("Does the syrup contain lactose?", "Do not take the syrup with a stomach ulcer.", None),
        ("May the syrup be taken during pregnancy?", "Do not take it in the last three months of pregnancy.", None),
        (
            "Is it forbidden to take photographs in the yard?",
            "It is not forbidden to take photographs in the yard.",
            "No",
        ),
        ("May visitors take photographs?", "Visitors may take photographs in the yard.", None),
        ("Is ten minutes enough?", "The chamber must be flushed for 20 minutes.", None),
    ],
)
def test_yes_and_no_are_said_only_of_just_what_is_asked(question: str, sentence: str, answer: str | None) -> None:
    """Yes or no needs every word of the question in the sentence and no condition beside it; else the sentence answers."""
    found = find(asked(question), sentence)
    assert found is not None
    assert found.text == (answer or sentence)


@pytest.mark.parametrize(
    ("sentence", "section", "holds"),
    [
        ("It is untrue that N-6 takes 70 Nm.", (), False),
        ("If approved, N-10 would take 90 Nm.", (), False),
        ("Some people say that it takes 80 Nm.", (), False),
        ("~~The filter is changed every 8 months.~~", (), False),
        ("The filter is changed every 8 months.", ("Values that no longer apply",), False),
        ("The filter is changed every 8 months.", ("Filters",), True),
        ("The red board is used to cut meat every day.", (), True),
        ("A visitor might need a hair net.", ("Former pupils",), True),
    ],
)
def test_what_is_not_said_to_hold_is_told_apart(sentence: str, section: tuple[str, ...], *, holds: bool) -> None:
    """What would be, what people say and what was taken back do not say what holds."""
    assert says_what_holds("How often is the filter changed?", sentence, section) is holds


def test_an_item_is_read_with_its_lead_in() -> None:
    """An item behind "must not:" is a ban: it is read, and quoted, from its lead-in on."""
    text = "Operators must not:\n\n- run pump P-7 dry\n- leave it alone"
    passage = hit(revision("A"), text, kind="table").passage.model_copy(update={"kind": "prose"})
    read = [(passage.quote(span), shown) for span, shown in with_lead_in(passage)]
    assert read[1] == ("Operators must not:\n\n- run pump P-7 dry", "Operators must not: - run pump P-7 dry")


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("10 bar", "145 psi", True),
        ("100 EUR", "100 USD", False),
        ("100 °C", "373.15 K", True),
        ("100 °C", "100 K", False),
        ("60 minutes", "one hour", True),
        ("45 Nm", "46 Nm", False),
    ],
)
def test_amounts_are_compared_in_what_they_are(one: str, other: str, *, same: bool) -> None:
    """Rounded conversions agree; currencies, and a temperature and a difference, do not."""
    contract = asked("What is it?")
    facts = [find(contract.model_copy(update={"form": "number"}), f"It is {amount}.") for amount in (one, other)]
    assert None not in facts
    assert same_value(*facts) is same  # type: ignore[arg-type]
