import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remit.answer.reply import LONGEST, Parsed, Quoted, Unreadable, parse, parse_json

GOOD = "QUOTE [2]: Tighten to 35 Nm.\nANSWER: 35 Nm"
SAID = Parsed("35 Nm", (Quoted(2, "Tighten to 35 Nm."),))


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        f"```\n{GOOD}\n```",
        f"<think>QUOTE [1]: x\nANSWER: 99</think>\n{GOOD}",
        f"I look at the passages.</think>{GOOD}",
        '**QUOTE [2]:** "Tighten to 35 Nm."\n**ANSWER:** 35 Nm [2]',
        "quote 2: Tighten to 35 Nm.\nanswer: “35 Nm”",
        "QUOTE [2]:\nTighten to 35 Nm.\n\nANSWER:\n35 Nm",
        f"{GOOD}\nANSWER: 35 Nm",
        f"{GOOD}\n\nQUESTION: And the oil?\nANSWER: ISO VG 220",
        f"Here is the reply:\n{GOOD}\n\nI hope this helps.",
    ],
)
def test_the_form_is_read_whatever_surrounds_it(text):
    """Thoughts, fences, emphasis, quotation marks, chatter and turns played by the model change nothing."""
    assert SAID == parse(text, 4)


@pytest.mark.parametrize("number", ["9", "11", "0", "", "1, 2", "-1", "²", "1.0", "x", "999999"])
def test_a_passage_that_was_not_given_is_rejected(number):
    """[9] where four passages exist is no quotation, and [11] is never read as 1."""
    parsed = parse(f"QUOTE [{number}]: Tighten.\nANSWER: 35 Nm", 4)
    assert isinstance(parsed, Parsed)
    assert () == parsed.quotes
    assert 1 == len(parsed.rejected)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no ANSWER line"),
        ("The torque is 35 Nm.", "no ANSWER line"),
        ("QUOTE [1]: Tighten.", "no ANSWER line"),
        ("QUOTE [1]: a\nANSWER:", "empty"),
        ("QUOTE [1]: a\nANSWER: yes\nANSWER: no", "two different answers"),
        (f"<think>hm\n{GOOD}", "thinking"),
        ("x" * (LONGEST + 1), "longer"),
    ],
)
def test_what_is_not_in_the_form_says_why(text, reason):
    """A reply without the form is a typed failure with its reason."""
    parsed = parse(text, 4)
    assert isinstance(parsed, Unreadable)
    assert reason in parsed.reason


def test_an_answer_without_a_quotation_is_read_and_says_so():
    """A small model often leaves the QUOTE line out: what it answers is kept apart from what quotes falsely."""
    assert parse("ANSWER: 35 Nm", 4).unquoted
    assert not parse("QUOTE [9]: a\nANSWER: 35 Nm", 4).unquoted
    assert not parse("ANSWER: NONE", 4).unquoted


@pytest.mark.parametrize("text", ["ANSWER: NONE", "answer: none.", "QUOTE [1]: a\nANSWER: NONE"])
def test_no_answer_in_the_passages_is_no_failure(text):
    """The model may say that the passages hold no answer."""
    assert Parsed(None) == parse(text, 4)


@given(
    st.text(alphabet=st.sampled_from('QUOTEANSWER[]:0123456789 \n"<>/think`*NONEa'), max_size=120) | st.text(),
    st.integers(0, 20),
)
def test_any_text_is_parsed_or_refused(text, passages):
    """Whatever a model says gives quotations of given passages only, or a reason."""
    parsed = parse(text, passages)
    assert isinstance(parsed, Parsed | Unreadable)
    if isinstance(parsed, Parsed):
        assert all(1 <= quote.passage <= passages and quote.text for quote in parsed.quotes)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"quotes": [{"passage": 2, "text": "Tighten to 35 Nm."}], "answer": "35 Nm"}', SAID),
        (' {"answer": "35 Nm [2]", "quotes": [{"text": "Tighten to 35 Nm.", "passage": 2}]}\n', SAID),
        ('{"quotes": [], "answer": null}', Parsed(None)),
        ('{"quotes": [{"passage": 2, "text": "x"}], "answer": "NONE"}', Parsed(None)),
    ],
)
def test_a_reply_by_the_schema_is_read(text, expected):
    """Exactly the shape that was asked for is read, in whatever order its names come."""
    assert expected == parse_json(text, 2)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "[]",
        GOOD,
        "```json\n{}\n```",
        '{"quotes": [], "answer": ""}',
        '{"quotes": [], "answer": 35}',
        '{"quotes": {}, "answer": null}',
        '{"quotes": [], "answer": null, "tool": "Retrieval"}',
        '{"quotes": [], "answer": null, "answer": "35 Nm"}',
        '{"quotes": [{"passage": true, "text": "x"}], "answer": "35 Nm"}',
        '{"quotes": [{"passage": "2", "text": "x"}], "answer": "35 Nm"}',
        '{"quotes": [{"passage": 2, "text": "x", "more": 1}], "answer": "35 Nm"}',
        '{"quotes": [{"passage": 2}], "answer": "35 Nm"}',
        '{"quotes": [], "answer": null} and more',
        "[" * 20_000,
        " " * (LONGEST + 1),
    ],
)
def test_what_is_not_of_the_schema_is_unreadable(text):
    """Nothing is mended or guessed: another shape, a name twice, or words round it are unreadable."""
    assert isinstance(parse_json(text, 2), Unreadable)


@pytest.mark.parametrize("passage", [0, -1, 3, 10**30])
def test_a_schema_quotation_of_no_passage_is_rejected(passage):
    """A number that no passage has is rejected, as in the line form."""
    found = parse_json(f'{{"quotes": [{{"passage": {passage}, "text": "x"}}], "answer": "35 Nm"}}', 2)
    assert () == found.quotes
    assert 1 == len(found.rejected)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: (
            st.lists(inner) | st.dictionaries(st.sampled_from(["quotes", "answer", "passage", "text", "x"]), inner)
        ),
    )
)
def test_any_json_is_read_or_unreadable(held):
    """Any JSON becomes a parsed reply or a reason, and every quotation names a passage that was given."""
    found = parse_json(json.dumps(held), 2)
    assert isinstance(found, Unreadable) or all(quote.passage in {1, 2} for quote in found.quotes)
