import pytest

from remit.rerank.company import MOST, in_company, twins
from remit.testing.build import hits_of

UNIT = "The landlord of Unit {} repairs the roof, the outer walls and the drains of the building."


def hit(text, document, *, section=(), authority="authoritative"):
    """Return a hit of a document of its own."""
    one = hits_of(text)[0]
    passage = one.passage.model_copy(update={"id": f"{document}@1#0", "document": document, "section": section})
    return one.model_copy(
        update={
            "passage": passage,
            "source": one.source.model_copy(update={"document": document, "authority": authority}),
        }
    )


FOUR, SEVEN = hit(UNIT.format(4), "L-4"), hit(UNIT.format(7), "L-7")
RENT = hit("The rent is paid quarterly in advance, on the first working day.", "L-4r")


def ids(hits):
    """Return the documents of hits."""
    return [one.passage.document for one in hits]


def test_a_twin_follows_the_passage_that_was_chosen():
    """Two leases in the same words: which unit holds is not for the reranker to say."""
    assert ["L-7", "L-4", "L-4r"] == ids(in_company([SEVEN, RENT], [RENT, FOUR, SEVEN], most=15))


def test_what_was_chosen_is_never_pushed_out():
    """No room, no company; nothing chosen, nothing sent."""
    assert ["L-7", "L-4r"] == ids(in_company([SEVEN, RENT], [RENT, FOUR, SEVEN], most=2))
    assert ["L-7", "L-4", "L-4r"] == ids(in_company([SEVEN, RENT], [FOUR, hit(UNIT.format(9), "L-9")], most=3))
    assert () == in_company([], [FOUR], most=15)


def test_a_passage_is_sent_once_with_no_more_than_so_many_twins():
    """A twin that was chosen itself stays where it was chosen."""
    others = [hit(UNIT.format(number), f"L-{number}") for number in range(10, 15)]
    found = in_company([SEVEN, FOUR], [*others, FOUR, SEVEN], most=15)
    assert 2 + 2 * MOST == len(found) == len(set(ids(found)))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (FOUR, RENT),
        (FOUR, FOUR),
        (hit("Renew it.", "A"), hit("Renew it.", "B")),
        (hit("", "A"), hit("", "B")),
    ],
)
def test_what_is_no_twin(one, other):
    """Another matter, the same revision, and texts too short to tell are none."""
    assert not twins(one, other)


def test_headings_of_the_same_words_need_fewer_of_them():
    """Numbers before a heading say nothing: "4. Repairs" and "5. Repairs" are one heading."""
    one, other = (
        "The landlord repairs roof and walls of the hall.",
        "The tenant repairs the roof, doors and gutters alone.",
    )
    assert not twins(hit(one, "A"), hit(other, "B"))
    assert twins(hit(one, "A", section=("Lease", "4. Repairs")), hit(other, "B", section=("Contract", "5. Repairs")))


def test_what_is_only_informative_does_not_stand_alone():
    """The first authoritative passages go with it; where one was chosen, or there is none, nothing is added."""
    note = hit("A note on a call about the rent of the unit.", "N", authority="informative")
    other = hit("Another note about something else entirely here.", "M", authority="informative")
    assert ["N", "L-4r", "L-4"] == ids(in_company([note], [note, other, RENT, FOUR, SEVEN], most=15))
    assert ["N", "L-4r"] == ids(in_company([note, RENT], [note, other, RENT], most=15))
    assert ["N"] == ids(in_company([note], [note, other], most=15))
