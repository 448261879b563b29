"""A comparison run for real on a small corpus: the same numbers again, resumed after a kill, capped, and read in one page."""

import json
import re
from importlib import resources

import pytest
from click.testing import CliRunner

from remit.baselines.running import run as run_system
from remit.baselines.table import system_of
from remit.errors import InvalidInput
from remit.evaluate.code import code_of
from remit.evaluate.comparison import ChatModel, Likeness, read_comparison
from remit.evaluate.material import ready
from remit.evaluate.page import HTML, JSON, MARKDOWN, Report, write
from remit.evaluate.trials import CARD, TRIALS, ran_before, read_trials, run
from remit.evaluate.working import Place, bench_of
from remit.llm.cancel import Patience
from remit.llm.learned import QUESTIONS, keys_of
from remit.llm.scripted import ScriptedChat
from remit.llm.weights import FILE
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


def test_results_of_other_code_are_not_mixed_in(done, folder, monkeypatch):
    """One file of the package changed: the folder is refused, naming the code; a card from before that named none goes on so."""
    comparison, sets, place, ran = done
    changed = {**code_of(), "source": "sha256:other"}
    monkeypatch.setattr("remit.evaluate.trials.code_of", lambda: changed)
    with pytest.raises(InvalidInput, match=r"\(code differ\).*replies"):
        run(comparison, place, sets)
    older = Place(folder, folder / "older")
    older.out.mkdir()
    card = json.loads((place.out / CARD).read_text())
    assert card.pop("code") == ran.card["code"] == code_of()
    (older.out / CARD).write_text(json.dumps(card))
    (older.out / TRIALS).write_text((place.out / TRIALS).read_text())
    assert numbers(ran) == numbers(run(comparison, older, sets))
    assert json.loads((older.out / CARD).read_text())["code"] is None


def test_what_the_asker_may_not_read_is_found_in_a_trial(folder, done):
    """All that came up may be read by the asker who was let in; asked again as one who was not, every part of it is a leak."""
    comparison, sets, place, ran = done
    assert {()} == {trial.leaks for trial in ran.trials}
    with bench_of(comparison, place, sets[0].store) as bench:
        case = sets[0].cases[0]
        bench.turn_to(case)
        system = system_of("vanilla", {"k": 2}, bench.kit)
        result = run_system(system, bench.kit.means, bench.asked(case, comparison.limits, comparison.today), Patience())
        stranger = result._replace(ranked=(*result.ranked, "gone@1#0"))
        assert ((), ("gone@1",)) == (bench.leaks("reader", result), bench.leaks("reader", stranger))


def test_likeness_is_measured_where_the_experiment_asks_for_it(folder, done):
    """The stand-in for BERTScore: 1 where the answer is the golden one, 0 where none was given, none without a golden answer."""
    comparison, sets, _, ran = done
    assert {None} == {trial.likeness for trial in ran.trials}
    place = Place(folder, folder / "alike")
    place.out.mkdir()
    asked = {"likeness": Likeness(), "systems": comparison.systems[:1]}
    found = {trial.case: trial for trial in run(comparison.model_copy(update=asked), place, sets).trials}
    assert pytest.approx(1.0, abs=1e-5) == found["q1"].likeness
    assert found["q5"].likeness is None
    assert all(0.0 <= one.likeness <= 1.0 + 1e-6 for one in found.values() if one.likeness is not None)


def test_a_system_is_added_to_a_run_and_the_others_stay(folder, done):
    """Two systems first, the third in the same folder later: the first are not tried again, and the numbers are those of one run."""
    comparison, sets, _, ran = done
    place = Place(folder, folder / "added")
    place.out.mkdir()
    fewer = comparison.model_copy(update={"systems": comparison.systems[:2]})
    first = run(fewer, place, sets)
    both = run(comparison, place, sets)
    assert (12, 18) == (len(first.trials), len(both.trials))
    assert {trial.seconds for trial in first.trials} <= {trial.seconds for trial in both.trials}
    assert numbers(ran) == numbers(both)


def test_a_system_that_changed_is_tried_again_and_its_old_trials_are_out_of_the_report(folder, done):
    """Vanilla with another k under the same label: the report again holds the new trials alone."""
    comparison, sets, _, _ = done
    place = Place(folder, folder / "changed")
    place.out.mkdir()
    for k in (1, 3):
        entry = comparison.systems[0].model_copy(update={"label": "vanilla", "options": {"k": k}})
        run(comparison.model_copy(update={"systems": (entry, comparison.systems[2])}), place, sets)
    held = ran_before(place.out).trials
    assert (12, 3) == (len(held), max(trial.k for trial in held if trial.system == "vanilla"))
    assert 18 == len(list(read_trials(place.out / TRIALS)))


def test_with_a_chat_model_a_run_that_its_budget_ends_has_whole_systems(folder, done, monkeypatch):
    """The model's calls are capped: the first system is whole, the rest are said to be unfinished, and the run goes on from there."""
    comparison, sets, _, _ = done
    monkeypatch.setattr("remit.evaluate.bench.adapter", lambda _: lambda **_: ScriptedChat(["ANSWER: NONE"] * 60))
    spoken = comparison.model_copy(
        update={"chat": ChatModel(kind="openai", url="http://localhost:1", model="m", logprobs=False)}
    )
    systems = tuple(read_comparison(folder / "small-1-0.toml").systems[at] for at in (0, 1))
    capped = spoken.model_copy(update={"systems": systems, "run": comparison.run.model_copy(update={"model_calls": 6})})
    place = Place(folder, folder / "spoken")
    place.out.mkdir()
    ran = run(capped, place, sets)
    report = Report.of(capped, ran)
    assert (["vanilla k=3"], "run.model_calls of 6 is used up") == (list(report.held["facts"]), ran.stopped)
    assert 6 == report.held["facts"]["vanilla k=3"].trials
    whole = run(capped.model_copy(update={"run": comparison.run}), place, sets)
    assert (12, "", {}) == (len(whole.trials), whole.stopped, Report.of(capped, whole).unfinished)


def test_a_system_that_learned_from_the_questions_is_said_to(folder, done):
    """Questions that a policy's weights name are counted on the card and told in every form of the report."""
    sets, weights = done[1], folder / "planner"
    weights.mkdir()
    (weights / FILE).write_bytes(resources.files("remit.repair").joinpath("encoder.safetensors").read_bytes())
    (weights / QUESTIONS).write_text(keys_of([ASKED[0][0], ASKED[1][0].upper(), "Another?"]))
    text = EXPERIMENT.format(workers=1, more="").partition("[[systems]]")[0]
    entry = '[[systems]]\nsystem = "repair"\nlabel = "mine"\nplanner = "encoder"\nweights = "planner"\n'
    (folder / "learned.toml").write_text(f'{text}[[systems]]\nsystem = "vanilla"\nk = 3\n{entry}')
    made = read_comparison(folder / "learned.toml")
    place = Place(folder, folder / "learned")
    report = Report.of(made, run(made, place, sets))
    assert {"mine": "2 of 6 questions of facts"} == report.learned
    write(report, place.out)
    said = "Learned from these questions"
    assert f"{said}: mine, 2 of 6 questions of facts." in (place.out / MARKDOWN).read_text("utf-8")
    assert f"<h2>{said}</h2><ul><li>mine: 2 of 6 questions of facts</li></ul>" in (place.out / HTML).read_text("utf-8")
    assert {"mine": "2 of 6 questions of facts"} == json.loads((place.out / JSON).read_text("utf-8"))["learned_from"]


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
