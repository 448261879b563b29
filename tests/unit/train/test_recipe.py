"""Recipes: what cannot be trained by is refused before anything is paid for."""

import pytest

from remit.errors import InvalidInput, NothingThere
from remit.train import generator_run, lm
from remit.train.dynamic_schedule import DynamicSchedule
from remit.train.recipe import read_recipe
from remit.train.repair_schedule import RepairSchedule

SCHEDULES = {"planner": RepairSchedule, "reranker": DynamicSchedule, "generator": generator_run.GeneratorSchedule}


@pytest.fixture
def read(tmp_path):
    """Return a function that reads the recipe of a kind with this text after its sets."""

    def recipe(kind, text):
        path = tmp_path / "recipe.toml"
        told = (
            f'kind = "{kind}"\ntoday = 2026-11-30\n[[sets]]\nname = "a"\nstore = "a"\nquestions = ["q.jsonl"]\n{text}'
        )
        path.write_text(told, encoding="utf-8")
        return read_recipe(path, kind, SCHEDULES[kind])

    return recipe


@pytest.mark.parametrize(
    ("kind", "section", "key", "value"),
    [
        ("planner", "schedule", "folds", "0"),
        ("planner", "schedule", "folds", "1"),
        ("planner", "schedule", "teacher_plans", "-1"),
        ("planner", "schedule", "samples", "0"),
        ("planner", "schedule", "temperature", "nan"),
        ("planner", "schedule", "temperature", "0"),
        ("planner", "schedule", "seed", "-1"),
        ("planner", "schedule.offline", "batch", "0"),
        ("planner", "schedule.online", "rate", "inf"),
        ("planner", "schedule.offline", "beta", "-0.1"),
        ("planner", "schedule.offline.filters", "margin", "nan"),
        ("reranker", "schedule", "iterations", "0"),
        ("reranker", "schedule.fit", "batch", "0"),
        ("reranker", "schedule.reward", "exact", "-1"),
        ("reranker", "schedule.reward", "judged", "nan"),
    ],
)
def test_a_schedule_that_cannot_work_names_line_and_field(read, kind, section, key, value):
    """No training starts on numbers that would divide by zero, go backwards, or turn every weight into NaN."""
    with pytest.raises(InvalidInput) as wrong:
        read(kind, f"[{section}]\n{key} = {value}\n")
    assert [f"{section}.{key}"] == [fault.field for fault in wrong.value.faults]
    assert [8] == [fault.line for fault in wrong.value.faults]


def test_a_recipe_that_is_no_toml_names_the_line(read):
    """A recipe is read like any other TOML of Remit: with file and line, and whatever it holds."""
    with pytest.raises(InvalidInput) as wrong:
        read("planner", "[schedule\n")
    assert [7] == [fault.line for fault in wrong.value.faults]
    with pytest.raises(InvalidInput):
        read("planner", f"[schedule]\nfolds = 1{'0' * 5000}\n")


@pytest.mark.parametrize(
    "text", ["rate = 2026-01-01", "rate = nan", "batch = 0", "length = -1", "lora = -8", "epochs = 0"]
)
def test_a_language_models_schedule_is_checked_too(tmp_path, text):
    """A wrong schedule of `remit train lm` is told with its line, a date where a number belongs included."""
    path = tmp_path / "lm.toml"
    path.write_text(text + "\n", encoding="utf-8")
    with pytest.raises(InvalidInput) as wrong:
        lm.read_schedule(path)
    assert [(1, text.split()[0])] == [(fault.line, fault.field) for fault in wrong.value.faults]


def test_lines_that_are_not_there_or_no_text_are_told(tmp_path):
    """`remit train lm` names the file that it cannot read, and ends as documented."""
    with pytest.raises(NothingThere, match=r"lines\.jsonl"):
        lm.examples(tmp_path / "lines.jsonl", "sft")
    (tmp_path / "lines.jsonl").write_bytes(b"\xff\xfe")
    with pytest.raises(InvalidInput, match=r"lines\.jsonl"):
        lm.examples(tmp_path / "lines.jsonl", "sft")
