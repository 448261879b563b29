"""From a store to a reranker that has learned from it, with the packaged encoder and nothing faked."""

from datetime import date

import pytest

from remit import Remit
from remit.answer.extract import Extractive
from remit.rerank.head import Head
from remit.rerank.plackett_luce import greedy
from remit.train.environment import Asked, Kept, Quoting
from remit.train.fit import Fitting, clone, fresh_head, rounded
from remit.train.instances import Shelf, instances
from remit.train.questions import Question
from remit.train.steps import Trajectory, set_steps

DAY = date(2026, 11, 30)
PEOPLE = {
    "Ida Kern": "Graz",
    "Otto Lang": "Linz",
    "Vera Moll": "Bern",
    "Paul Roth": "Ulm",
    "Nina Falk": "Köln",
    "Emil Brandt": "Trier",
}
QUESTIONS = [
    Question(
        f"q{at}",
        f"Where was the director of The Road {at} born?",
        (town,),
        frozenset({f"film{at}", f"person{at}"}),
        f"g{at}",
        "",
    )
    for at, (_, town) in enumerate(PEOPLE.items())
]


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """Return a store in which each question needs two passages, one of which it does not name."""
    folder = tmp_path_factory.mktemp("learning")
    with Remit.open(folder / "store", make=True) as remit:
        for at, (person, town) in enumerate(PEOPLE.items()):
            (folder / f"film{at}.md").write_text(
                _page(f"film{at}", f"The Road {at}", f"The Road {at} is a film directed by {person}."), "utf-8"
            )
            (folder / f"person{at}.md").write_text(
                _page(f"person{at}", person, f"{person} was born in {town} in 19{at}1. Music was an early love."),
                "utf-8",
            )
        report = remit.ingest(sorted(folder.glob("*.md")))
    assert 12 == report.documents
    return folder / "store"


def _page(document, title, text):
    return f"---\ndocument: {document}\ntitle: {title}\nlabels: [public]\nstatus: current\n---\n{text}\n"


@pytest.mark.integration
def test_a_reranker_learns_to_send_both_passages(store, tmp_path):
    """Cloned from four questions it sends the two needed passages of two others, in either order, and no third."""
    with Shelf(store, day=DAY) as shelf:
        found = list(instances(shelf, QUESTIONS, tmp_path / "kept.jsonl"))
        seen = [shelf.seen(one) for one in found]
        gold = [tuple(view.row(id) for id in sorted(one.gold)) for view, one in zip(seen, found, strict=True)]
        assert [2] * 6 == [len(rows) for rows in gold]
        steps = set_steps([Trajectory(view, rows) for view, rows in zip(seen[:4], gold[:4], strict=True)], Head({}))
        how = Fitting(epochs=150, dropout=0.0)
        head = rounded(clone(fresh_head(steps, how), steps, how))
        for view, rows in zip(seen[4:], gold[4:], strict=True):
            assert set(rows) == set(greedy(head, view).rows)


@pytest.mark.integration
def test_searches_and_answers_are_kept(store, tmp_path):
    """The second time nothing is searched or drafted, and all comes out the same."""
    with Shelf(store, day=DAY) as shelf:
        first = list(instances(shelf, QUESTIONS, tmp_path / "kept.jsonl"))
        size = (tmp_path / "kept.jsonl").stat().st_size
        kept = Kept(Quoting(Extractive(shelf.encoder, shelf), shelf.scope), tmp_path / "answers.jsonl")
        asked = [Asked(one.contract, one.candidates.hits[:3]) for one in first]
        said = kept.answers(asked)
        answers = (tmp_path / "answers.jsonl").stat().st_size
        assert first == list(instances(shelf, QUESTIONS, tmp_path / "kept.jsonl"))
        assert said == kept.answers(asked)
        assert (size, answers) == (
            (tmp_path / "kept.jsonl").stat().st_size,
            (tmp_path / "answers.jsonl").stat().st_size,
        )
