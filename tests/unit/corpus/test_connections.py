"""Opening a store: what is no store, what is another's, what is newer, what several processes do at once."""

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from shelf import NOW, filled, new, scope_of, seen

from remit.corpus import connections
from remit.corpus.connections import named_errors
from remit.corpus.schema import APPLICATION_ID, MIGRATIONS
from remit.corpus.sqlite import SqliteCorpus
from remit.errors import CorpusDamaged, InvalidInput, MissingPrerequisite, NothingThere, ProviderBusy

MATERIAL = Path(__file__).resolve().parents[2] / "material"


def test_reading_never_makes_a_store(tmp_path):
    """Opening what is not there says so and leaves nothing behind."""
    with pytest.raises(NothingThere, match="make one with `remit ingest"):
        SqliteCorpus.open(tmp_path / "nowhere")
    assert [] == list(tmp_path.iterdir())
    with pytest.raises(NothingThere):
        SqliteCorpus.open(tmp_path)
    assert [] == list(tmp_path.iterdir())


def test_what_is_stored_is_for_its_owner_whatever_the_folder_is(tmp_path):
    """In a folder that others may look into, record, log and segments stay closed to them."""
    folder = tmp_path / "open"
    folder.mkdir(mode=0o755)
    with filled(folder, new(), new("MM-1")):
        made = {path.name: path.stat().st_mode & 0o077 for path in folder.iterdir()}
    assert "store.db" in made
    assert {0} == set(made.values())


def test_a_file_is_no_store(tmp_path):
    """A store is a folder."""
    (tmp_path / "file").write_text("hello")
    with pytest.raises(InvalidInput, match="is a file; a store is a folder"):
        SqliteCorpus.open(tmp_path / "file", create=True)


@pytest.mark.parametrize("create", [False, True])
def test_another_programs_database_is_left_alone(tmp_path, create):
    """A SQLite file that is not ours is refused and not touched."""
    other = sqlite3.connect(tmp_path / "store.db")
    other.execute("CREATE TABLE theirs (x)")
    other.close()
    before = (tmp_path / "store.db").read_bytes()
    with pytest.raises(InvalidInput, match="another program's database"):
        SqliteCorpus.open(tmp_path, create=create)
    assert before == (tmp_path / "store.db").read_bytes()


@pytest.mark.parametrize(
    "content", [b"no database at all, however long it may be" * 50, b"SQLite format 3\0" + b"\xff" * 4000]
)
def test_bytes_that_are_no_database(tmp_path, content):
    """Foreign or broken bytes are told as damage, with a way out."""
    (tmp_path / "store.db").write_bytes(content)
    with pytest.raises(CorpusDamaged, match="restore it from a backup"):
        SqliteCorpus.open(tmp_path)


def test_a_truncated_store_is_damaged(tmp_path):
    """A store cut in half gives an error, not half its rows."""
    filled(tmp_path, *(new(f"D{n}", text="\n".join(f"Line {n} {m}." for m in range(50))) for n in range(20))).close()
    content = (tmp_path / "store.db").read_bytes()
    (tmp_path / "store.db").write_bytes(content[: len(content) // 2])
    with pytest.raises(CorpusDamaged):
        everything(tmp_path)


def everything(folder):
    """Read all that a store holds."""
    with SqliteCorpus.open(folder) as corpus:
        corpus.matrix([f"D{n}@1#0" for n in range(20)], scope_of("staff"))
        return seen(corpus, scope_of("staff"))


def test_a_store_that_was_never_finished(tmp_path):
    """A kill before the first commit leaves a file without tables: no store when asked, made whole by the next ingest."""
    (tmp_path / "store.db").touch()
    with pytest.raises(NothingThere, match=r"holds nothing \(0 bytes\).*restore a backup"):
        SqliteCorpus.open(tmp_path)
    SqliteCorpus.open(tmp_path, create=True).close()
    SqliteCorpus.open(tmp_path).close()


def test_a_newer_schema_is_refused(tmp_path):
    """An older Remit does not guess what a newer one wrote."""
    filled(tmp_path).close()
    raw = sqlite3.connect(tmp_path / "store.db")
    raw.execute("INSERT INTO migration VALUES (?)", (len(MIGRATIONS) + 1,))
    raw.commit()
    raw.close()
    with pytest.raises(MissingPrerequisite, match="install a newer Remit"):
        SqliteCorpus.open(tmp_path)


def test_migrations_are_recorded_and_applied_once(tmp_path):
    """Opening twice applies nothing twice; the file carries our mark, WAL, and strict tables."""
    for _ in range(2):
        SqliteCorpus.open(tmp_path, create=True).close()
    raw = sqlite3.connect(tmp_path / "store.db")
    assert [(n,) for n in range(1, len(MIGRATIONS) + 1)] == raw.execute("SELECT version FROM migration").fetchall()
    assert (APPLICATION_ID,) == raw.execute("PRAGMA application_id").fetchone()
    assert ("wal",) == raw.execute("PRAGMA journal_mode").fetchone()
    tables = "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite%'"
    assert [] == raw.execute(f"{tables} AND strict = 0").fetchall()
    raw.close()


def test_a_failed_write_leaves_nothing(tmp_path):
    """An error inside a write takes back all of it, and the store goes on working."""
    with filled(tmp_path) as corpus:

        def fail():
            with corpus.connections.writing() as connection:
                connection.execute("INSERT INTO collection VALUES ('half', '{}', 0)")
                raise KeyError("half-way")

        with pytest.raises(KeyError):
            fail()
        assert () == corpus.catalogue().collections
        assert "new" == corpus.put(new(), now=NOW).effect


def test_waiting_for_another_writer_ends(tmp_path, monkeypatch):
    """A writer that never finishes is named after the wait, and nothing is written."""
    monkeypatch.setattr(connections, "BUSY_SECONDS", 0.1)
    with filled(tmp_path) as one, SqliteCorpus.open(tmp_path) as other:
        with one.connections.writing(), pytest.raises(ProviderBusy, match="try again"):
            other.put(new(), now=NOW)
        assert () == one.stored("D")


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("SQLITE_FULL", MissingPrerequisite),
        ("SQLITE_READONLY_DIRECTORY", MissingPrerequisite),
        ("SQLITE_CANTOPEN", MissingPrerequisite),
        ("SQLITE_IOERR_WRITE", MissingPrerequisite),
        ("SQLITE_CORRUPT", CorpusDamaged),
        ("SQLITE_BUSY_SNAPSHOT", ProviderBusy),
    ],
)
def test_errors_of_the_disk_say_what_to_do(tmp_path, code, kind):
    """Full disk, read-only folder and damage each become an error of ours."""
    error = sqlite3.OperationalError("it did not work")
    error.sqlite_errorname = code
    with pytest.raises(kind), named_errors(tmp_path / "store.db"):
        raise error


def test_four_processes_make_one_store_and_put_the_same_keys(tmp_path):
    """Four writers that start at once and put the same three revisions leave three."""
    work = f"""
import sys; sys.path.insert(0, {str(MATERIAL)!r})
from pathlib import Path
from shelf import filled, new
filled(Path({str(tmp_path / "store")!r}), *(new(f"D{{n}}", text=f"Text {{n}}.") for n in (1, 2, 3))).close()
"""
    writers = [subprocess.Popen([sys.executable, "-c", work]) for _ in range(4)]
    assert [0, 0, 0, 0] == [writer.wait(timeout=120) for writer in writers]
    with SqliteCorpus.open(tmp_path / "store") as corpus:
        assert [1, 1, 1] == [len(corpus.stored(f"D{n}")) for n in (1, 2, 3)]
        assert 3 == corpus.snapshot().number


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE revision SET text = CAST(x'ff41' AS TEXT)",
        "UPDATE revision SET text = text || 'x'",
        "UPDATE passage SET section = '[x'",
        "UPDATE passage SET sentences = '[[0,'",
        "UPDATE metadata SET valid_from = '2026-13-01'",
        "UPDATE metadata SET status = 'curxent'",
        "UPDATE metadata SET applies_to = CAST(x'5b80' AS TEXT)",
    ],
)
def test_what_a_changed_byte_makes_of_a_row_is_told(tmp_path, change):
    """A stored text, list, date or word that can no longer be read is damage, told as such, whoever reads it."""
    with filled(tmp_path, new("A", labels={"staff"}, text="One. Two.")) as corpus:
        other = sqlite3.connect(tmp_path / "store.db")
        for line in ("PRAGMA ignore_check_constraints = ON", change):
            other.execute(line)
        other.commit()
        other.close()
        with pytest.raises(CorpusDamaged):
            seen(corpus, scope_of("staff"))
