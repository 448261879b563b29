"""Ingests that go on where another one stopped, and files that are not read again."""

import json
import os
from datetime import UTC, datetime, timedelta

import pytest
from hashing import HashingEmbed
from shelf import scope_of, seen

from remit.corpus import ingest as module
from remit.corpus.ingest import ingest
from remit.corpus.sqlite import SqliteCorpus
from remit.corpus.stated import stated

FRONT = "---\nlabels: [staff]\n---\n"


class Desk:
    """A folder with some files, a store, and a clock that is far enough ahead for the files to have settled."""

    def __init__(self, folder):
        self.folder = folder / "docs"
        self.folder.mkdir()
        self.corpus = SqliteCorpus.open(folder / "store", create=True)
        self.now = datetime.now(UTC) + timedelta(minutes=1)
        self.steps = []

    def write(self, name, text):
        (self.folder / name).write_text(text, encoding="utf-8")

    def ingest(self, step=None, **given):
        self.steps.clear()
        return ingest([self.folder], self.corpus, HashingEmbed(), now=self.now, step=step or self.steps.append, **given)


@pytest.fixture
def desk(tmp_path):
    """Return a desk with three files."""
    desk = Desk(tmp_path)
    for name in "abc":
        desk.write(f"{name}.md", f"{FRONT}# {name}\n\nWords of {name}.")
    yield desk
    desk.corpus.close()


@pytest.fixture
def reads(monkeypatch):
    """Return the names of the files that are read from here on."""
    names = []
    given = module.reading

    def noting(sources, fill, workers):
        names.extend(source.path.name for source in sources)
        return given(sources, fill, workers)

    monkeypatch.setattr(module, "reading", noting)
    return names


def test_unchanged_files_are_not_read_again(desk, reads):
    """The same folder again: the same counts, one snapshot, and no file is opened."""
    first = desk.ingest()
    assert ["a.md", "b.md", "c.md"] == reads
    reads.clear()
    again = desk.ingest()
    assert ([], 3, 3, 0, first.snapshot) == (
        reads,
        again.documents,
        again.unchanged,
        again.revisions,
        again.snapshot,
    )
    assert ["unchanged"] * 3 == [step.effect for step in desk.steps]


def test_a_changed_file_is_read(desk, reads):
    """Another content, of the same size and with its old time put back, is seen."""
    desk.ingest()
    path = desk.folder / "b.md"
    times = (path.stat().st_atime_ns, path.stat().st_mtime_ns)
    desk.write("b.md", f"{FRONT}# b\n\nWords of B.")
    os.utime(path, ns=times)
    reads.clear()
    assert (1, 2) == ((report := desk.ingest()).revisions, report.unchanged)
    assert ["b.md"] == reads


def test_the_same_content_at_another_time_is_not_parsed(desk, reads):
    """A file that was only touched is known by its content."""
    desk.ingest()
    os.utime(desk.folder / "a.md", ns=(0, 0))
    reads.clear()
    assert 3 == desk.ingest().unchanged
    assert [] == reads


def test_a_file_that_changed_a_moment_ago_is_compared_by_content(desk, reads):
    """Size and time could hide a change in the same tick, so they are not trusted yet."""
    desk.now = datetime.now(UTC)
    desk.ingest()
    reads.clear()
    assert 3 == desk.ingest().unchanged
    assert [] == reads
    desk.write("a.md", f"{FRONT}# a\n\nWords of A.")
    assert 1 == desk.ingest().revisions


def test_other_rules_and_sidecars_read_files_again(desk, reads):
    """What fills a file's gaps is part of what it was."""
    desk.write("d.txt", "Words of d.")
    desk.ingest(fill=stated(labels=["staff"]))
    reads.clear()
    desk.ingest(fill=stated(labels=["hr"]))
    assert ["a.md", "b.md", "c.md", "d.txt"] == reads
    assert {"hr"} == desk.corpus.stored("d")[-1].labels
    reads.clear()
    desk.write("d.txt.meta.yaml", "labels: [guests]")
    desk.ingest(fill=stated(labels=["hr"]))
    assert (["d.txt"], {"guests"}) == (reads, desk.corpus.stored("d")[-1].labels)


def test_what_was_deleted_is_read_again(desk, reads):
    """A file whose revision is no longer as it was written is read, as ever."""
    desk.ingest()
    desk.corpus.delete("a", now=desk.now)
    reads.clear()
    assert 1 == desk.ingest().revisions
    assert ["a.md"] == reads


def test_doubts_are_told_each_time(desk, reads):
    """A file with a warning is read again, so that the warning is not lost."""
    desk.write("a.md", "# a\n\nNo labels.")
    assert 1 == len(desk.ingest().warnings)
    reads.clear()
    assert 1 == len(desk.ingest().warnings)
    assert ["a.md"] == reads


def test_a_missing_target_is_told_each_time(desk):
    """`supersedes` of a skipped file is still looked for."""
    desk.write("a.md", '---\nlabels: [staff]\nrevision: 1\nsupersedes: ["Z@1"]\n---\nWords.')
    assert ["supersedes"] == [w.field for w in desk.ingest().warnings]
    assert ["supersedes"] == [w.field for w in desk.ingest().warnings]


def test_an_interrupted_ingest_goes_on(desk, reads):
    """Ctrl-C after two files: both are stored, the job is open, and the next run reads only the third."""

    def stop(step):
        if step.done == 2:
            raise KeyboardInterrupt

    desk.corpus.ledger.begin(["elsewhere"], 9, desk.now)
    with pytest.raises(KeyboardInterrupt):
        desk.ingest(step=stop)
    [_, job] = desk.corpus.ledger.unfinished()
    assert ((str(desk.folder.resolve()),), 1, 3) == (job.paths, job.done, job.total)
    assert 2 == len(seen(desk.corpus, scope_of("staff"))[0])
    reads.clear()
    report = desk.ingest()
    assert (1, 2) == (report.revisions, report.unchanged)
    assert "a.md" not in reads
    assert ["elsewhere"] == [one.paths[0] for one in desk.corpus.ledger.unfinished()]


def test_the_order_of_writes_is_that_of_the_files(desk):
    """However many processes read, revisions are stored in the order of their paths."""
    for number in range(60):
        desk.write(f"n{number:02}.md", f"{FRONT}# {number}\n\n" + "Words. " * (60 - number) * 20)
    desk.ingest()
    assert [f"n{n:02}.md" for n in range(60)] == [s.file.rpartition("/")[2] for s in desk.steps][3:]
    assert [n + 1 for n in range(63)] == [s.done for s in desk.steps]


def test_jsonl_lines_become_documents(desk, reads):
    """Lines are stored one by one, wrong ones told with their line, and a good file is not read again."""
    rows = [{"document": f"J{n}", "labels": ["staff"], "text": f"Line {n}."} for n in range(3)]
    desk.write("j.jsonl", "\n".join(map(json.dumps, rows)))
    report = desk.ingest()
    assert (6, 6) == (report.documents, report.revisions)
    assert [4, 4, 4] == [s.done for s in desk.steps if s.file.endswith("jsonl")]
    reads.clear()
    assert (6, []) == (desk.ingest().unchanged, reads)
    desk.write("j.jsonl", "\n".join(map(json.dumps, [*rows, {"document": "a", "text": "x"}, {"text": "y"}])))
    rejected = desk.ingest().rejected
    assert [(4, "document"), (5, "document")] == [(f.line, f.field) for f in rejected]


def test_a_reader_that_dies_rejects_its_file_only(desk, monkeypatch):
    """A file on which its process breaks off is told; those before and after it are stored."""
    monkeypatch.setattr("remit.corpus.reading.SECONDS_A_FILE", 0.0)
    desk.write("b.html", "<p>x")
    report = desk.ingest()
    assert ["took more than 0 s to read: simplify or divide it"] * 4 == [f.error for f in report.rejected]
    monkeypatch.setattr("remit.corpus.reading.SECONDS_A_FILE", 60.0)
    assert 4 == desk.ingest(fill=stated(labels=["staff"])).documents + 1  # b.md and b.html are one document
