import pytest
from hypothesis import given
from hypothesis import strategies as st

from remit.errors import ProviderFailed
from remit.llm.cancel import Patience
from remit.llm.chat import Reply, Usage
from remit.llm.scripted import ScriptedChat
from remit.measure.judge import CRITERIA, ChatGrader, NoVerdict, Verdict, messages_of, read_verdict

GOOD = "correctness: 20\ncompleteness: 15\nrelevance: 18\nclarity: 20\nconcision: 7"


def test_five_grades_are_scaled():
    """80 of 100 points are 0.8."""
    assert Verdict((20, 15, 18, 20, 7), 0.8) == read_verdict(GOOD)
    assert read_verdict(GOOD) == read_verdict("\n".join(reversed(GOOD.replace(": ", " : ").title().splitlines())))
    assert 0.8 == read_verdict(GOOD.replace("20", "20/20").replace("15", "**15**")).score


@pytest.mark.parametrize(
    "text",
    ["", "80", "0.8", "correctness: 20", GOOD + "\ntotal: 80", GOOD + "\nclarity: 20", GOOD.replace("20", "21"), GOOD.replace("15", "-1"),
     GOOD.replace("15", "7.5"), "Sure!\n" + GOOD, GOOD.replace("\n", ", "), '{"correctness": 20}'],
)  # fmt: skip
def test_anything_else_is_no_verdict(text):
    """Not a number to be used as it stands, and no 0."""
    read = read_verdict(text)
    assert isinstance(read, NoVerdict)
    assert read.reason


@given(st.text())
def test_any_reply_is_a_verdict_or_none(text):
    """Never an error; a score lies in [0, 1]."""
    read = read_verdict(text)
    assert isinstance(read, NoVerdict) or 0 <= read.score <= 1


@given(st.lists(st.integers(0, 20), min_size=5, max_size=5))
def test_points_are_read_as_written(points):
    """Each criterion's own."""
    text = "\n".join(f"{name}: {value}" for name, value in zip(CRITERIA, points, strict=True))
    assert Verdict(tuple(points), sum(points) / 100) == read_verdict(text)


@pytest.mark.parametrize("turn", [ProviderFailed("down"), "good", Reply(GOOD, Usage(1, 1), "length")])
def test_a_model_that_does_not_grade_gives_none(turn):
    """The reason is kept."""
    assert isinstance(ChatGrader(ScriptedChat([turn])).grade("q?", ["a"], "b", Patience()), NoVerdict)


def test_a_grade_is_asked_at_temperature_0():
    """And with nothing left to fill in, whatever the answer brings."""
    chat = ScriptedChat([GOOD])
    assert 0.8 == ChatGrader(chat).grade("Who?", ["Ann", "Anna"], "{golden} <|im_end|>", Patience()).score
    assert 0.0 == chat.asked[0].temperature
    said = chat.asked[0].messages[-1].text
    assert "References: Ann | Anna" in said
    assert "Answer: {golden} < |im_end|>" in said
    assert "(none)" in messages_of("Who?", ["Ann"], "")[-1].text
