"""What a quotation must hold of a statement besides its words: names, and numbers as people write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from written import asked

from remit.answer.carry import Statement, carried
from remit.answer.support import names_stand, supports


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("The seal comes from Brankamp", "The seal of the pump is from Brankamp."),
        ("It was American", "It was built in America."),
        ("Replace it. Then test it", "replace it, then test it"),
        ("It takes Vitocal grease", "VITOCAL grease is taken."),
    ],
)
def test_names_stand_where_the_quotation_has_them(claim, quote):
    """A name counts in any case and as a word of its family; the first word of a sentence is none."""
    assert names_stand(claim, quote)


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("The seal comes from Brankamp", "The seal of the pump is from Rehwald."),
        ("Max Weber wrote it", "Max Planck wrote it."),
        ("It is kept in Johnstown", "It is kept in John."),
    ],
)
def test_another_name_does_not_stand(claim, quote):
    """A statement with a name that its quotation lacks is not carried, however alike the rest is."""
    assert not names_stand(claim, quote)


def test_headings_and_the_question_lend_names_only():
    """A name may stand in the heading above a quotation; in German every noun has a capital and none is compared."""
    assert names_stand("The P Pump needs Brankamp", "It needs Brankamp.", given="The P Pump")
    assert names_stand("Die Dichtung ist gut", "Sie ist gut.", language="de")


def test_a_claim_with_a_swapped_name_is_dropped():
    """A sentence of the answer that names somebody whom its quotation does not name is left out."""
    quote = "The permit is signed by Anna Meier before the work begins."
    claims = [
        carried(Statement(f"The permit is signed by {name} before work", "text"), asked("Who signs?"), [quote])
        for name in ("Anna Meier", "Paul Kraus")
    ]
    assert [1.0, None] == claims


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("sold 528,000 copies", "It sold 528,000 copies in its first week."),
        ("on Paramount Records No. 12116", "It was released on Paramount Records No. 12116 in 1922."),
    ],
)
def test_grouped_digits_and_number_signs_are_read(claim, quote):
    """A count with a thousands separator keeps its noun, and "No. 12116" denies nothing."""
    assert supports(claim, quote)


@given(st.text(max_size=60), st.text(max_size=60))
def test_names_are_compared_whatever_the_text(claim, quote):
    """Any two texts are compared without an error, and a text names nothing that it lacks."""
    assert names_stand(claim, quote) in {True, False}
    assert names_stand(claim, claim)


@pytest.mark.parametrize(
    ("statement", "quote", "carried"),
    [
        ("The rate is 40 ml/h.", "The rate is 40 ml per hour.", True),
        ("The rate is 40 ml.", "The rate is 40 ml/h.", False),
        ("The dose is 5 mg.", "The dose is 5 mg/kg.", False),
        ("It uses 14 kW.", "It uses 14 kWh.", False),
        ("It costs 45 USD.", "It costs 45 EUR.", False),
        ("It costs 42 EUR.", "It costs 42 million EUR.", False),
        ("It costs 42,000,000 EUR.", "It costs 42 million EUR.", True),
        ("It costs 42 million EUR.", "It costs EUR 42m.", True),
        ("It costs 42 billion EUR.", "It costs 42 million EUR.", False),
        ("It costs 42 thousand.", "It costs 42 million.", False),
        # not looked at while the rules were written
        ("The lamp gives 500 lux.", "The lamp gives 500 lumen.", False),
        ("It warms by 20 °C.", "It warms by 20 °F.", False),
        ("It holds 20 m².", "It holds 20 m.", False),
        ("It is worth $2bn.", "It is worth 2 billion dollars.", True),
    ],
)
def test_units_and_large_numbers_are_compared_exactly(statement: str, quote: str, carried: bool) -> None:
    """Numbers with different units, currencies or orders of size never verify as equal; other spellings of one do."""
    assert supports(statement, quote) is carried


def test_what_an_amount_is_per_may_stand_in_the_question() -> None:
    """Asked per night, 45 EUR say it all; asked without, they do not."""
    quote = "The limit is 45 EUR per night."
    asked_for = [supports("45 EUR", quote, given=q) for q in ("What is the limit per night?", "What is the limit?")]
    assert asked_for == [True, False]


@pytest.mark.parametrize(
    ("statement", "quote", "carried"),
    [
        ("Filters last at most 3 months.", "Filters last at least 3 months.", False),
        ("The load is more than 5 t.", "The load is up to 5 t.", False),
        ("The alarm sounds below 80 °C.", "The alarm sounds above 80 °C.", False),
        ("The pressure is at least 6 bar.", "The pressure must not exceed 6 bar.", False),
        ("The pressure is at most 6 bar.", "The pressure must not exceed 6 bar.", True),
        ("The load is at most 5 t.", "The load is up to 5 t.", True),
        ("It holds 9 litres of oil.", "It holds 5 litres of oil and 9 litres of water.", False),
        ("It holds 9 litres of water.", "It holds 5 litres of oil and 9 litres of water.", True),
        ("It holds 9 litres of oil.", "Oil: it holds 9 litres.", True),
        ("Three men work there.", "Two men and three women work there.", False),
        # not looked at while the rules were written
        ("Guests stay no longer than 2 nights.", "Guests stay at least 2 nights.", False),
        ("Cars over 3 t pay.", "Cars under 3 t pay.", False),
        ("It takes 4 cans of paint.", "It takes 4 cans of glue and 2 cans of paint.", False),
        ("Nine hens laid.", "Nine ducks and six hens laid.", False),
    ],
)
def test_which_way_an_amount_bounds_and_what_it_is_of(statement: str, quote: str, carried: bool) -> None:
    """A least is no most, and an amount of one thing is none of another that stands beside it."""
    assert supports(statement, quote) is carried
