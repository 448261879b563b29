"""Files into the corpus."""

from datetime import timedelta
from pathlib import Path

import pytest
from shelf import NOW, TODAY, scope_of

from remit.corpus.ingest import ingest
from remit.corpus.stated import stated
from remit.errors import MissingPrerequisite

STAFF = scope_of("staff")
FRONT = "---\nlabels: [staff]\n---\n"


def errors(faults):
    """Return file name, field and error of each fault."""
    return [(Path(fault.file).name, fault.field, fault.error) for fault in faults]


def test_a_folder_becomes_documents(desk):
    """Ids are paths without suffix, titles come from the first heading, the report counts what was stored."""
    desk.write("a.md", FRONT + "# Pump\n\nOne. Two.\n\n## Seal\n\nThree.")
    desk.write("sub/b.txt", "Four.")
    desk.write("sub/b.txt.meta.yaml", "labels: [staff]\ncollection: books")
    report = desk.ingest()
    assert (2, 2, 3, 0, (), ()) == (
        report.documents,
        report.revisions,
        report.passages,
        report.unchanged,
        report.rejected,
        report.warnings,
    )
    assert report.snapshot == desk.corpus.snapshot()
    [a], [b] = desk.corpus.stored("a"), desk.corpus.stored("sub/b")
    assert ("Pump", "default", "a.md", a.digest[7:19]) == (a.title, a.collection, a.source, a.revision)
    assert ("b", "books") == (b.title, b.collection)


def test_each_file_is_told_once_it_is_stored(desk):
    """Steps count up to the total, name file, revision and effect."""
    desk.write("a.md", "---\nrevision: 1\nlabels: [staff]\n---\nOne.")
    desk.write("b.md", "---\nlabels: staff\n---\nTwo.")
    desk.ingest()
    assert [(1, 2, "a@1", "new"), (2, 2, None, "rejected")] == [
        (s.done, s.total, s.revision, s.effect) for s in desk.steps
    ]


def test_passages_are_encoded_with_their_headings_and_sentences_alone(desk):
    """The title is not repeated where the first heading is the same; wrapped lines are joined for sentences."""
    desk.write("a.md", FRONT + "# Pump\n\n## Seal\n\nOne\nline. Two.\n\n## Oil\n\nTwo.")
    desk.ingest()
    assert ["Pump > Seal\nOne\nline. Two.", "Pump > Oil\nTwo.", "One line.", "Two."] == desk.embed.texts


def test_the_same_folder_again_changes_and_encodes_nothing(desk):
    """Three times the same folder: one snapshot, and no work for the encoder."""
    desk.write("a.md", FRONT + "One.")
    desk.write("b.md", FRONT + "Two.")
    before = desk.ingest().snapshot
    desk.embed.texts.clear()
    for later in (1, 2):
        report = desk.ingest(now=NOW + timedelta(days=later))
        assert (2, 0, 0, 2, before) == (
            report.documents,
            report.revisions,
            report.passages,
            report.unchanged,
            report.snapshot,
        )
    assert [] == desk.embed.texts


def test_bad_files_are_told_and_good_ones_stored(desk):
    """One wrong file keeps none of the others out and leaves nothing of itself."""
    desk.write("a.md", FRONT + "One.")
    desk.write("b.md", "---\nlabels: ['*']\n---\nSecret.")
    desk.write("c.pdf", "x")
    desk.write("d.csv.meta.yaml", "labels: [staff]")
    (desk.folder / "e.md").write_bytes(b"\xff")
    report = desk.ingest()
    assert 1 == report.revisions
    assert ["b.md", "c.pdf", "d.csv.meta.yaml", "e.md"] == sorted(Path(f.file).name for f in report.rejected)
    assert () == desk.corpus.stored("b")


def test_nothing_at_a_path(desk):
    """A path that is not there is rejected; the others are read."""
    desk.write("a.md", FRONT + "One.")
    report = desk.ingest(desk.folder / "nowhere", desk.folder)
    assert [("nowhere", None, "no such file or folder: check the path")] == errors(report.rejected)
    assert 1 == report.revisions


def test_a_single_file_may_be_named(desk):
    """A file is read by itself, and only once when named twice."""
    path = desk.write("sub/a.md", FRONT + "One.")
    report = desk.ingest(path, desk.folder)
    assert (1, 1) == (report.revisions, len(desk.steps))
    assert 1 == len(desk.corpus.stored("a"))


def test_arguments_fill_what_is_left_out(desk):
    """Labels, collection and status given with the ingest hold where neither file nor rule says so."""
    desk.write("a.md", "One.")
    desk.write("b.md", "---\nlabels: [hr]\nstatus: current\n---\nTwo.")
    desk.ingest(fill=stated(labels=["staff"], collection="c", status="draft"))
    [a], [b] = desk.corpus.stored("a"), desk.corpus.stored("b")
    assert ({"staff"}, "c", "draft") == (a.labels, a.collection, a.status)
    assert ({"hr"}, "c", "current") == (b.labels, b.collection, b.status)


def test_no_labels_is_a_warning_and_nobody_reads_it(desk):
    """A file that says nothing about labels is stored, read by nobody, and told."""
    desk.write("a.md", "One.")
    report = desk.ingest()
    assert [("a.md", "labels")] == [found[:2] for found in errors(report.warnings)]
    assert ([], {}) == desk.seen(scope_of("staff", "public"))


def test_a_changed_file_without_revision_replaces_itself(desk):
    """Each text is a revision named after it; the newest one holds from the day it was seen; an undone edit is new."""
    for day, text in enumerate(["One.", "Two.", "One.", "Three."]):
        desk.write("a.md", FRONT + text)
        desk.ingest(now=NOW + timedelta(days=day))
        desk.ingest(now=NOW + timedelta(days=day))
    revisions = desk.corpus.stored("a")
    first, second = revisions[0].revision, revisions[1].revision
    assert [first, second, f"{first}-2"] == [r.revision for r in revisions[:3]]
    assert 4 == len(revisions)
    texts = {r.id: desk.corpus.text(r.id, STAFF) for r in revisions}
    visible = [texts[id.partition("#")[0]] for day in range(4) for id in desk.seen(at=TODAY + timedelta(days=day))[0]]
    assert ["One.", "Two.", "One.", "Three."] == visible


def test_metadata_alone_amends(desk):
    """New labels on the same text change who may read it, without encoding anything."""
    desk.write("a.md", "---\nrevision: 1\nlabels: [staff, guests]\n---\nOne.")
    desk.ingest()
    desk.embed.texts.clear()
    desk.write("a.md", "---\nrevision: 1\nlabels: [staff]\n---\nOne.")
    report = desk.ingest()
    assert (1, 0, "amended") == (report.revisions, report.passages, desk.steps[0].effect)
    assert [] == desk.embed.texts
    assert ([], {}) == desk.seen(scope_of("guests"))
    desk.write("a.md", "---\nrevision: 1\nlabels: [staff]\ntitle: New\n---\nOne.")
    desk.ingest()
    assert ["New\nOne.", "One."] == desk.embed.texts


def test_the_same_revision_with_other_text_is_rejected(desk):
    """A text that changed under a named revision is told, with the way out; the stored one stays."""
    desk.write("a.md", "---\nrevision: 1\nlabels: [staff]\n---\nOne.")
    before = desk.ingest().snapshot
    desk.write("a.md", "---\nrevision: 1\nlabels: [staff]\n---\nTwo.")
    report = desk.ingest()
    assert [("a.md", "revision", "revision 1 of a is already there with other text: give it a new revision")] == errors(
        report.rejected
    )
    assert before == report.snapshot


def test_two_files_for_one_document(desk):
    """The second of two files that make the same document, or the same revision of it, is rejected."""
    desk.write("a.md", FRONT + "One.")
    desk.write("a.txt", "Two.")
    desk.write("b.md", "---\ndocument: x\nrevision: 1\n---\nOne.")
    desk.write("c.md", "---\ndocument: x\nrevision: 1\n---\nTwo.")
    desk.write("d.md", "---\ndocument: x\nrevision: 2\n---\nThree.")
    report = desk.ingest()
    assert ["a.txt", "c.md"] == [name for name, _, error in errors(report.rejected) if "already given by" in error]
    assert 3 == report.revisions


def test_superseding(desk):
    """A revision replaces those it names, of other documents too; a name that is nowhere is a warning."""
    desk.write("a.md", "---\ndocument: A\nrevision: 1\nlabels: [staff]\nvalid_from: 2025-01-01\n---\nOne.")
    desk.write("b.md", '---\ndocument: B\nrevision: 1\nlabels: [hr]\nsupersedes: ["A@1", "Z@9"]\n---\nTwo.')
    report = desk.ingest()
    assert [("b.md", "supersedes", "Z@9 is not in the store: check the name")] == errors(report.warnings)
    assert ([], {"A@1#0": "superseded"}) == desk.seen()


def test_doubts_are_told(desk):
    """A superseded revision that is valid for long, and a named revision beside an automatic one, are warnings."""
    desk.write("a.md", FRONT + "One.")
    desk.ingest()
    desk.write("a.md", "---\nrevision: 2\nlabels: [staff]\nstatus: superseded\nvalid_to: 2099-01-01\n---\nTwo.")
    assert ["status", "revision"] == [field for _, field, _ in errors(desk.ingest().warnings)]


@pytest.mark.parametrize(
    ("text", "field", "error"),
    [
        ("---\nrevision: 1\nsupersedes: ['a@1']\n---\nOne.", "supersedes", "supersedes itself"),
        ("# Only\n\n## headings", None, "no text under them"),
    ],
)
def test_revisions_that_make_no_sense(desk, text, field, error):
    """A revision that replaces itself, or has headings alone, is rejected."""
    desk.write("a.md", text)
    [found] = errors(desk.ingest().rejected)
    assert ("a.md", field) == found[:2]
    assert error in found[2]


def test_dates_of_file_and_rule_together(desk):
    """A start from a rule and an end from the file are checked as a pair."""
    desk.write("remit.toml", '[[rules]]\npath = "**"\nvalid_from = 2026-07-01\n')
    desk.write("a.md", "---\nvalid_to: 2026-01-01\n---\nOne.")
    assert [("a.md", "valid_to", "2026-01-01 is before valid_from 2026-07-01")] == errors(desk.ingest().rejected)


def test_ids_from_odd_paths(desk):
    """What has a meaning in ids is replaced; a name that makes no id is told."""
    desk.write("a@b#c.md", FRONT + "One.")
    desk.write("tab\there.md", FRONT + "Two.")
    report = desk.ingest()
    assert 1 == len(desk.corpus.stored("a-b-c"))
    assert ["document"] == [fault.field for fault in report.rejected]


def test_a_dry_run_stores_nothing(desk):
    """It reports what would be stored, encodes nothing, and needs no store."""
    desk.write("a.md", FRONT + "One.")
    desk.write("b.md", "---\nlabels: x\n---\n")
    for corpus in (desk.corpus, None):
        report = ingest([desk.folder], corpus, desk.embed, now=NOW, dry_run=True)
        assert (True, 1, 1, 1) == (report.dry_run, report.revisions, report.passages, len(report.rejected))
    assert ([], 0) == (desk.embed.texts, desk.corpus.snapshot().number)
    desk.ingest()
    assert 1 == ingest([desk.folder], desk.corpus, desk.embed, now=NOW, dry_run=True).unchanged


def test_another_encoder_is_refused(desk):
    """A store keeps to the encoder it began with."""
    desk.write("a.md", FRONT + "One.")
    desk.ingest()
    desk.embed.name = "hashing/2"
    with pytest.raises(MissingPrerequisite, match="was encoded by hashing/1"):
        desk.ingest()


def test_a_line_that_no_store_can_hold_is_told_with_its_number(desk):
    """Half a surrogate pair has no UTF-8: that line is rejected, by its number, and the next one is stored."""
    desk.write("a.jsonl", '{"document": "A", "text": "a \\ud800 b"}\n{"document": "B", "text": "b"}\n')
    report = desk.ingest(fill=stated(labels=["staff"]))
    assert ([1], 1) == ([fault.line for fault in report.rejected], report.documents)
