"""The lab as a person uses it: cases from their own corpus, a point tuned on some, an experiment over others."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

pytestmark = [pytest.mark.e2e, pytest.mark.slow]

EXPERIMENT = """
name = "towns"
[[sets]]
name = "towns"
folder = "cases"
[[systems]]
name = "single pass"
point = "single-pass"
[[systems]]
name = "corrective"
point = "corrective"
"""


def remit(*arguments: str, code: int = 0):
    """Run the command line; return its JSON."""
    environ = {**os.environ, "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-c", "from remit.serve.cli import main; main()", *map(str, arguments), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, env=environ, check=False)
    assert code == done.returncode, done.stderr
    return json.loads(done.stdout or done.stderr)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a store of six documents, and cases built from a question to each."""
    where = tmp_path_factory.mktemp("lab")
    towns = ("Arden", "Bryn", "Corve", "Dunmere", "Elham", "Fenby")
    lines, questions = [], []
    for n, town in enumerate(towns):
        text = f"The stone bridge of {town} was opened in {1801 + 7 * n}. It carries the road to the mill."
        lines.append(
            {"document": f"T{n}", "title": f"{town} bridge", "labels": ["public"], "status": "current", "text": text}
        )
        asked = {"id": f"q{n}", "question": f"When was the stone bridge of {town} opened?"}
        questions.append({**asked, "golden_answers": [str(1801 + 7 * n)], "gold_documents": [f"T{n}"]})
    for name, rows in (("towns", lines), ("questions", questions)):
        (where / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    remit("ingest", where / "towns.jsonl", "--store", where / "store")
    named = ("--store", where / "store", "--questions", where / "questions.jsonl", "--out", where / "cases")
    shares = [word for kind in ("answerable", "incomplete", "denied") for word in ("--shares", f"{kind}=1")]
    card = remit("cases", "build", *named, *shares)
    assert {"answerable": 2, "denied": 2, "incomplete": 2} == card["kinds"]
    return where


def test_two_commands_test_your_own_corpus(folder) -> None:
    """Build and run: every case has a decision, nothing leaks, and the report with its figures is there."""
    (folder / "towns.toml").write_text(EXPERIMENT, encoding="utf-8")
    report = remit("eval", "run", folder / "towns.toml")
    figures = report["figures"]["towns"]
    assert {"single pass": 0, "corrective": 0} == {name: one["leaks"] for name, one in figures.items()}
    assert {0.0} == {one["rates"]["failed"]["value"] for one in figures.values()}
    assert "NaN" not in json.dumps(report)
    assert {"report.md", "report.json", "risk-coverage-towns.svg"} <= {p.name for p in (folder / "towns").iterdir()}
    assert report == remit("eval", "run", folder / "towns.toml")


def test_what_is_missing_says_so(folder) -> None:
    """No store, no file, a store in the way, and too little to tune on: each has its exit code and its fix."""
    questions, cases = folder / "questions.jsonl", folder / "cases"
    remit("cases", "build", "--store", folder / "none", "--questions", questions, "--out", folder / "x", code=4)
    told = remit("cases", "build", "--store", folder / "store", "--questions", questions, "--out", cases, code=5)
    assert "--out" in told["error"]
    remit("eval", "run", folder / "none.toml", code=4)
    remit("tune", "--on", cases, "--name", "t", "--out", folder / "p.json", code=2)
    remit("tune", "--on", cases, "--balance", "--target", "0.1", "--name", "t", "--out", folder / "p.json", code=2)
    told = remit(
        "tune", "--on", cases, "--target", "0.1", "--limit", "4", "--name", "t", "--out", folder / "p.json", code=5
    )
    assert "too few" in told["error"]


COMPARED = """
name = "compared"
today = 2026-11-30
[run]
workers = 1
[[sets]]
name = "towns"
questions = "asked.jsonl"
store = "store"
[[systems]]
system = "vanilla"
k = 3
[[systems]]
system = "remit"
"""


def test_a_comparison_that_was_interrupted_is_reported_as_far_as_it_came(folder) -> None:
    """`remit eval report` of a run that somebody stopped has the trials there are, and names what is not finished."""
    towns = ("Arden", "Bryn", "Corve", "Dunmere", "Elham", "Fenby")
    asked = [
        {
            "id": f"a{n}",
            "question": f"When was the stone bridge of {town} opened, {n} asks?",
            "golden_answers": ["1801"],
        }
        for n in range(100)
        for town in towns[n % 6 : n % 6 + 1]
    ]
    (folder / "asked.jsonl").write_text("".join(json.dumps(one) + "\n" for one in asked), encoding="utf-8")
    (folder / "compared.toml").write_text(COMPARED, encoding="utf-8")
    command = [
        sys.executable,
        "-c",
        "from remit.serve.cli import main; main()",
        "eval",
        "run",
        folder / "compared.toml",
    ]
    trials = folder / "compared" / "trials.jsonl"
    run = subprocess.Popen(
        [*map(str, command), "--out", str(folder / "compared")],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    with run:
        while run.poll() is None and not (trials.exists() and trials.read_bytes().count(b"\n") > 3):
            time.sleep(0.05)
        run.send_signal(signal.SIGINT)
    held = trials.read_bytes().count(b"\n")
    assert 3 < held < 200
    report = remit("eval", "report", folder / "compared")
    whole = json.dumps(report["unfinished"])
    assert "of 100 questions of towns" in whole
