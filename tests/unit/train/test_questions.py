import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remit.errors import InvalidInput
from remit.train.questions import held_back, part_of, read_questions

LINE = {
    "id": "q1",
    "question": "Who?",
    "golden_answers": ["Ann"],
    "metadata": {"gold": ["d1"], "title": "Ann", "kind": "x"},
}


def written(tmp_path, *lines):
    """Return a file of lines."""
    file = tmp_path / "q.jsonl"
    file.write_text("\n".join(one if isinstance(one, str) else json.dumps(one) for one in lines), encoding="utf-8")
    return file


def test_a_flashrag_line_is_a_question(tmp_path):
    """With its golden answers, gold documents, group and kind; blank lines are passed over."""
    (read,) = read_questions(written(tmp_path, LINE, "", " "))
    assert ("q1", "Who?", ("Ann",), frozenset({"d1"}), "Ann", "x") == read


def test_without_metadata_a_question_is_a_group_of_its_own(tmp_path):
    """Nothing is known to hang together with it."""
    (read,) = read_questions(written(tmp_path, {"id": 7, "question": "Who?", "golden_answers": []}))
    assert ("7", frozenset(), "7") == (read.id, read.gold, read.group)


@pytest.mark.parametrize(
    ("line", "field"),
    [
        ("{", None),
        ({"id": "q", "golden_answers": []}, "question"),
        ({**LINE, "question": " "}, None),
        ({**LINE, "golden_answers": "Ann"}, None),
        ("[]", None),
    ],
)
def test_a_line_that_is_none_is_named(tmp_path, line, field):
    """File, line and field, for every one of them."""
    with pytest.raises(InvalidInput) as told:
        read_questions(written(tmp_path, LINE, line, line))
    assert [(2, field), (3, field)] == [(fault.line, fault.field) for fault in told.value.faults]


def test_no_file_is_told(tmp_path):
    """It is named."""
    with pytest.raises(InvalidInput, match=r"none\.jsonl"):
        read_questions(tmp_path / "none.jsonl")


@given(st.text(), st.integers(1, 9))
def test_a_group_lies_in_one_part(group, of):
    """Always the same one, whatever the seed of anything."""
    assert part_of(group, of) == part_of(group, of) < of


def test_parts_divide_no_group(tmp_path):
    """Questions of one group stand together, and the parts make up the whole."""
    lines = [{**LINE, "id": f"q{n}", "metadata": {"title": f"t{n % 7}"}} for n in range(30)]
    questions = read_questions(written(tmp_path, *lines))
    parts = [held_back(questions, part=part, of=3) for part in range(3)]
    assert {question.id for question in questions} == frozenset().union(*parts)
    for title in {question.group for question in questions}:
        assert 1 == len({at for at, part in enumerate(parts) for q in questions if q.group == title and q.id in part})
