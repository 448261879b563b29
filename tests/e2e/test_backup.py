"""Backups, tested by restoring them."""

import json
import threading

import pytest

pytestmark = pytest.mark.e2e

QUESTION = "How often is the mechanical seal of pump P-7 replaced?"
WHO = "mara:maintenance"


def asked(run, store):
    """Return answer, quotation and snapshot of a question."""
    done = run("ask", QUESTION, "--store", store, "--as", WHO, "--json").json
    return done["answer"], done["citations"], done["snapshot"]


def test_a_restored_store_is_the_store(run, store, tmp_path):
    """What was asked, answered and queued before the backup is there after the restore, with the same snapshot."""
    before = asked(run, store)
    trace = run("ask", "Which grease does the P-9 take?", "--store", store, "--as", WHO, "--json").json["trace"]
    (store / "remit.toml").write_text("[limits]\nrounds = 1\n")
    queued = run("queue", "corpus_gaps", "--store", store, "--json").json
    copied = run("backup", tmp_path / "copy", "--store", store, "--json").json
    assert {"store.db", "journal.db", "remit.toml"} == {one["name"] for one in copied["files"]}
    assert 0 == run("restore", tmp_path / "copy", "--store", tmp_path / "again").code
    again = tmp_path / "again"
    assert before == asked(run, again)
    assert run("trace", trace, "--store", store, "--json").json == run("trace", trace, "--store", again, "--json").json
    assert queued == run("queue", "corpus_gaps", "--store", again, "--json").json
    assert 0 == run("doctor", "--store", again).code
    assert 0o600 == (tmp_path / "copy" / "journal.db").stat().st_mode & 0o777


def test_a_backup_can_be_taken_while_the_store_is_written(run, store, documents, tmp_path):
    """Copies taken during an ingest and asks each restore to a whole store."""
    stop = threading.Event()

    def write():
        number = 0
        while not stop.is_set():
            number += 1
            folder = tmp_path / f"w{number}"
            folder.mkdir()
            for at in range(5):
                (folder / f"n{number}-{at}.md").write_text(f"# Note {number}\n\nThe valve {number}-{at} is green.\n")
            run("ingest", folder, "--store", store, "--labels", "maintenance")
            run("ask", QUESTION, "--store", store, "--as", WHO)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for number in range(2):
            assert 0 == run("backup", tmp_path / f"b{number}", "--store", store).code
    finally:
        stop.set()
        writer.join()
    for number in range(2):
        assert 0 == run("restore", tmp_path / f"b{number}", "--store", tmp_path / f"r{number}").code
        assert "12 months" == asked(run, tmp_path / f"r{number}")[0]


def test_a_changed_backup_is_not_restored(run, store, tmp_path):
    """A file that was cut, changed or taken away stops the restore, and no store is made."""
    asked(run, store)
    for number, spoil in enumerate(
        [
            lambda folder: (folder / "store.db").write_bytes((folder / "store.db").read_bytes()[:-4096]),
            lambda folder: (folder / "journal.db").write_bytes(b"x" * (folder / "journal.db").stat().st_size),
            lambda folder: (folder / "journal.db").unlink(),
            lambda folder: (folder / "backup.json").write_text(
                json.dumps({"files": {"../evil": {"bytes": 1, "sha256": ""}}})
            ),
        ]
    ):
        folder = tmp_path / f"b{number}"
        assert 0 == run("backup", folder, "--store", store).code
        spoil(folder)
        done = run("restore", folder, "--store", tmp_path / "again")
        assert (3, False) == (done.code, (tmp_path / "again").exists()), done.err
        assert "use another backup" in done.err


def test_nothing_is_written_over(run, store, tmp_path):
    """A folder that holds something is neither backed up into nor restored into."""
    assert 0 == run("backup", tmp_path / "copy", "--store", store).code
    assert 5 == run("backup", tmp_path / "copy", "--store", store).code
    assert 5 == run("restore", tmp_path / "copy", "--store", store).code
    assert 4 == run("backup", tmp_path / "other", "--store", tmp_path / "nowhere").code
    assert 4 == run("restore", tmp_path / "nowhere", "--store", tmp_path / "other").code
