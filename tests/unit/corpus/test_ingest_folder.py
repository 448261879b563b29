"""What a folder says of its files, and how far it reaches."""

from pathlib import Path

import pytest
from shelf import NOW, scope_of

from remit.contract.catalogue import Collection
from remit.corpus.control import Control
from remit.errors import InvalidInput, MissingPrerequisite

STAFF = scope_of("staff")
FRONT = "---\nlabels: [staff]\n---\n"


def errors(faults):
    """Return file name, field and error of each fault."""
    return [(Path(fault.file).name, fault.field, fault.error) for fault in faults]


def test_the_folders_own_control_file(desk):
    """Its rules fill what files leave out, its exclusions hold, its collections are declared; it is no document."""
    desk.write(
        "remit.toml",
        '[ingest]\nexclude = ["README.md", "*.jsonl"]\n[collections.hr]\ndiscoverable = true\n'
        '[[rules]]\npath = "hr/**"\ncollection = "hr"\nlabels = ["hr"]\n',
    )
    desk.write("README.md", "not a document")
    desk.write("q.jsonl", "{}")
    desk.write("hr/a.md", "One.")
    desk.write("hr/b.md", "---\nlabels: []\n---\nTwo.")
    desk.write(".git/config.md", "x")
    report = desk.ingest()
    assert ((), 2) == (report.rejected, report.revisions)
    assert 1 == len(desk.seen(scope_of("hr"))[0])
    assert (Collection(name="hr", discoverable=True),) == desk.corpus.catalogue().collections


def test_a_wrong_control_file_stops_everything(desk):
    """Rules may hold access data: where they cannot be read nothing is stored."""
    desk.write("remit.toml", '[[rules]]\npath = "**"\nlabels = "staff"\n')
    desk.write("a.md", FRONT + "One.")
    with pytest.raises(InvalidInput, match="want a list"):
        desk.ingest()
    assert 0 == desk.corpus.snapshot().number


def test_collections_of_several_folders_add_up(desk):
    """Declaring one collection keeps those that were declared before."""
    desk.write("remit.toml", "[collections.a]\n")
    desk.ingest()
    desk.write("remit.toml", "[collections.b]\ntitle = 'B'\n")
    desk.ingest()
    assert ["a", "b"] == [c.name for c in desk.corpus.catalogue().collections]


def test_a_control_file_holds_for_its_folder_wherever_the_ingest_begins(desk):
    """Its rules and exclusions hold below it, over those of the folders above, also where only its folder is named."""
    desk.write("remit.toml", '[[rules]]\npath = "**"\nlabels = ["staff"]\ncollection = "works"\n')
    desk.write("hr/remit.toml", '[ingest]\nexclude = ["drafts/**"]\n[[rules]]\npath = "*.md"\nlabels = ["hr"]\n')
    for name in ("a.md", "hr/b.md", "hr/pay/c.md", "hr/drafts/d.md", "drafts/e.md"):
        desk.write(name, f"{name} is open.")
    report = desk.ingest()
    assert ((), 4) == (report.rejected, report.revisions)
    stored = {name: desk.corpus.stored(name)[0] for name in ("a", "drafts/e", "hr/b", "hr/pay/c")}
    labels = {name: sorted(one.labels) for name, one in stored.items()}
    assert {"a": ["staff"], "drafts/e": ["staff"], "hr/b": ["hr"], "hr/pay/c": ["hr"]} == labels
    assert {"works"} == {one.collection for one in stored.values()}
    alone = desk.ingest(desk.folder / "hr")
    assert ((), 2) == (alone.rejected, alone.revisions)
    assert [["hr"], ["hr"]] == [sorted(desk.corpus.stored(name)[0].labels) for name in ("b", "pay/c")]


def test_an_inner_control_file_adds_collections_and_changes_none(desk):
    """Who may know of a collection is said further out: an inner folder only declares what is not declared there."""
    desk.write("remit.toml", "[collections.hr]\n")
    desk.write("sub/remit.toml", "[collections.hr]\ndiscoverable = true\n[collections.new]\n")
    desk.ingest()
    assert {"hr": False, "new": False} == {c.name: c.discoverable for c in desk.corpus.catalogue().collections}


def test_the_callers_control_holds_too(desk):
    """Settings exclude and set limits for folders without a control file."""
    desk.write("a.md", FRONT + "x" * 1_000_001)
    desk.write("b.md", FRONT + "One.")
    report = desk.ingest(control=Control(exclude=("b.md",), max_megabytes=1))
    assert (0, 1) == (report.revisions, len(report.rejected))


def test_links_do_not_lead_out(desk, tmp_path):
    """A link to a file outside the folder is not followed; a dangling one is told."""
    (tmp_path / "secret.md").write_text("Secret.")
    (desk.folder / "a.md").symlink_to(tmp_path / "secret.md")
    (desk.folder / "b.md").symlink_to(tmp_path / "nowhere.md")
    assert ["is a link that leads out of the folder", "is no regular file"] == [
        error.partition(":")[0] for _, _, error in errors(desk.ingest().rejected)
    ]


def test_a_linked_folder_is_told(desk, tmp_path):
    """A link to a folder is not entered; one that leads out is told, unless it is excluded."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "secret.md").write_text(FRONT + "Secret.")
    desk.write("real/a.md", FRONT + "One.")
    for name in ("out", "old"):
        (desk.folder / name).symlink_to(tmp_path / "elsewhere")
    (desk.folder / "again").symlink_to(desk.folder / "real")
    (desk.folder / "round").symlink_to(desk.folder)
    desk.write("remit.toml", '[ingest]\nexclude = ["old/**"]\n')
    report = desk.ingest()
    assert [("out", "is a link to a folder outside")] == [
        (name.rpartition("/")[2], error.partition(":")[0]) for name, _, error in errors(report.rejected)
    ]
    assert 1 == report.revisions


def test_what_stays_replaced_by_a_deleted_revision_is_told_each_time(desk):
    """Its file is as it was and so are the others, but it is not in force, so no "unchanged" hides that."""
    head = "---\nlabels: [staff]\ndocument: A\nrevision: "
    desk.write("a1.md", head + '"1"\n---\nOld.')
    desk.write("a2.md", head + '"2"\nsupersedes: [A@1]\n---\nNew.').touch()
    desk.ingest()
    (desk.folder / "a2.md").unlink()
    assert () == desk.ingest().warnings
    desk.corpus.delete("A", revision="2", now=NOW)
    for _ in range(2):
        report = desk.ingest()
        told = "A@1 stays replaced by A@2, which was deleted: to have its text in force again, give it a new `revision`"
        assert [("a1.md", "revision", told)] == errors(report.warnings)
    desk.write("a1.md", head + '"3"\n---\nOld.')
    assert () == desk.ingest().warnings
    assert ["A@3#0"] == desk.seen()[0]


def test_a_disk_that_fills_up_loses_nothing_and_says_what_is_there(desk):
    """What the run had stored before stays and is not denied; with room again, the same ingest goes on."""
    desk.write("a.md", FRONT + "One.")
    desk.write("b.md", FRONT + "Two words here.\n\n" * 30_000)
    desk.write("c.md", FRONT + "Three.")
    with desk.corpus.connections.writing() as connection:
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages + 60}").fetchone()
    with pytest.raises(MissingPrerequisite, match="what is stored already stays, this write is not in it"):
        desk.ingest()
    assert ["a@1#0"] == [id.partition("@")[0] + "@1#0" for id in desk.seen()[0]]
    with desk.corpus.connections.writing() as connection:
        connection.execute("PRAGMA max_page_count = 1000000").fetchone()
    report = desk.ingest()
    assert (2, 1, ()) == (report.revisions, report.unchanged, report.rejected)


def test_pages_with_styles_elsewhere_are_told_once(desk):
    """What such a sheet hides is kept, so it is said, of all pages in one line; unchanged ones are still not read again."""
    head = "<meta name='remit:labels' content='[staff]'>"
    for name in "abc":
        desk.write(f"{name}.html", f"<head>{head}<link rel=stylesheet href=x.css></head><p>Text {name}.")
    desk.write("d.html", f"<head>{head}<link rel=stylesheet media=print href=x.css></head><p>Text d.")
    told = "has a style sheet in another file, which is not read: what it hides is kept; so it is of 2 more"
    assert [("a.html", None, told)] == errors(desk.ingest().warnings)
    assert (4, ()) == ((again := desk.ingest()).unchanged, again.warnings)
