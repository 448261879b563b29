import json

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from remit.rerank.choice_reply import LONGEST_LIST, MOST, SCHEMA, Choice, NoChoice, read_choice, written

PIECES = st.sampled_from(
    [
        "[1]",
        "[3], [1]",
        "[11]",
        "[0]",
        "[-1]",
        "[99]",
        "None",
        "none.",
        "[",
        "]",
        "1",
        ",",
        " ",
        "\n",
        "<think>",
        "</think>",
        "[2,4]",
        "é",
        "[٣]",
    ]
)


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("[3], [1]", (2, 0)),
        ("None", ()),
        ("none.", ()),
        ("None of the passages helps.", ()),
        ("The best are [4] and then [2], because they say so.", (3, 1)),
        ("[2], [2], [1], [2]", (1, 0)),
        ("[11]", (10,)),
        ("[1], [99]", (0,)),
        ("[3,1]", (2, 0)),
        ("3, 1", (2, 0)),
        ("7", (6,)),
        ("[ 05 ]", (4,)),
        ("[3] > [1] > [2]", (2, 0, 1)),
        ("<think>[9] looks good, or None</think>[2]", (1,)),
        ("[2]. None of the others.", (1,)),
        ("[٣], [1]", (0,)),
        ('{"passages": [3, 1]}', (2, 0)),
        ('{ "passages": [] }', ()),
        ("[]", ()),
    ],
)
def test_replies_that_are_a_choice(text, places):
    """Numbers in brackets in any prose, numbers alone, None; doubles once, unknown ones left out."""
    assert places == read_choice(text, 12).places


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "[99]",
        "[0]",
        "[-1]",
        "The third one.",
        "There are 3 good ones",
        "[",
        "<think>[1], [2]",
        "[" + "9" * 9999 + "]",
        "I have none to offer but [x]",
        "The best is []",
        '{"passages": [99]}',
    ],
)
def test_replies_that_are_none(text):
    """Nothing, prose, unknown numbers only, a thought without an end: no choice, with a reason."""
    read = read_choice(text, 12)
    assert isinstance(read, NoChoice)
    assert read.reason.strip()


def test_eleven_is_not_one():
    """A number is read whole: of five passages, the eleventh is none."""
    assert isinstance(read_choice("[11]", 5), NoChoice)


def test_what_is_left_out_is_said():
    """Numbers that no passage has, doubles, and more than fifteen are remarked upon."""
    assert ("[99]" in read_choice("[1], [99]", 5).remarks[0], 1) == (True, len(read_choice("[1], [99]", 5).remarks))
    assert "twice" in read_choice("[1], [1]", 5).remarks[0]
    many = read_choice(written(tuple(range(20))), 45)
    assert (15, True) == (len(many.places), "20" in many.remarks[0])
    assert () == read_choice("[2], [1]", 5).remarks


@given(st.one_of(st.text(), st.lists(PIECES, max_size=12).map("".join)), st.integers(0, 45))
@settings(max_examples=400, deadline=None)
@example("[1" * 5000, 3)
@example("[" * 20000, 3)
@example("1," * 20000, 3)
def test_any_text_is_a_choice_or_none(text, passages):
    """A subset of the places without doubles, at most fifteen; or a reason. Never an error."""
    read = read_choice(text, passages)
    if isinstance(read, Choice):
        assert len(set(read.places)) == len(read.places) <= 15
        assert all(0 <= place < passages for place in read.places)
    else:
        assert read.reason


@given(st.lists(st.integers(1, LONGEST_LIST), max_size=MOST))
def test_a_reply_held_to_the_schema_is_a_choice(numbers):
    """Whatever the schema lets through is read: each number once, in order; an empty list is the choice of none."""
    held = json.dumps({"passages": numbers})
    assert {"passages"} == {*SCHEMA["required"]} == {*SCHEMA["properties"]}
    assert tuple(dict.fromkeys(number - 1 for number in numbers)) == read_choice(held, LONGEST_LIST).places


@given(st.lists(st.integers(0, 44), max_size=15, unique=True).map(tuple))
def test_what_is_written_is_read_back(places):
    """The form that models are trained to write is the form that is read."""
    assert Choice(places) == read_choice(written(places), 45)
