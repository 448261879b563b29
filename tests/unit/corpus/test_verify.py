"""Rows that are other valid rows than were written: told at once, found by a whole look, mended, and ingested again."""

import sqlite3
from datetime import date

import pytest
from shelf import NOW, filled, new, scope_of, seen

from remit.contract.catalogue import Catalogue, Collection
from remit.corpus.browse import Browser
from remit.corpus.mending import mend
from remit.corpus.sealing import vector_seal
from remit.corpus.sqlite import SqliteCorpus
from remit.corpus.verify import verify
from remit.errors import CorpusDamaged

STAFF = scope_of("staff")
FIRST = new("A", "1", "One. Two.\nThree.", labels={"staff"}, valid_from=date(2020, 1, 1))
SECOND = new("A", "2", "One. Four.", labels={"staff"}, valid_from=date(2024, 1, 1), supersedes=("A@1",))
OTHER = new("B", "1", "Five.", labels={"board"}, valid_from=None, status=None)


@pytest.fixture
def folder(tmp_path):
    """Return a store in which one revision replaces another, one is amended, and one was deleted."""
    with filled(tmp_path, FIRST, OTHER, new("C", "1", "Six.")) as corpus:
        corpus.put(SECOND, now=NOW)
        corpus.put(OTHER._replace(revision=OTHER.revision.model_copy(update={"title": "Other"})), now=NOW)
        corpus.delete("C", now=NOW)
        corpus.declare(Catalogue(collections=(Collection(name="books", discoverable=True),)))
    return tmp_path


def changed(folder, *statements):
    """Change rows as a flipped byte would: no constraint, no trigger stands in the way."""
    other = sqlite3.connect(folder / "store.db")
    for line in ("PRAGMA ignore_check_constraints = ON", *statements):
        other.execute(line)
    other.commit()
    other.close()


def flaws(folder):
    """Return what a whole look finds."""
    with SqliteCorpus.open(folder) as corpus:
        return [flaw.what for flaw in verify(corpus.connections).flaws]


A1 = "(SELECT key FROM revision WHERE document = 'A' AND revision = '1')"
HIDING = {
    "a label": "UPDATE label SET label = 'stafg' WHERE label = 'staff'",
    "a label that opens": "UPDATE label SET label = 'staff' WHERE label = 'board'",
    "a label of another revision": "UPDATE label SET metadata_key = metadata_key + 90 WHERE label = 'board'",
    "a date": f"UPDATE metadata SET valid_from = '2030-01-01' WHERE revision_key = {A1}",
    "a state": f"UPDATE metadata SET status = 'draft' WHERE revision_key = {A1}",
    "an authority": f"UPDATE metadata SET authority = 'authoritative' WHERE revision_key = {A1}",
    "a collection": "UPDATE metadata SET collection = 'bookt'",
    "a title": "UPDATE metadata SET title = 'B' WHERE title = 'A'",
    "what is replaced": "UPDATE supersession SET target = 'A@3'",
    "when it was said": "UPDATE metadata SET created_in = 900 WHERE title = 'Other'",
    "when it ended": "UPDATE metadata SET removed_in = 0 WHERE title = 'A'",
    "an old row that comes back": "UPDATE metadata SET removed_in = NULL",
    "a document's name": "UPDATE revision SET document = 'AA' WHERE document = 'A'",
    "a revision's name": "UPDATE revision SET revision = '3' WHERE revision = '2'",
    "the newest state": "DELETE FROM snapshot WHERE number = (SELECT max(number) FROM snapshot)",
    "the state's digest": "UPDATE snapshot SET digest = 'sha256:00'",
    "a part of the state": "UPDATE bucket SET digest = 'sha256:00'",
    "what is indexed": "DELETE FROM run",
    "whose run it is": "UPDATE run SET revision_key = 3 WHERE revision_key = 1",
}
HANDED = {
    "offsets": "UPDATE passage SET end_at = end_at - 1",
    "a section": """UPDATE passage SET section = '["Pars"]'""",
    "sentences": "UPDATE passage SET sentences = '[[0, 1]]'",
    "a kind": "UPDATE passage SET kind = 'table'",
    "an ordinal": "UPDATE passage SET ordinal = ordinal + 7",
    "another revision's passage": f"UPDATE passage SET revision_key = 2, ordinal = 5 WHERE revision_key = {A1} AND ordinal = 0",
    "a text": "UPDATE revision SET text = 'Two' WHERE document = 'A'",
    "a digest": "UPDATE revision SET digest = 'sha256:00'",
    "a passage that is gone": f"DELETE FROM passage WHERE revision_key = {A1} AND ordinal = 1",
}


@pytest.mark.parametrize("change", [*HIDING, *HANDED])
def test_another_valid_value_is_told(folder, change):
    """Whatever a byte makes of a row, its readers get an error with a way out, in the next process that reads."""
    changed(folder, "PRAGMA foreign_keys = OFF", {**HIDING, **HANDED}[change])
    with SqliteCorpus.open(folder) as corpus, pytest.raises(CorpusDamaged, match=r"remit|ingest it again"):
        seen(corpus, STAFF)
    assert flaws(folder)


@pytest.mark.parametrize("change", [*HIDING, *HANDED])
def test_mending_and_ingesting_again_gives_back_what_was_there(folder, change):
    """One command deletes what is damaged and makes anew what is derived; after the same puts all is as before."""
    with SqliteCorpus.open(folder) as corpus:
        before = seen(corpus, STAFF), seen(corpus, scope_of("board"))
    changed(folder, "PRAGMA foreign_keys = OFF", {**HIDING, **HANDED}[change])
    with SqliteCorpus.open(folder) as corpus:
        mend(corpus.connections, now=NOW)
        amended = OTHER._replace(revision=OTHER.revision.model_copy(update={"title": "Other"}))
        for one in (FIRST, SECOND, amended):
            corpus.put(one, now=NOW)
        assert before == (seen(corpus, STAFF), seen(corpus, scope_of("board")))
    assert [] == flaws(folder)


@pytest.mark.parametrize("change", ["a date", "a label", "offsets", "a text", "an old row that comes back"])
def test_a_damaged_revision_can_be_deleted_and_put_again(folder, change):
    """The way out that the error names works as it says."""
    with SqliteCorpus.open(folder) as corpus:
        before = seen(corpus, STAFF)
    changed(folder, {**HIDING, **HANDED}[change])
    with SqliteCorpus.open(folder) as corpus:
        assert corpus.delete("A", now=NOW) + corpus.delete("B", now=NOW) == 3
        for one in (FIRST, SECOND, OTHER):
            corpus.put(one, now=NOW)
        assert before == seen(corpus, STAFF)


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE vector SET scale = scale * 2",
        "UPDATE vector SET vector = zeroblob(length(vector))",
        "UPDATE vector SET sentence_vectors = zeroblob(length(sentence_vectors))",
        "UPDATE encoder SET dimension = 16",
    ],
)
def test_other_vectors_are_told(folder, change):
    """A vector that is another one is compared with nothing."""
    changed(folder, change)
    with SqliteCorpus.open(folder) as corpus, pytest.raises(CorpusDamaged):
        corpus.vectors(["A@2#0"], STAFF)
    assert flaws(folder)


def test_a_passage_looked_up_is_compared(folder):
    """The pages that show one passage read it as strictly as a search does."""
    changed(folder, "UPDATE passage SET start_at = 2, end_at = 3")
    with SqliteCorpus.open(folder) as corpus, pytest.raises(CorpusDamaged, match="A@2"):
        Browser(corpus).passage("A@2#0", STAFF)


def test_a_collection_that_was_declared_otherwise(folder):
    """Whether a collection may be known of is not left to a changed byte; mending drops what was said."""
    changed(folder, "UPDATE collection SET declared = replace(declared, 'true', 'null')")
    with SqliteCorpus.open(folder) as corpus:
        with pytest.raises(CorpusDamaged, match="collection books"):
            corpus.catalogue()
        mend(corpus.connections, now=NOW)
        assert not corpus.catalogue().find("books").discoverable


def test_damage_is_told_until_something_is_written(folder):
    """The error stays the same without a look at every row for each request; a mended record is read again."""
    changed(folder, HIDING["a date"])
    with SqliteCorpus.open(folder) as corpus, SqliteCorpus.open(folder) as other:
        for _ in range(2):
            with pytest.raises(CorpusDamaged, match="A@1"):
                corpus.sound()
        mend(other.connections, now=NOW)
        corpus.sound()
        assert [] == [id for id in seen(corpus, STAFF)[0] if id.startswith("A@1")]


def test_writes_of_other_processes_are_looked_through(folder):
    """A reader that stays open looks through what is written after its first look, and only that."""
    with SqliteCorpus.open(folder) as corpus, SqliteCorpus.open(folder) as other:
        corpus.sound()
        other.put(new("E"), now=NOW)
        changed(folder, "UPDATE label SET label = 'stafg' WHERE metadata_key = (SELECT max(key) FROM metadata)")
        with pytest.raises(CorpusDamaged, match="E@1"):
            corpus.sound()


def test_a_sound_record_has_no_flaws(folder):
    """Nothing is found where nothing is wrong, and mending it changes nothing."""
    with SqliteCorpus.open(folder) as corpus:
        before = corpus.snapshot()
        found = verify(corpus.connections)
        assert (3, 4, ()) == (found.revisions, found.passages, found.flaws)
        assert ((), ()) == mend(corpus.connections, now=NOW)
        assert before == corpus.snapshot()


def test_tables_that_are_not_ours_any_more(folder):
    """A trigger or an index that a byte has changed is found, although SQLite itself is content."""
    changed(folder, "DROP TRIGGER run_ends", "DROP INDEX label_by_label")
    assert [
        "the database: label_by_label is not made as it was",
        "the database: run_ends is not made as it was",
    ] == flaws(folder)


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE metadata SET title = CAST(x'41ff' AS TEXT) WHERE title = 'A'",
        "UPDATE label SET label = CAST(x'ff' AS TEXT) WHERE label = 'staff'",
        "UPDATE supersession SET target = CAST(x'41ff' AS TEXT)",
        "UPDATE passage SET sentences = CAST(x'ff' AS TEXT)",
        "UPDATE run SET title = CAST(x'ff' AS TEXT)",
        "INSERT INTO segment VALUES (CAST(x'ff' AS TEXT), 1)",
    ],
)
def test_what_is_no_text_any_more_is_found_and_mended(folder, change):
    """Bytes that are no UTF-8 stop neither the whole look nor mending."""
    with SqliteCorpus.open(folder) as corpus:
        before = seen(corpus, STAFF)
    changed(folder, change)
    assert flaws(folder)
    with SqliteCorpus.open(folder) as corpus:
        mend(corpus.connections, now=NOW)
        for one in (FIRST, SECOND, OTHER):
            corpus.put(one, now=NOW)
        assert before == seen(corpus, STAFF)
    assert [] == flaws(folder)


@pytest.mark.parametrize("column", [1, 3, 4])
def test_a_vector_that_became_text_has_no_sum(column):
    """What has become of another kind is not what was written, and no error of Python's."""
    row = [7, b"\1\2", 0.5, b"\3", b"\4", 0]
    row[column] = "text"
    assert vector_seal(row) < 0
