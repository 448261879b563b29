"""The file of a comparison: read with care, each fault with its line."""

import pytest

from remit.errors import InvalidInput
from remit.evaluate.comparison import is_comparison, read_comparison

GOOD = """name = "t"
today = 2026-11-30
[limits]
model_calls = 3
[[sets]]
name = "a"
questions = "a.jsonl"
[[systems]]
system = "vanilla"
k = 3
[[systems]]
system = "crag"
label = "CRAG, as published"
"""


def written(tmp_path, text):
    """Write an experiment."""
    path = tmp_path / "t.toml"
    path.write_text(text)
    return path


def test_options_stand_beside_the_system(tmp_path):
    """A system's options are its own keys; limits are the questions'."""
    found = read_comparison(written(tmp_path, GOOD))
    assert ({"k": 3}, "CRAG, as published", 3) == (
        found.systems[0].options,
        found.systems[1].label,
        found.limits.model_calls,
    )


@pytest.mark.parametrize(
    ("old", "new", "line", "field"),
    [
        ('system = "crag"', 'system = "grag"', 12, "systems.1"),
        ("k = 3", "kk = 3", 9, "systems.0"),
        ('questions = "a.jsonl"', 'format = "beir"', 5, "sets.0.questions"),
        ("model_calls = 3", "model_call = 3", 4, "limits.model_call"),
        ('questions = "a.jsonl"', 'questions = "a"\nformat = "cases"', 5, "sets.0"),
        ("today = 2026-11-30", 'today = "soon"', 2, "today"),
        ("[limits]", '[likeness]\nkind = "bertscore"\n[limits]', 3, "likeness"),
    ],
)
def test_a_fault_names_line_and_field(tmp_path, old, new, line, field):
    """What is wrong is told with the place where it stands."""
    with pytest.raises(InvalidInput) as caught:
        read_comparison(written(tmp_path, GOOD.replace(old, new)))
    fault = caught.value.faults[0]
    assert field == fault.field
    assert abs(line - (fault.line or 0)) <= 2


def test_workers_do_not_change_the_card(tmp_path):
    """How many processes did the work is no part of what decides on results; a limit of a question is."""
    plain = read_comparison(written(tmp_path, GOOD)).digest
    assert plain == read_comparison(written(tmp_path, "[run]\nworkers = 7\n" and GOOD + "[run]\nworkers = 7\n")).digest
    assert plain != read_comparison(written(tmp_path, GOOD.replace("model_calls = 3", "model_calls = 4"))).digest


def test_experiments_of_operating_points_are_told_apart(tmp_path):
    """The same command runs both kinds of experiments."""
    assert is_comparison(written(tmp_path, GOOD))
    assert not is_comparison(written(tmp_path, 'name = "x"\n[[systems]]\nname = "a"\npoint = "fixed-rules"\n'))
