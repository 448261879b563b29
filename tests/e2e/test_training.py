"""Training as a person would: from a recipe, killed and resumed, the weights then used by the line."""

import json
import os
import signal
import subprocess
import sys
import time

import films
import pytest

from remit.train.rollout_log import read_rollouts

pytestmark = [pytest.mark.e2e, pytest.mark.slow]
REMIT = [sys.executable, "-c", "from remit.serve.cli import main; main()"]
RECIPE = """
kind = "planner"
today = 2026-11-30
workers = 1
[[sets]]
name = "films"
store = "films"
questions = ["questions.jsonl"]
[schedule]
teacher_plans = 8
rounds = 1
samples = 4
folds = 2
[schedule.offline]
epochs = 60
rate = 0.02
[schedule.online]
epochs = 30
rate = 0.02
"""
RERANKER = """
kind = "reranker"
today = 2026-11-30
[[sets]]
name = "films"
store = "films"
questions = ["questions.jsonl"]
held = ["questions.jsonl"]
[schedule]
iterations = 1
samples = 4
fixed = [1, 3]
"""


@pytest.fixture(scope="module")
def material(tmp_path_factory):
    """Return a folder with a store, its questions and a recipe."""
    folder = films.filled(tmp_path_factory.mktemp("films"))
    (folder / "planner.toml").write_text(RECIPE)
    return folder


def training(material, out, recipe="planner.toml", kind="planner"):
    """Return the arguments that train."""
    return ["train", kind, material / recipe, "--data", material, "--stores", material, "--out", out]


def remit(*given):
    """Run the command line and return what it did."""
    return subprocess.run([*REMIT, *map(str, given)], capture_output=True, text=True, check=False)


def test_a_planner_is_trained_killed_resumed_and_used(material, tmp_path):
    """A training killed half-way goes on without paying again, ends as one in one go, gains on held-out films, and serves."""
    once = remit(*training(material, tmp_path / "once"), "--json")
    assert (0, "") == (once.returncode, once.stderr)
    report = json.loads(once.stdout)
    rows = {row["system"]: row["value"][0] for row in report["tables"]["f1"] if row["set"] == "all"}
    assert rows["oracle"] >= rows["both"] > rows["vanilla"] + 0.2
    killed = subprocess.Popen([*REMIT, *map(str, training(material, tmp_path / "parts"))])
    log = tmp_path / "parts" / "rollouts.jsonl"
    until = time.monotonic() + 120
    while time.monotonic() < until and (not log.exists() or len(log.read_bytes().splitlines()) < 40):
        time.sleep(0.05)
    os.kill(killed.pid, signal.SIGKILL)
    killed.wait()
    lines = [json.loads(line) for line in (tmp_path / "once" / "preferences.jsonl").read_text().splitlines()]
    assert lines
    assert all(
        line["chosen_reward"] > line["rejected_reward"] and "leave" not in (line["chosen"], line["rejected"])
        for line in lines
    )
    assert all(["system", "user"] == [turn["role"] for turn in json.loads(line["prompt"])] for line in lines)
    assert "under way" == json.loads(remit("train", "status", tmp_path / "parts", "--json").stdout)["state"]
    again = remit(*training(material, tmp_path / "parts"), "--json")
    assert report["tables"] == json.loads(again.stdout)["tables"]
    assert sorted(row.key for row in read_rollouts(tmp_path / "once" / "rollouts.jsonl")) == sorted(
        row.key for row in read_rollouts(log)
    )
    for name in ("weights.safetensors", "curve.json"):
        assert (tmp_path / "once" / "planner" / name).read_bytes() == (
            tmp_path / "parts" / "planner" / name
        ).read_bytes()
    asked, _ = films.made(16)[1][0]
    done = remit(
        "plan",
        asked,
        "--store",
        material / "films",
        "--as",
        "asha:public",
        "--policy",
        "encoder",
        "--weights",
        tmp_path / "parts" / "planner",
        "--json",
    )
    assert 0 == done.returncode, done.stderr
    trained = json.loads((tmp_path / "parts" / "planner" / "config.json").read_text())["weights"]
    assert trained[:23] in json.loads(done.stdout)["policy"]


def test_a_reranker_is_trained_and_used(material, tmp_path):
    """Rankings are drawn, answered from and preferred; the report holds every system, and the search takes the weights."""
    (material / "reranker.toml").write_text(RERANKER)
    done = remit(*training(material, tmp_path / "once", "reranker.toml", "reranker"), "--json")
    assert (0, "") == (done.returncode, done.stderr)
    report = json.loads(done.stdout)
    systems = {row["system"] for row in report["table"]}
    assert {"clone", "iteration 1", "first 1", "first 3"} == systems
    assert all(0.0 <= row["reward"][0] <= 1.0 and row["n"] == 16 for row in report["table"])
    assert 16 == sum(report["k"]["iteration 1"].values())
    for line in map(json.loads, (tmp_path / "once" / "preferences.jsonl").read_text().splitlines()):
        assert line["margin"] > 0
        assert "1. Topic: " in json.loads(line["prompt"])[-1]["content"]
    again = remit(*training(material, tmp_path / "once", "reranker.toml", "reranker"), "--json")
    assert report["table"] == json.loads(again.stdout)["table"]
    asked, _ = films.made(16)[1][0]
    weights = tmp_path / "once" / "reranker" / "weights.safetensors"
    (material / "with.toml").write_text(f'[rerank]\npolicy = "encoder"\nweights = "{weights}"\n')
    used = remit(
        "search",
        asked,
        "--store",
        material / "films",
        "--as",
        "asha:public",
        "--config",
        material / "with.toml",
        "--rerank",
        "encoder",
        "--json",
    )
    assert 0 == used.returncode, used.stderr
    digest = json.loads((tmp_path / "once" / "reranker" / "config.json").read_text())["weights"]
    assert digest.startswith("sha256:")


def test_a_dry_run_prints_sizes_and_trains_nothing(material, tmp_path):
    """Questions, plans, minutes and cost are printed; no folder is made."""
    done = remit(*training(material, tmp_path / "dry"), "--dry-run", "--json")
    assert 16 == json.loads(done.stdout)["questions"]
    assert not (tmp_path / "dry").exists()


@pytest.mark.parametrize(
    ("old", "new", "code", "told"),
    [
        ("folds = 2", 'folds = "two"', 5, "schedule.folds"),
        ("rounds = 1", "runds = 1", 5, "schedule.runds"),
        ('kind = "planner"', 'kind = "reranker"', 5, "kind"),
        ('store = "films"', 'store = "nowhere"', 4, "remit ingest"),
        ('["questions.jsonl"]', "[]", 5, "sets.0.questions"),
    ],
)
def test_a_wrong_recipe_names_line_and_field(material, tmp_path, old, new, code, told):
    """What is wrong with a recipe is told by file, line and field, and nothing is made."""
    (material / "wrong.toml").write_text(RECIPE.replace(old, new))
    done = remit(*training(material, tmp_path / "out", "wrong.toml"), "--json")
    assert code == done.returncode
    assert told in done.stderr
    assert not (tmp_path / "out").exists()
