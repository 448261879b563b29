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
