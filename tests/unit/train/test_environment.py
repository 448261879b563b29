import json

import pytest

from remit.errors import ProviderFailed
from remit.llm.scripted import ScriptedChat
from remit.testing.build import contract_of, hits_of
from remit.train.environment import Asked, Kept, Said, ShortAnswers

HITS = hits_of("Lena Moor wrote it.", "Emil Brandt filmed it.", "word " * 3000)
ASKED = [
    Asked(contract_of("Who wrote it?"), HITS[:2]),
    Asked(contract_of("Who wrote it?"), HITS[1::-1]),
    Asked(contract_of("Who filmed it?"), HITS[:2]),
]


def short(*turns, **given):
    """Return an environment over a scripted model, and the model."""
    chat = ScriptedChat(turns)
    return ShortAnswers(chat, **given), chat


def test_an_answer_is_the_replys_first_line():
    """Asked greedily, with question and passages in their order and nothing left to fill in."""
    environment, chat = short("\n Lena Moor \nbecause")
    assert "Lena Moor" == environment.answer(ASKED[0]).answer
    said = chat.asked[0].messages[-1].text
    assert (0.0, True) == (chat.asked[0].temperature, said.index("Lena") < said.index("Emil"))
    assert "{" not in said


def test_no_passages_is_no_call():
    """The environment never answers from what the model knows."""
    environment, chat = short()
    assert (Said(None), []) == (environment.answer(ASKED[0]._replace(hits=())), chat.asked)


def test_passages_that_do_not_fit_are_left_out_from_the_end():
    """The first ones are sent."""
    environment, chat = short("x", room=600)
    environment.answer(Asked(contract_of("Who?"), HITS))
    assert "Emil" in chat.asked[0].messages[-1].text
    assert "word word" not in chat.asked[0].messages[-1].text


def test_what_was_answered_is_not_asked_again(tmp_path):
    """Within a run and after it; order and question tell answers apart."""
    file = tmp_path / "kept" / "answers.jsonl"
    environment, chat = short("one", "two", "three")
    first = Kept(environment, file).answers([*ASKED, *ASKED])
    assert (["one", "two", "three"] * 2, 3) == ([said.answer for said in first], len(chat.asked))
    again, silent = short()
    assert (first[:3], []) == (Kept(again, file).answers(ASKED), silent.asked)


def test_another_generator_has_answers_of_its_own(tmp_path):
    """What one said is never another's."""
    file = tmp_path / "answers.jsonl"
    Kept(short("one")[0], file).answer(ASKED[0])
    other = ShortAnswers(ScriptedChat(["two"], name="other/1"))
    assert "two" == Kept(other, file).answer(ASKED[0]).answer


@pytest.mark.parametrize("cut", [2, 10, 40])
def test_a_run_goes_on_where_it_was_killed(tmp_path, cut):
    """Whole lines are used, the one cut off is asked again, and the file can be read on."""
    file = tmp_path / "answers.jsonl"
    Kept(short("one", "two")[0], file).answers(ASKED[:2])
    file.write_bytes(file.read_bytes()[:-cut])
    environment, chat = short("two", "three")
    kept = Kept(environment, file)
    assert ["one", "two", "three"] == [said.answer for said in kept.answers(ASKED)]
    assert 2 == len(chat.asked)
    assert 3 <= sum(_whole(line) for line in file.read_text("utf-8").splitlines())


def _whole(line):
    try:
        return bool(json.loads(line))
    except ValueError:
        return False


def test_a_failure_is_no_answer_and_is_not_kept(tmp_path):
    """It is told, and asked again the next time."""
    file = tmp_path / "answers.jsonl"
    environment, _ = short(ProviderFailed("down"), "one")
    kept = Kept(environment, file)
    assert (None, "down") == (
        kept.answer(ASKED[0]).answer,
        Kept(short(ProviderFailed("down"))[0], file).answer(ASKED[0]).failed,
    )
    assert "one" == kept.answer(ASKED[0]).answer


def test_several_workers_answer_in_the_order_asked(tmp_path):
    """However many ask at once."""
    chat = ScriptedChat([lambda messages: messages[-1].text.rpartition("Question: ")[2].split("\n")[0]] * 9)
    asked = [Asked(contract_of(f"Who is {number}?"), HITS[:1]) for number in range(9)]
    said = Kept(ShortAnswers(chat), tmp_path / "a.jsonl").answers(asked, workers=4)
    assert [one.contract.claim for one in asked] == [one.answer for one in said]
