"""An experiment on a real store: built, tuned across folds, scored, interrupted and reported."""

from __future__ import annotations

import json

import pytest
from hashing import HashingEmbed
from shelf import NOW

from remit.cases.build import build_cases
from remit.cases.case import write_cases
from remit.cases.questions import Question
from remit.cases.variant import holding, make_variant
from remit.corpus.ingest import ingest
from remit.corpus.sqlite import SqliteCorpus
from remit.corpus.stated import Stated
from remit.errors import InvalidInput
from remit.evaluate import desk
from remit.evaluate.experiment import read_experiment
from remit.evaluate.report import write_report
from remit.evaluate.run import Runner
from remit.settings import Settings

pytestmark = pytest.mark.integration

ASKED = ("bridge", "mill", "tower", "library", "market")
VERBS = ("was opened in", "was built in", "was raised in", "was founded in", "was first held in")
TOML = """
name = "towns"
seed = 3
folds = 3
[[sets]]
name = "towns"
folder = "towns"
[[systems]]
name = "single pass"
point = "single-pass"
[[systems]]
name = "fixed rules"
point = "fixed-rules"
[[systems]]
name = "learned"
target = 0.6
margin = 0.0
"""


@pytest.fixture
def towns(tmp_path, monkeypatch):
    """A folder of cases about 90 towns, as `remit cases build` makes it, and the experiment over it."""
    embed = HashingEmbed()
    monkeypatch.setattr(desk.Remit, "open", opening(embed, desk.Remit.open))
    lines, questions = [], []
    for n in range(90):
        what, verb = ASKED[n % 5], VERBS[n % 5]
        year, town = str(1700 + 3 * n), f"Town{chr(65 + n % 26)}{chr(97 + n // 26)}ford"
        lines.append(
            {
                "document": f"T{n}",
                "title": f"{town} {what}",
                "text": f"The {what} of {town} {verb} {year}. It is of stone.",
            }
        )
        questions.append(
            Question(
                f"q{n}",
                f"When {verb.split()[0]} the {what} of {town} {verb.split()[1]}?",
                (year,),
                (f"T{n}",),
                "dev",
                "eva",
            )
        )
    (tmp_path / "towns.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    with SqliteCorpus.open(tmp_path / "base", create=True) as corpus:
        ingest(
            [tmp_path / "towns.jsonl"],
            corpus,
            embed,
            now=NOW,
            fill=Stated(labels=frozenset({"public"}), status="current"),
        )
        made = build_cases(holding(corpus, at=NOW.date()), questions, seed=1)
    make_variant(tmp_path / "base", tmp_path / "towns", made.changes, embed, now=NOW)
    write_cases(tmp_path / "towns" / "cases.jsonl", made.cases)
    (tmp_path / "towns.toml").write_text(TOML, encoding="utf-8")
    return tmp_path


def opening(embed, real):
    """Return an `open` whose store uses a quick encoder."""

    def opened(store, **given):
        remit = real(store, **given)
        remit.parts.encoder = embed
        return remit

    return opened


def runner(folder, told=lambda _: None, out="out") -> Runner:
    """Return the runner of the experiment in a folder."""
    return Runner(read_experiment(folder / "towns.toml"), folder, folder / out, Settings(), told)


def test_a_run_scores_every_system_and_leaks_nothing(towns) -> None:
    """Every case has a result under every system, on a point that never saw its group; nothing withheld comes out."""
    pytest.importorskip("sklearn")
    ran = runner(towns).run()
    report = write_report(ran, read_experiment(towns / "towns.toml"), towns / "out")
    figures = report["figures"]["towns"]
    assert {"single pass", "fixed rules", "learned"} == set(figures)
    assert {90} == {one["cases"] for one in figures.values()}
    assert {0} == {one["leaks"] for one in figures.values()}
    assert {0.0} == {one["rates"]["failed"]["value"] for one in figures.values()}
    assert 3 == len(ran.points["learned"])
    for result in ran.results["towns", "learned"]:
        point = next(one for one in ran.points["learned"] if one.point.digest == result.point)
        assert not point.knows(result.group)
    assert (
        figures["learned"]["rates"]["unsupported_of_requests"]["value"]
        <= figures["single pass"]["rates"]["unsupported_of_requests"]["value"]
    )
    assert {"report.json", "report.md", "risk-coverage-towns.svg", "reliability-towns.svg"} <= {
        p.name for p in (towns / "out").iterdir()
    }


def test_a_run_that_was_stopped_goes_on_and_ends_the_same(towns) -> None:
    """Interrupted after some cases, a run asks only the rest, and decides as an uninterrupted one does."""
    pytest.importorskip("sklearn")

    class Stop(Exception):
        pass

    def stop(done) -> None:
        if done.done == 70:
            raise Stop

    with pytest.raises(Stop):
        runner(towns, stop).run()
    kept = sum(len(file.read_text(encoding="utf-8").splitlines()) for file in (towns / "out" / "results").iterdir())
    again, whole = runner(towns).run(), runner(towns, out="whole").run()
    assert 70 == kept
    assert decided(again) == decided(whole)


def decided(ran):
    """Return what was decided, but for the time it took."""
    return {name: [one.model_copy(update={"seconds": 0.0}) for one in found] for name, found in ran.results.items()}


def test_a_system_decides_as_it_would_alone(towns) -> None:
    """What systems share of a case changes no decision: alone on a fresh desk, each does the same."""
    experiment = read_experiment(towns / "towns.toml")
    alone = {}
    for system in experiment.systems[:2]:
        only = experiment.model_copy(update={"systems": (system,)})
        alone |= decided(Runner(only, towns, towns / f"alone {system.name}", Settings(), lambda _: None).run())
    both = experiment.model_copy(update={"systems": experiment.systems[:2]})
    assert alone == decided(Runner(both, towns, towns / "both", Settings(), lambda _: None).run())


def test_a_point_is_not_scored_on_what_it_was_tuned_on(towns) -> None:
    """A point of one fold is refused on the groups it was tuned on, and the group is named."""
    pytest.importorskip("sklearn")
    runner(towns).run()
    text = TOML.replace("target = 0.6\nmargin = 0.0", 'point = "out/points/learned-0.json"')
    (towns / "towns.toml").write_text(text, encoding="utf-8")
    with pytest.raises(InvalidInput, match="was tuned on group"):
        runner(towns, out="again").run()
    both = TOML.replace(
        "target = 0.6\nmargin = 0.0",
        'points = ["out/points/learned-0.json", "out/points/learned-1.json", "out/points/learned-2.json"]',
    )
    (towns / "towns.toml").write_text(both, encoding="utf-8")
    assert 90 == len(runner(towns, out="again").run().results["towns", "learned"])


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (TOML.replace('point = "fixed-rules"', "points = []"), r"towns\.toml:\d+: systems"),
        (TOML.replace("folds = 3", "folds = 1"), r"towns\.toml:4: folds"),
        (TOML.replace('name = "fixed rules"', 'name = "single pass"'), "same name"),
        (TOML.replace('folder = "towns"', 'cases = "x"'), "want folder"),
        (TOML + "\nmodel = 1", "model"),
    ],
)
def test_a_wrong_experiment_names_its_line(tmp_path, text: str, told: str) -> None:
    """What cannot be run is told with its place, before anything is asked."""
    (tmp_path / "towns.toml").write_text(text, encoding="utf-8")
    with pytest.raises(InvalidInput, match=told):
        read_experiment(tmp_path / "towns.toml")
