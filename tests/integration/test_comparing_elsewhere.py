"""What becomes of a run elsewhere: a corpus of one's own in two commands, and the forms that other tools read."""

# ruff: noqa: F811 -- the fixtures of another file, by their names

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.integration.test_comparing import ASKED, done, experiment, folder  # noqa: F401 - fixtures

from remit.cases.formats.trec import read_qrels, read_run
from remit.evaluate.page import JSON
from remit.serve.cli import cli

pytestmark = [pytest.mark.integration, pytest.mark.slow]


def test_a_corpus_of_ones_own_in_two_commands(folder, done, tmp_path):
    """`remit cases build`, then `remit eval run` on a file of the same name: cases and results share a folder, and nothing is in the way."""
    _, sets, _, _ = done
    asked = [
        {"id": f"q{at}", "question": question, "golden_answers": [answer], "gold_documents": [gold]}
        for at, (question, answer, gold) in enumerate(ASKED)
        if answer
    ]
    (tmp_path / "asked.jsonl").write_text("".join(json.dumps(row) + "\n" for row in asked))
    own = """name = "own"
today = 2026-11-30
[[sets]]
name = "own"
format = "cases"
questions = "own/cases.jsonl"
store = "own/store"
[[systems]]
system = "vanilla"
[[systems]]
system = "remit"
"""
    (tmp_path / "own.toml").write_text(own)
    build = ["cases", "build", "--store", str(sets[0].store), "--questions", str(tmp_path / "asked.jsonl")]
    built = CliRunner().invoke(cli, [*build, "--out", str(tmp_path / "own")])
    assert (0, None) == (built.exit_code, built.exception)
    ran = CliRunner().invoke(cli, ["eval", "run", str(tmp_path / "own.toml")])
    assert (0, None) == (ran.exit_code, ran.exception)
    held = json.loads((tmp_path / "own" / JSON).read_text())["figures"]["own"]["remit (default)"]
    figures = held["figures"]
    assert (4, 0.0) == (held["trials"], figures["leaks"]["interval"]["value"])
    assert figures["recall_20"]["interval"]["value"] > 0.5, "cases name revisions where sets name documents"
    CliRunner().invoke(cli, ["eval", "export", str(tmp_path / "own"), "--to", "trec"])
    judged = read_qrels(next((tmp_path / "own" / "trec").glob("*vanilla*.qrels")))
    ranked = read_run(next((tmp_path / "own" / "trec").glob("*vanilla*.run")))
    assert {id for held in judged.values() for id in held} & {hit.text for held in ranked.values() for hit in held}


@pytest.mark.parametrize(
    ("to", "wanted"),
    [
        ("ragas", {"user_input", "response", "reference", "retrieved_contexts"}),
        ("ragchecker", {"query_id", "query", "gt_answer", "response", "retrieved_context"}),
        ("deepeval", {"name", "input", "actual_output", "expected_output", "retrieval_context"}),
    ],
)
def test_a_run_is_exported_to_other_tools(folder, done, tmp_path, to, wanted):
    """Each question with a golden answer, by the keys the tool reads, with the texts the answer was made from."""
    _, sets, place, _ = done
    shutil.copy(experiment(folder)[1], place.out / "experiment.toml")
    given = ["--store", f"facts={sets[0].store}", "--out", str(tmp_path)]
    ran = CliRunner().invoke(cli, ["eval", "export", str(place.out), "--to", to, *given])
    assert (0, 3) == (ran.exit_code, len(ran.output.splitlines()))
    text = Path(next(line for line in ran.output.splitlines() if "vanilla" in line)).read_text()
    held = [json.loads(line) for line in text.splitlines()] if to == "ragas" else json.loads(text)
    rows = held["results"] if to == "ragchecker" else held
    assert (5, wanted) == (len(rows), set(rows[0]))
    contexts = rows[0].get("retrieved_contexts") or rows[0].get("retrieval_context") or rows[0]["retrieved_context"]
    assert "Ada Holm was born in Vik" in json.dumps(contexts)


def test_a_run_is_exported_to_trec(folder, done, tmp_path):
    """The run and the qrels are read back by our own readers, and gold is found where it was ranked."""
    place = done[2]
    shutil.copy(experiment(folder)[1], place.out / "experiment.toml")
    ran = CliRunner().invoke(cli, ["eval", "export", str(place.out), "--to", "trec", "--out", str(tmp_path)])
    assert 0 == ran.exit_code
    ranked = read_run(next(tmp_path.glob("*vanilla*.run")))
    judged = read_qrels(next(tmp_path.glob("*vanilla*.qrels")))
    assert {"Ada_Holm": 1} == judged["q0"]
    assert "Ada_Holm" == ranked["q0"][0].text
