"""A store in which a byte has changed, through the command line: told, found, mended, and as it was after an ingest."""

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

pytestmark = pytest.mark.e2e

QUESTION = "How often is the mechanical seal of pump P-7 replaced?"
HIDDEN = "UPDATE label SET label = 'personnem' WHERE label = 'personnel'"


def change(store, statement):
    """Change rows as a flipped byte would."""
    with closing(sqlite3.connect(store / "store.db")) as db:
        db.execute(statement)
        db.commit()


def found(run, store):
    """Return what a search finds."""
    hits = run("search", "seal", "--store", store, "--as", "mara:maintenance", "--json").json["hits"]
    return [(hit["passage"], hit["score"], hit["text"]) for hit in hits]


def test_a_hidden_revision_stops_every_reader_until_it_is_mended(run, store, documents):
    """Also one that the asker may not read: told with the way out, found, mended, ingested again, and all as before."""
    before = found(run, store)
    assert 0 == run("verify", "--store", store).code
    change(store, HIDDEN)
    for command in (["search", "seal"], ["ask", QUESTION]):
        done = run(*command, "--store", store, "--as", "mara:maintenance")
        assert (3, "") == (done.code, done.out)
        assert "remit verify --mend" in done.err
    looked = run("verify", "--store", store, "--json")
    assert 3 == looked.code
    assert ["HR-9@1", "LV-9@1"] == sorted(flaw["what"].rpartition(" ")[2] for flaw in looked.json["flaws"])
    mended = run("verify", "--store", store, "--mend", "--json")
    assert (7, ["HR-9@1", "LV-9@1"]) == (mended.code, sorted(mended.json["deleted"]))
    assert before == found(run, store)
    assert 2 == run("ingest", documents, "--store", store, "--json").json["revisions"]
    assert (0, True) == ((done := run("verify", "--store", store, "--json")).code, done.json["ok"])
    assert before == found(run, store)
    assert "nine weeks" in run("ask", "How many weeks of parental leave?", "--store", store, "--as", "p:personnel").out


def test_the_named_revision_is_deleted_and_comes_back(run, store, documents):
    """The way out that the error names works word by word."""
    before = found(run, store)
    change(
        store, "UPDATE metadata SET valid_from = '2035-01-01' WHERE valid_from = '2025-01-01' AND title LIKE 'Seal%'"
    )
    told = run("search", "seal", "--store", store, "--as", "mara:maintenance")
    assert "PR-1@2" in told.err
    assert 0 == run("delete", "PR-1@2", "--yes", "--store", store).code
    assert 1 == run("ingest", documents, "--store", store, "--json").json["revisions"]
    assert before == found(run, store)


def test_indexes_and_segments_are_made_anew_without_a_loss(run, store):
    """What is derived is mended with exit code 0: nothing has to come again."""
    before = found(run, store)
    change(store, "DELETE FROM run")
    [segment] = (store / "segments").glob("*.seg")
    segment.write_bytes(segment.read_bytes()[:-40])
    assert 3 == run("verify", "--store", store).code
    assert 0 == run("verify", "--store", store, "--mend").code
    assert 0 == run("verify", "--store", store).code
    assert before == found(run, store)


def test_a_damaged_store_is_not_backed_up_and_not_served(run, store, tmp_path):
    """A good backup is not followed by a bad one; a service on it does not start; doctor says the same."""
    change(store, HIDDEN)
    done = run("backup", tmp_path / "copy", "--store", store)
    assert (3, False) == (done.code, (tmp_path / "copy").exists())
    assert "remit verify --mend" in done.err
    (store / "remit.toml").write_text("[identity]\nanonymous = true\n", encoding="utf-8")
    program = Path(sys.executable).with_name("remit")
    served = subprocess.run(
        [program, "serve", "--store", store, "--port", "0"], capture_output=True, timeout=120, check=False
    )
    assert 3 == served.returncode, served.stderr
    assert b"not what was written" in served.stderr
    checks = {check["name"]: check for check in run("doctor", "--store", store, "--json").json["checks"]}
    assert ("broken", True) == (checks["record"]["state"], "--mend" in checks["record"]["fix"])
