"""A comparison run for real on a small corpus: the same numbers again, resumed after a kill, capped, and read in one page."""

import json
import re
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from remit.cases.formats.trec import read_qrels, read_run
from remit.errors import InvalidInput
from remit.evaluate.comparison import read_comparison
from remit.evaluate.material import ready
from remit.evaluate.page import HTML, JSON, Report, write
from remit.evaluate.trials import TRIALS, read_trials, run
from remit.evaluate.working import Place
from remit.serve.cli import cli

pytestmark = [pytest.mark.integration, pytest.mark.slow]

FACTS = {
    "Ada Holm": "Ada Holm was born in Vik in 1881. She sailed the ship Alda to Iceland.",
    "Alda": "The ship Alda was built in 1899 by Per Dahl. It sank near Oslo.",
    "Vik": "Vik is a small town in Norway. Its pier was opened by Ole Berg in 1904.",
    "Per Dahl": "Per Dahl was a shipbuilder from Bergen. He died in 1920.",
    "Ole Berg": "Ole Berg was mayor of Vik for ten years. His brother was a <b>painter</b> & poet.",
    "Iceland": "Iceland is an island in the North Atlantic. Its capital is Reykjavik.",
}
ASKED = [
    ("Where was Ada Holm born?", "Vik", "Ada Holm"),
    ("When was the ship Alda built?", "1899", "Alda"),
    ("Who built the ship Alda?", "Per Dahl", "Alda"),
    ("Who opened the pier of Vik?", "Ole Berg", "Vik"),
    ("What is the capital of Iceland?", "Reykjavik", "Iceland"),
    ("What does the harbour of Rome cost?", None, None),
]
EXPERIMENT = """
name = "small"
today = 2026-11-30
seed = 3
[run]
workers = {workers}
{more}
[[sets]]
name = "facts"
questions = "dev.jsonl"
[[systems]]
system = "vanilla"
k = 3
[[systems]]
system = "crag"
label = "CRAG <published>"
[[systems]]
system = "remit"
[[systems]]
system = "flare"
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with questions, their corpus and a store made of it; not to be changed."""
    made = tmp_path_factory.mktemp("comparing")
    corpus = [{"id": title, "title": title, "contents": f"{title}\n{text}"} for title, text in FACTS.items()]
    asked = [
        {
            "id": f"q{at}",
            "question": question,
            "golden_answers": [answer] if answer else [],
            "metadata": {"gold": [gold] if gold else [], "answerable": answer is not None},
        }
        for at, (question, answer, gold) in enumerate(ASKED)
    ]
    for name, rows in (("corpus.jsonl", corpus), ("dev.jsonl", asked)):
        (made / name).write_text("".join(json.dumps(row) + "\n" for row in rows))
    return made


def experiment(folder, *, workers=1, more=""):
    """Write the experiment and return it with its file."""
    path = folder / f"small-{workers}-{len(more)}.toml"
    path.write_text(EXPERIMENT.format(workers=workers, more=more))
    return read_comparison(path), path


@pytest.fixture(scope="module")
def done(folder):
    """A run of the experiment in this process."""
    comparison, _ = experiment(folder)
    sets = [ready(one, folder, folder / "stores", seed=comparison.seed) for one in comparison.sets]
    place = Place(folder, folder / "first")
    place.out.mkdir()
    return comparison, sets, place, run(comparison, place, sets)


def numbers(ran):
    """What of the trials has to come out the same again: all but the seconds."""
    return [trial.model_dump(exclude={"seconds"}) for trial in ran.trials]


def test_every_question_is_tried_by_every_system_that_applies(done):
    """Six questions, three systems; FLARE does not apply without a model, and the reason is told."""
    _, _, _, ran = done
    assert (18, "") == (len(ran.trials), ran.stopped)
    assert ["flare θ=0.8 β=0.4"] == list(ran.reasons)
    assert not [trial.failure for trial in ran.trials if trial.failure]
    assert {trial.answer for trial in ran.trials if trial.case == "q1" and trial.system == "vanilla k=3"} == {"1899"}


def test_the_same_card_gives_the_same_numbers(done, folder):
    """Another run of it, by two worker processes, in another folder: the same trials."""
    comparison, sets, _, ran = done
    two = comparison.model_copy(update={"run": comparison.run.model_copy(update={"workers": 2})})
    place = Place(folder, folder / "again")
    place.out.mkdir()
    assert numbers(ran) == numbers(run(two, place, sets))


def test_a_killed_run_goes_on_where_it_was(done, folder):
    """Half of the trials and one torn line: what is there is kept, the rest is tried, and the numbers are the same."""
    comparison, sets, place, ran = done
    again = Place(folder, folder / "killed")
    again.out.mkdir()
    lines = (place.out / TRIALS).read_text().splitlines(keepends=True)
    (again.out / TRIALS).write_text("".join(lines[:7]) + lines[7][:40])
    kept = [trial.seconds for trial in read_trials(again.out / TRIALS)]
    resumed = run(comparison, again, sets)
    assert numbers(ran) == numbers(resumed)
    assert set(kept) <= {trial.seconds for trial in resumed.trials}
    assert 18 == len(list(read_trials(again.out / TRIALS)))


def test_results_under_another_card_are_not_mixed_in(done):
    """A changed limit in the same folder is refused, naming what differs."""
    comparison, sets, place, _ = done
    other = comparison.model_copy(update={"limits": comparison.limits.model_copy(update={"tokens": 7})})
    with pytest.raises(InvalidInput, match="limits"):
        run(other, place, sets)


def test_a_cap_of_the_whole_run_ends_it_with_what_is_done(folder, done):
    """A cap that is reached at once leaves no trial, says which it was, and the same command with more goes on."""
    comparison, sets, _, _ = done
    capped = comparison.model_copy(update={"run": comparison.run.model_copy(update={"seconds": 1e-9})})
    place = Place(folder, folder / "capped")
    place.out.mkdir()
    ran = run(capped, place, sets)
    assert (0, "run.seconds of 1e-09 is used up") == (len(ran.trials), ran.stopped)
    assert 18 == len(run(comparison, place, sets).trials)


def test_the_page_needs_no_network_and_quotes_safely(done, tmp_path):
    """One file: no address is fetched, text of documents and labels is escaped, figures and card are in it."""
    comparison, _, _, ran = done
    write(Report.of(comparison, ran), tmp_path)
    page = (tmp_path / HTML).read_text(encoding="utf-8")
    assert [] == re.findall(r"""(?:src|href)=["'](?!#)|url\(|@import|<script|<link|<img""", page)
    assert "CRAG &lt;published&gt;" in page
    assert "<published>" not in page
    assert "<b>painter" not in page
    for part in (
        "<svg",
        "Run card",
        "Not applicable here",
        "useful coverage",
        "prefers-color-scheme: dark",
        "@media print",
    ):
        assert part in page
    held = json.loads((tmp_path / JSON).read_text(), parse_constant=lambda name: pytest.fail(f"{name} in the report"))
    assert 6 == held["figures"]["facts"]["remit (default)"]["trials"]


def test_the_commands_run_report_and_compare(folder, done):
    """`remit eval run`, `report` and `compare` from the command line; a run compared with itself differs in nothing."""
    _, path = experiment(folder)
    out = folder / "by-command"
    store = folder / "stores"
    made = next(store.glob("stores/*/store"))
    ran = CliRunner().invoke(cli, ["eval", "run", str(path), "--out", str(out), "--store", f"facts={made}"])
    assert (0, None) == (ran.exit_code, ran.exception)
    assert "| remit (default) |" in ran.output
    before = (out / JSON).read_text()
    again = CliRunner().invoke(cli, ["eval", "report", str(out)])
    assert (0, before) == (again.exit_code, (out / JSON).read_text())
    beside = CliRunner().invoke(cli, ["eval", "compare", str(out), str(folder / "first"), "--json"])
    rows = json.loads(beside.output)
    assert [0.0] * 3 == [row["difference"] for row in rows]


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
