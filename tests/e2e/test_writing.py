"""`remit ingest` and `delete`, as processes: what goes in, what stays out, and a store that is unchanged by bad input."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from office import line, pdf, word

from remit.corpus.sqlite import SqliteCorpus

pytestmark = pytest.mark.e2e

MARA = ("--as", "mara:maintenance")
FRONT = "---\ndocument: {document}\nrevision: '1'\nlabels: [maintenance]\ncollection: procedures\n{more}---\n\n{text}\n"


def written(text="Some words about valves.", document="PR-50", more=""):
    """Return a document, with more lines in its front matter."""
    return FRONT.format(document=document, more=more, text=text).encode()


def content(store):
    """Return everything the store's record holds, row by row."""
    with sqlite3.connect(store / "store.db") as db:
        dumped = list(db.iterdump())
    db.close()
    return dumped


def test_ingest_reports_what_it_did(run, documents, tmp_path):
    """The JSON has the documented fields; the same again changes nothing and gives the same snapshot."""
    first = run("ingest", documents, "--store", tmp_path / "s", "--json").json
    assert (3, 4, 0, []) == (first["documents"], first["revisions"], first["unchanged"], first["rejected"])
    assert first["passages"] >= 4
    again = run("ingest", documents, "--store", tmp_path / "s", "--json").json
    assert (0, 0, 4) == (again["revisions"], again["passages"], again["unchanged"])
    assert first["snapshot"] == again["snapshot"]


def test_a_dry_run_makes_no_store(run, documents, tmp_path):
    """--dry-run says what would go in and leaves nothing behind."""
    done = run("ingest", documents, "--store", tmp_path / "s", "--dry-run", "--json")
    assert (0, 4, True) == (done.code, done.json["revisions"], done.json["dry_run"])
    assert [] == list(tmp_path.iterdir())


def test_options_fill_what_files_leave_out(run, tmp_path):
    """--labels, --collection and --status say what a bare file does not."""
    (tmp_path / "note.txt").write_text("The valve of tank T-3 opens at 4 bar.\n", encoding="utf-8")
    options = ("--labels", "maintenance, public", "--collection", "notes", "--status", "current")
    assert 0 == run("ingest", tmp_path / "note.txt", "--store", tmp_path / "s", *options).code
    found = run("search", "valve", "--store", tmp_path / "s", "--as", "anyone", "--json").json["hits"]
    assert ["The valve of tank T-3 opens at 4 bar."] == [hit["text"].strip() for hit in found]


def test_what_has_no_labels_is_for_nobody(run, tmp_path):
    """A file without labels goes in and nobody finds it."""
    (tmp_path / "note.txt").write_text("The valve of tank T-3 opens at 4 bar.\n", encoding="utf-8")
    assert 0 == run("ingest", tmp_path / "note.txt", "--store", tmp_path / "s").code
    assert [] == run("search", "valve", "--store", tmp_path / "s", "--as", "a:maintenance", "--json").json["hits"]


BAD = {
    "yaml.md": ("front matter that does not parse", b"---\ndocument: [PR-50\n---\n\ntext\n", 2, None),
    "field.md": ("an unknown field", written(more="owner: me\n"), 6, "owner"),
    "status.md": ("a status that does not exist", written(more="status: final\n"), 6, "status"),
    "day.md": ("an impossible date", written(more="valid_from: 2026-02-30\n"), 6, "valid_from"),
    "order.md": ("an end before the start", written(more="valid_from: 2026-02-02\nvalid_to: 2026-01-01\n"), None, None),
    "labels.md": ("labels that are no list", written().replace(b"[maintenance]", b"{a: b}"), 4, "labels"),
    "star.md": ("a wildcard label", written().replace(b"maintenance", b"'*'"), 4, "labels"),
    "empty.md": ("nothing at all", b"", None, None),
    "bare.md": ("front matter and nothing else", written(text=""), None, None),
    "binary.md": ("a binary file", bytes(range(256)) * 20, None, None),
    "latin.md": ("invalid UTF-8", written() + b"\xff\xfe", None, None),
    "same.md": (
        "other content for a revision that is there",
        b"---\ndocument: PR-1\nrevision: '2'\nlabels: [maintenance]\n---\n\nOther words.\n",
        None,
        "revision",
    ),
}


class Refused(NamedTuple):
    """What an ingest of nothing but bad files left."""

    ran: Any
    faults: dict[str, dict[str, Any]]
    before: list[str]
    after: list[str]


@pytest.fixture(scope="module")
def refused(run, ingested, tmp_path_factory):
    """All bad files at once, into a store that holds something."""
    folder = tmp_path_factory.mktemp("bad")
    for name, (_, text, _, _) in BAD.items():
        (folder / name).write_bytes(text)
    before = content(ingested)
    ran = run("ingest", folder, "--store", ingested, "--json")
    faults = {Path(fault["file"]).name: fault for fault in json.loads(ran.err)["faults"]}
    return Refused(ran, faults, before, content(ingested))


def test_bad_input_ends_with_5_and_changes_nothing(refused):
    """Where no file can be used: exit code 5, nothing on stdout, no traceback, and the store as it was."""
    assert (5, "") == (refused.ran.code, refused.ran.out)
    assert "Traceback" not in refused.ran.err
    assert refused.before == refused.after


@pytest.mark.parametrize("name", sorted(BAD))
def test_bad_input_is_named(refused, name):
    """Each file that cannot be used is reported with its line and field, where it has one, and a reason."""
    _, _, line, field = BAD[name]
    fault = refused.faults[name]
    assert fault["error"]
    assert line is None or line == fault["line"]
    assert field is None or field == fault["field"]


def test_hidden_characters_are_left_out_and_told(run, store, tmp_path):
    """Control characters and direction marks do not get into the store; a warning says where they were."""
    (tmp_path / "a.md").write_bytes(written(text="A bell \x07, an escape \x1b[2J, a \u202e turn."))
    done = run("ingest", tmp_path / "a.md", "--store", store, "--json").json
    assert (1, 8) == (done["revisions"], done["warnings"][0]["line"])
    out = run("search", "bell", "--store", store, *MARA, "-k", "1", "--json").out
    assert not any(mark in out for mark in ("\\u0007", "\\u001b", "\\u202e", "\x07", "\x1b", "\u202e"))


def test_a_missing_file_is_named(run, store, tmp_path):
    """A path that does not exist is a fault like any other."""
    before = content(store)
    done = run("ingest", tmp_path / "none.md", "--store", store)
    assert 5 == done.code
    assert "none.md" in done.err
    assert before == content(store)


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_an_unreadable_file_is_named(run, store, tmp_path):
    """A file without the right to read it is a fault like any other."""
    (tmp_path / "a.md").write_bytes(written())
    (tmp_path / "a.md").chmod(0)
    assert 5 == run("ingest", tmp_path / "a.md", "--store", store).code


def test_50_megabytes_are_refused_quickly(run, store, tmp_path):
    """A file beyond the limit is refused by its size."""
    before = content(store)
    (tmp_path / "big.txt").write_bytes(b"word " * 10_000_000)
    done = run("ingest", tmp_path / "big.txt", "--store", store)
    assert 5 == done.code
    assert "big.txt" in done.err
    assert before == content(store)


def test_bad_input_makes_no_store(run, tmp_path):
    """Where nothing can go in, no store is made."""
    (tmp_path / "a.md").write_bytes(b"")
    assert 5 == run("ingest", tmp_path / "a.md", "--store", tmp_path / "s").code
    assert not (tmp_path / "s").exists()


def test_some_bad_files_end_with_7(run, store, tmp_path):
    """Good files go in beside bad ones; the bad ones are listed, and the exit code says that it was partial."""
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "good.md").write_bytes(written())
    (tmp_path / "in" / "bad.md").write_bytes(b"")
    done = run("ingest", tmp_path / "in", "--store", store, "--json")
    assert (7, 1) == (done.code, done.json["revisions"])
    assert {"file", "line", "field", "error"} == done.json["rejected"][0].keys()
    assert done.json["rejected"][0]["file"].endswith("bad.md")


def test_a_delete_is_seen_by_the_next_request(run, store):
    """A deleted document is found no more, and deleting it again finds nothing."""
    assert 0 == run("delete", "PR-1", "--store", store, "--yes").code
    assert [] == run("search", "seal", "--store", store, *MARA, "--json").json["hits"]
    assert 4 == run("delete", "PR-1", "--store", store, "--yes").code


@pytest.mark.parametrize("named", ["PR-1@", "@2", "@"])
def test_an_empty_name_deletes_nothing(run, store, named):
    """A revision or a document left empty, as by a variable that is not set, is a bad argument and not the whole document."""
    before = run("doctor", "--store", store, "--json").out
    assert 2 == run("delete", named, "--store", store, "--yes").code
    assert before == run("doctor", "--store", store, "--json").out


def test_one_revision_can_be_deleted(run, store):
    """Deleting a revision leaves the document's others."""
    done = run("delete", "PR-1@2", "--store", store, "--yes", "--json")
    assert ("PR-1", 1, []) == (done.json["document"], done.json["deleted"], done.json["left_replaced"])
    then = run("search", "seal", "--store", store, *MARA, "--as-of", "2024-05-01", "--json").json["hits"]
    assert {"1"} == {hit["revision"] for hit in then}


def test_what_stays_replaced_is_named_by_delete_and_by_the_next_ingest(run, store, tmp_path):
    """The old file says "unchanged" and is not in force: both commands say so, and what to do."""
    lines = [{"document": "N-1", "revision": "1"}, {"document": "N-1", "revision": "2", "supersedes": ["N-1@1"]}]
    file = tmp_path / "n.jsonl"
    file.write_text("".join(json.dumps(line | {"text": "Some text.", "labels": ["public"]}) + "\n" for line in lines))
    assert 0 == run("ingest", file, "--store", store).code
    file.write_text(file.read_text().splitlines()[0])
    assert "N-1@1 stays replaced" in run("delete", "N-1@2", "--store", store, "--yes").out
    told = run("ingest", file, "--store", store)
    assert "1 unchanged" in told.out
    assert "N-1@1 stays replaced by N-1@2, which was deleted" in told.err


@pytest.mark.parametrize(
    ("question", "told"),
    [("", "empty"), ("  \n\t ", "empty"), ("word " * 20_000, "10000"), ("bell \x07?", "control character")],
)
def test_a_question_that_cannot_be_asked_ends_with_5(run, ingested, question, told):
    """Empty, overlong and control characters: a clear error, nothing on stdout."""
    done = run("ask", "--store", ingested, *MARA, "--json", stdin=question)
    assert (5, "") == (done.code, done.out)
    assert told in json.loads(done.err)["error"]


def test_a_question_that_is_no_utf8_ends_with_5(run, ingested):
    """Bytes that are no text are named as such."""
    assert 5 == run("ask", "--store", ingested, *MARA, stdin=b"\xff\xfe?").code


@pytest.mark.parametrize(
    "command", [("ask", "q", *MARA), ("search", "q", *MARA), ("trace", "t"), ("delete", "d", "--yes")]
)
def test_no_such_store_ends_with_4(run, tmp_path, command):
    """A store that is not there is an error and is not made."""
    done = run(*command, "--store", tmp_path / "none")
    assert 4 == done.code
    assert [] == list(tmp_path.iterdir())


def test_html_pdf_word_and_lines_go_in(run, tmp_path):
    """Each kind of file is found by its words, with its page or heading; what it hides is told and never found."""
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.html").write_text(
        "<h1>Valves</h1><p>A plinth valve opens at 4 bar.</p>\n<p hidden>Zanzibar secret.</p>"
    )
    (folder / "b.pdf").write_bytes(pdf(line("The gantry crane lifts 8 tonnes.", 700)))
    (folder / "c.docx").write_bytes(word(lambda opened: opened.add_paragraph("The ladder is 3 metres long.")))
    (folder / "d.jsonl").write_text('{"_id": "d1", "title": "Rope", "text": "The rope holds 90 kg."}\n{"_id": 2}\n')
    done = run("ingest", folder, "--store", tmp_path / "s", "--labels", "public", "--json")
    assert (7, 4) == (done.code, done.json["revisions"])
    assert [2] == [fault["line"] for fault in done.json["rejected"]]
    assert [(2, "a.html")] == [(w["line"], Path(w["file"]).name) for w in done.json["warnings"]]
    for words, section in (("gantry crane", "page 1"), ("plinth valve", "Valves")):
        hit = run("search", words, "--store", tmp_path / "s", *MARA, "-k", "1", "--json").json["hits"][0]
        assert section in hit["section"]
    assert "Zanzibar" not in run("search", "Zanzibar", "--store", tmp_path / "s", *MARA, "--json").out


def test_an_interrupted_ingest_says_how_to_go_on(run, tmp_path):
    """Ctrl-C ends with 130 and one line of advice; what was stored is whole, and the job is known as unfinished."""
    folder = tmp_path / "in"
    folder.mkdir()
    for number in range(400):
        text = " ".join(f"Step {number} {step} takes a while and a half." for step in range(20))
        (folder / f"{number:03}.txt").write_text(text)
    remit = Path(sys.executable).with_name("remit")
    given = ("ingest", str(folder), "--store", str(tmp_path / "s"), "--labels", "public")
    with subprocess.Popen([remit, *given], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        file = tmp_path / "s" / "store.db"
        for _ in range(2400):
            if file.exists() and stored(file):
                break
            time.sleep(0.02)
        with closing(sqlite3.connect(file, timeout=20, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")  # nothing more is stored before the signal is there, however fast it goes
            running.send_signal(signal.SIGINT)
            other.execute("ROLLBACK")
        _, err = running.communicate(timeout=60)
    assert 130 == running.returncode
    assert "the same command goes on from here" in err
    assert "Traceback" not in err
    assert 0 < stored(file) < 400
    with SqliteCorpus.open(tmp_path / "s") as corpus:
        assert [400] == [job.total for job in corpus.ledger.unfinished()]
    told = {c["name"]: c for c in run("doctor", "--store", tmp_path / "s", "--json").json["checks"]}
    assert ("note", True) == (told["ingest"]["state"], str(folder) in told["ingest"]["fix"])


def stored(file):
    """Return how many revisions are in a store."""
    try:
        with sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True) as db:
            count = db.execute("SELECT count(*) FROM revision").fetchone()[0]
        db.close()
    except sqlite3.OperationalError:
        return 0
    return count
