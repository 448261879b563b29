import json
from pathlib import Path

import pytest

from remit.errors import InvalidInput
from remit.train.lm import read_schedule
from remit.train.preflight import cut_off, messages_of, read_prompt, refuse_cut


class Words:
    """A tokenizer of words, with a chat template where it is told one."""

    eos_token = " end"

    def __init__(self, template=None):
        self.chat_template = template

    def __call__(self, text, *, add_special_tokens):
        return {"input_ids": list(range(len(text.split())))}

    def apply_chat_template(self, messages, *, tokenize, add_generation_prompt):
        return " ".join(f"{one['role']}: {one['content']}" for one in messages) + " assistant:"


def rows(*lengths):
    """Return preference pairs whose longer completion has so many words."""
    return [{"prompt": "a b c", "chosen": "x " * length, "rejected": "y"} for length in lengths]


def test_examples_that_lose_their_end_are_counted_by_line():
    """Prompt, completion and end count together; the longer completion decides."""
    found = cut_off(rows(1, 7, 8), Words(), length=10)
    assert (3, (3,), 11) == (found.examples, found.cut, found.longest)


def test_a_prompt_has_a_limit_of_its_own():
    """A prompt beyond its limit counts too, through the chat template as the model reads it."""
    assert () == cut_off(rows(1), Words("{}"), length=20, prompt_length=5).cut
    assert (1,) == cut_off(rows(1), Words("{}"), length=20, prompt_length=4).cut


@pytest.mark.parametrize(("many", "refused"), [(100, False), (99, True)])
def test_above_one_per_cent_a_training_is_refused(many, refused):
    """One cut example of a hundred passes, one of ninety-nine does not; the message names lines and the way out."""
    found = cut_off(rows(50, *[1] * (many - 1)), Words(), length=20)
    if refused:
        with pytest.raises(InvalidInput, match=r"1 of 99 .*lines 1.*Raise length"):
            refuse_cut(found, length=20)
    else:
        refuse_cut(found, length=20)


def test_nothing_to_train_on_is_told():
    """No examples are no training, and no share of them is divided by 0."""
    with pytest.raises(InvalidInput, match="no examples"):
        refuse_cut(cut_off([], Words(), length=20), length=20)


@pytest.mark.parametrize("text", ["plain", "[{broken", '[{"a": 1}]', "[1] is cited"])
def test_text_that_is_no_list_of_messages_is_one_message(text):
    """Only a list of role and content is read as messages: a question that looks like one is the user's text."""
    assert [{"role": "user", "content": text}] == messages_of(text)
    assert text == read_prompt(text, Words())


def test_messages_go_through_the_template():
    """A prompt is read in training as it is at inference."""
    asked = '[{"role": "system", "content": "short"}, {"role": "user", "content": "why?"}]'
    assert "system: short user: why? assistant:" == read_prompt(asked, Words("{}"))


@pytest.mark.parametrize(
    "file", sorted((Path(__file__).parents[3] / "experiments" / "lm").glob("*.toml")), ids=lambda file: file.name
)
def test_the_recipes_that_ship_can_be_read(file):
    """Every schedule of experiments/lm is one, and the DeepSpeed file it names is JSON."""
    how = read_schedule(file)
    if how.deepspeed is not None:
        assert 3 == json.loads((file.parents[2] / how.deepspeed).read_text())["zero_optimization"]["stage"]
