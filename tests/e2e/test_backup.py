"""Backups, tested by restoring them."""

import functools
import json
import re
import resource
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from older import older

from remit.corpus.schema import MIGRATIONS as SCHEMAS
from remit.record.journal import MIGRATIONS

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
    """A file that was cut, changed or taken away stops the restore: it is named with what it holds, and no store is made."""
    asked(run, store)
    for number, (spoil, told) in enumerate(
        [
            (
                lambda folder: (folder / "store.db").write_bytes((folder / "store.db").read_bytes()[:-4096]),
                r"store\.db \(documents\) is \d+ bytes long, and \d+ were copied",
            ),
            (
                lambda folder: (folder / "journal.db").write_bytes(b"x" * (folder / "journal.db").stat().st_size),
                r"journal\.db \(questions, decisions and review\) was changed after it was copied",
            ),
            (lambda folder: (folder / "journal.db").unlink(), r"journal\.db .* is missing"),
            (
                lambda folder: (folder / "journal.db").replace(folder / "gone") and (folder / "store.db").unlink(),
                "; store",
            ),
            (
                lambda folder: (folder / "backup.json").write_text(
                    json.dumps({"files": {"../evil": {"bytes": 1, "sha256": ""}}})
                ),
                "is no list of a store's files",
            ),
        ]
    ):
        folder = tmp_path / f"b{number}"
        assert 0 == run("backup", folder, "--store", store).code
        spoil(folder)
        done = run("restore", folder, "--store", tmp_path / "again")
        assert (3, False) == (done.code, (tmp_path / "again").exists()), done.err
        said = " ".join(done.err.split())
        assert re.search(told, said), said
        assert "use another backup" in said.lower()


def test_nothing_is_written_over(run, store, tmp_path):
    """A folder that holds something is neither backed up into nor restored into."""
    assert 0 == run("backup", tmp_path / "copy", "--store", store).code
    assert 5 == run("backup", tmp_path / "copy", "--store", store).code
    assert 5 == run("restore", tmp_path / "copy", "--store", store).code
    assert 4 == run("backup", tmp_path / "other", "--store", tmp_path / "nowhere").code
    assert 4 == run("restore", tmp_path / "nowhere", "--store", tmp_path / "other").code


def test_a_folder_that_is_a_disk_of_its_own_takes_a_store(run, store, tmp_path):
    """A folder that is there and empty, but for what a new disk or a broken-off copy leaves, can be restored into."""
    before = asked(run, store)
    assert 0 == run("backup", tmp_path / "copy", "--store", store).code
    volume = tmp_path / "volume"
    (volume / "lost+found").mkdir(parents=True)
    (volume / ".half").mkdir()
    (volume / ".half" / "store.db").write_bytes(b"half")
    (tmp_path / "copy" / "backup.json").rename(tmp_path / "backup.json")
    done = run("restore", tmp_path / "copy", "--store", volume)
    assert (4, True) == (done.code, "came to its end" in done.err)  # a backup that was broken off
    (tmp_path / "backup.json").rename(tmp_path / "copy" / "backup.json")
    assert 0 == run("restore", tmp_path / "copy", "--store", volume).code
    assert before == asked(run, volume)
    assert not (volume / ".half").exists()


def test_a_damaged_store_is_no_backup(run, store, tmp_path):
    """A store whose file is damaged gives no backup that looks like one, and the message says so."""
    content = bytearray((store / "store.db").read_bytes())
    content[4096 * 2 :] = b"\x5a" * (len(content) - 4096 * 2)
    (store / "store.db").write_bytes(content)
    done = run("backup", tmp_path / "copy", "--store", store)
    assert (3, False) == (done.code, (tmp_path / "copy").exists()), done.err
    assert "store.db" in done.err


def test_a_full_disk_leaves_no_half_of_a_backup(run, store, tmp_path):
    """Where the disk is full, the message says so, and nothing stays that could be taken for a backup."""
    limit = functools.partial(resource.setrlimit, resource.RLIMIT_FSIZE, (40_000, 40_000))
    command = [Path(sys.executable).with_name("remit"), "backup", tmp_path / "copy", "--store", store]
    done = subprocess.run(command, capture_output=True, text=True, check=False, preexec_fn=limit)
    assert (3, False) == (done.returncode, (tmp_path / "copy").exists()), done.stderr
    assert "disk" in done.stderr
    assert 0 == run("backup", tmp_path / "copy", "--store", store).code


@pytest.mark.parametrize("version", range(1, len(SCHEMAS)))
def test_a_backup_of_an_older_remit_is_a_store(run, store, tmp_path, version):
    """What an older Remit has written, documents and journal, is copied as it is, and brought up to date when it is first used."""
    asked(run, store)
    old = older(store, tmp_path / "old", version)
    with sqlite3.connect(old / "journal.db") as journal:
        journal.execute("PRAGMA journal_mode = WAL")
        for statement in (one for step in MIGRATIONS[:version] for one in step):
            journal.execute(statement)
        journal.execute(f"PRAGMA user_version = {version}")
        journal.execute("INSERT INTO opened VALUES ('t-1', 'mara', 'How often?', '2026-01-01T00:00:00+00:00')")
    journal.close()
    assert 0 == run("backup", tmp_path / "copy", "--store", old).code
    assert 0 == run("restore", tmp_path / "copy", "--store", tmp_path / "again").code
    assert "12 months" == asked(run, tmp_path / "again")[0]
    assert "unfinished" == run("trace", "t-1", "--store", tmp_path / "again", "--json").json["state"]
