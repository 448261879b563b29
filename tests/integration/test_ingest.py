"""The sample corpus goes in without a fault and reads back as its files say."""

import threading
from datetime import date
from pathlib import Path

import pytest
from hashing import HashingEmbed
from shelf import NOW, TODAY, filled, new, scope_of, seen

from remit.corpus.ingest import ingest
from remit.corpus.sqlite import SqliteCorpus

PLANT = Path(__file__).resolve().parents[2] / "examples" / "plant"

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def plant(tmp_path_factory):
    """Return the store of the sample corpus and the report of its ingest."""
    with SqliteCorpus.open(tmp_path_factory.mktemp("plant"), create=True) as corpus:
        yield corpus, ingest([PLANT], corpus, HashingEmbed(), now=NOW)


def ids(rows):
    """Return the revisions that rows belong to."""
    return {row.partition("#")[0] for row in rows}


def test_the_sample_corpus_has_no_faults(plant):
    """Every file is stored, nothing is doubtful, and the folder again changes nothing."""
    corpus, report = plant
    assert ((), ()) == (report.rejected, report.warnings)
    assert report.revisions >= 60
    again = ingest([PLANT], corpus, HashingEmbed(), now=NOW)
    assert (report.revisions, report.snapshot) == (again.unchanged, again.snapshot)


def test_current_draft_withdrawn_and_future(plant):
    """Of the sample's revisions those that hold today are visible, and the others say why they are not."""
    visible, aside = seen(plant[0], scope_of("maintenance", "public"))
    reasons = {id.partition("#")[0]: why for id, why in aside.items()}
    assert {"PR-101@3", "TB-07@3", "POL-05@3"} <= ids(visible)
    wanted = {"PR-101@2": "superseded", "POL-03@3": "draft", "PR-195@1": "withdrawn", "PR-150@5": "future"}
    assert wanted.items() <= reasons.items()
    assert not any(id.startswith("HR-") for id in ids(visible) | reasons.keys())


def test_as_of_an_earlier_date(plant):
    """The table of its time answers for its time."""
    visible = ids(seen(plant[0], scope_of("maintenance"), at=date(2024, 1, 15))[0])
    assert "TB-07@2" in visible
    assert "TB-07@3" not in visible


def test_every_passage_is_its_text(plant):
    """Each passage and each sentence stands in the stored text at its span, and has its vector."""
    corpus, _ = plant
    everyone = scope_of("operations", "maintenance", "engineering", "safety", "hr", "public")
    readable = corpus.readable(everyone, at=TODAY, named=None, snapshot=corpus.snapshot())
    for passage, source in [*readable.rows, *(row for row, _ in readable.set_aside)]:
        text = corpus.text(source.id, everyone)
        assert passage.text == text[passage.start : passage.end]
        assert all(passage.quote(span) == text[span.start : span.end] for span in passage.sentences)
        assert len(passage.sentences) == len(corpus.vectors([passage.id], everyone)[1][0])


def test_readers_never_see_a_torn_state(tmp_path):
    """While one thread puts and deletes, every read of the others sees whole revisions only."""
    corpus = filled(tmp_path, new("A", text="\n".join(f"Line {n}." for n in range(20))))
    stop, torn = threading.Event(), []

    def read():
        while not stop.is_set():
            visible, _ = seen(corpus, scope_of("staff"))
            counts = {id: sum(row.startswith(f"{id}#") for row in visible) for id in ids(visible)}
            torn.extend(id for id, count in counts.items() if count != 20)

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    try:
        for round_number in range(15):
            corpus.put(
                new("B", str(round_number), text="\n".join(f"Step {round_number} {n}." for n in range(20))), now=NOW
            )
            corpus.delete("B", now=NOW, revision=str(round_number - 1))
    finally:
        stop.set()
        for reader in readers:
            reader.join()
        corpus.close()
    assert [] == torn
