"""A store of an older Remit: opened, brought up to date once, with all its rows, the same results and sums for each."""

import sqlite3
from contextlib import closing

import pytest
from flipping import PUBLIC, READERS, made, seen
from older import older
from shelf import NOW, filled, new

from remit.corpus.copying import TABLES
from remit.corpus.schema import MIGRATIONS
from remit.corpus.sqlite import SqliteCorpus
from remit.corpus.verify import verify
from remit.errors import CorpusDamaged, MissingPrerequisite
from remit.record.backup import backup, restore

OLDER = range(1, len(MIGRATIONS))


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """Return a store of today."""
    folder = tmp_path_factory.mktemp("migrations") / "store"
    made(folder)
    return folder


def rows(folder):
    """Return how many rows each table of the record holds."""
    with closing(sqlite3.connect(folder / "store.db")) as db:
        return {table: db.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in TABLES}


@pytest.mark.parametrize("version", OLDER)
def test_an_older_store_is_brought_up_to_date(store, tmp_path, version):
    """Every row is kept, every reader sees the same to the last bit, and each row has a sum."""
    older(store, tmp_path / "old", version)
    assert seen(store) == seen(tmp_path / "old")
    assert rows(store) == rows(tmp_path / "old")
    with SqliteCorpus.open(tmp_path / "old") as corpus:
        assert () == verify(corpus.connections).flaws
        assert "new" == corpus.put(new("Z"), now=NOW).effect
        assert () == verify(corpus.connections).flaws


@pytest.mark.parametrize("version", OLDER)
def test_a_backup_of_an_older_store_is_restored(store, tmp_path, version):
    """A copy that an older Remit has left is a store again, with the same results."""
    older(store, tmp_path / "old", version)
    backup(tmp_path / "old", tmp_path / "backup", now=NOW)
    restore(tmp_path / "backup", tmp_path / "again")
    assert seen(store) == seen(tmp_path / "again")


def test_a_backup_of_a_newer_store_is_refused(store, tmp_path):
    """Restoring makes nothing of what this Remit does not know."""
    older(store, tmp_path / "newer", len(MIGRATIONS))
    with closing(sqlite3.connect(tmp_path / "newer" / "store.db")) as db:
        db.execute("INSERT INTO migration VALUES (?)", (len(MIGRATIONS) + 1,))
        db.commit()
    with pytest.raises(MissingPrerequisite, match="install a newer Remit"):
        backup(tmp_path / "newer", tmp_path / "backup", now=NOW)
    assert not (tmp_path / "backup").exists()


def test_what_was_damaged_before_is_not_sealed(store, tmp_path):
    """A row of an older store that is not what its state says gets no sum: it is told, never taken for what was written."""
    older(store, tmp_path / "old", 4)
    with closing(sqlite3.connect(tmp_path / "old" / "store.db")) as db:
        db.execute("UPDATE metadata SET valid_from = '2031-01-01' WHERE key = 3")
        db.commit()
    with SqliteCorpus.open(tmp_path / "old") as corpus, pytest.raises(CorpusDamaged, match="not what was written"):
        corpus.sound()


def test_readers_and_days_of_the_fixture_differ(store):
    """The comparisons above are about something: three readers see different rows, and other days other rows."""
    found = seen(store)
    now, then = ([len(found[f"{who} rows"][at].rows) for who in (*READERS, *PUBLIC)] for at in (0, 1))
    assert 3 == len(set(now)) == len(set(then))
    assert now != then


def test_a_fresh_store_is_at_the_newest_schema(tmp_path):
    """A new store needs no migration: each of its rows has its sum as it is written."""
    with filled(tmp_path, new("A"), new("B")) as corpus:
        assert () == verify(corpus.connections).flaws
