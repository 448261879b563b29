"""What is read off a model's free text, and what is not taken for an answer."""

import math

import pytest

from remit.baselines.prompts import load, read
from remit.baselines.reading import chance_of_yes, first_sentence, labelled, verdict
from remit.errors import InvalidInput
from remit.llm.chat import Reply, Token, Usage

FILES = [
    "closed_book.txt",
    "crag.txt",
    "flare.txt",
    "ircot.txt",
    "meta_rag.txt",
    "rag_critic.txt",
    "react.txt",
    "self_rag.txt",
    "self_refine.txt",
]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Yes.", True),
        ("no", False),
        ("VERDICT: incorrect", False),
        ("It is not correct.", False),
        ("This is not entirely correct", False),
        ("Correct, not a doubt.", True),
        ("I cannot say", None),
        ("", None),
        ("nowhere to be found", None),
    ],
)
def test_a_verdict_is_a_word_and_not_part_of_one(text, expected):
    """Yes and no by the first word of judgement; what holds none is no verdict, and no is never read into it."""
    assert expected is verdict(text)


@pytest.mark.parametrize(
    ("tokens", "expected"),
    [
        ([("Yes", 0.7)], 0.7),
        ([("No", 0.7)], 0.3),
        ([(" ", 0.9), ("no", 0.6), (".", 0.9)], 0.4),
        ([("in", 0.5), ("correct", 0.9)], 0.0),
        ([("maybe", 0.9)], None),
    ],
)
def test_the_chance_of_yes(tokens, expected):
    """The probability of what was said; a word spelled in pieces is read as said, not by a piece that says the opposite."""
    spelled = tuple(Token(text, math.log(chance)) for text, chance in tokens)
    found = chance_of_yes(Reply("".join(text for text, _ in tokens), Usage(1, 1), tokens=spelled))
    assert (None if expected is None else pytest.approx(expected)) == found


def test_the_first_sentence_is_not_ended_by_initials():
    """Initials and abbreviations end no sentence; a line end does."""
    assert "Dr. J. Holm sailed." == first_sentence(" Dr. J. Holm sailed. He left.")
    assert "First line" == first_sentence("First line\nSecond line.")
    assert "" == first_sentence("   ")


def test_a_label_is_found_on_its_own_line():
    """Other words before a label, or nothing behind it, are no such line."""
    assert "boats" == labelled("Thought: x\n**QUERY**: boats", "QUERY")
    assert None is labelled("my query: is", "THE QUERY")
    assert None is labelled("QUERY:\nother", "QUERY")


@pytest.mark.parametrize("name", FILES)
def test_no_prompt_shows_a_placeholder(name):
    """Every blank of every section is filled or refused: the model never sees a template's braces."""
    prompt = load(name)
    for section in prompt.sections:
        with pytest.raises(ValueError, match="nothing was given"):
            prompt.filled(section)
        names = {"question", "answer", "form", "written", "thoughts", "history", "taxonomy", "errors", "keywords"}
        for message in prompt.filled(section, **dict.fromkeys(names, "{question} filled")):
            assert "{question} filled" in message.text or "{" not in message.text


def test_a_prompt_without_a_turn_of_the_user_is_refused():
    """A file that asks nothing is a mistake."""
    with pytest.raises(InvalidInput):
        read("[system]\nBe brief.\n")
