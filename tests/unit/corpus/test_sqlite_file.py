"""The file of the record: what is gone is gone from it, what was changed in it is noticed, all is in it."""

import sqlite3

import pytest
from shelf import NOW, filled, new, scope_of, seen

from remit.corpus.sqlite import SqliteCorpus
from remit.errors import CorpusDamaged

STAFF = scope_of("staff")


def test_deleted_text_is_erased_from_the_files(tmp_path):
    """Not a byte of a deleted text is left in the store's folder."""
    with filled(tmp_path, new(text="unmistakable secret", title="unmistakable title")) as corpus:
        corpus.delete("D", now=NOW)
        left = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"unmistakable" not in left


def test_changed_bytes_are_noticed(tmp_path):
    """A text that is not what was written is an error, never an answer."""
    with filled(tmp_path, new()) as corpus:
        raw = sqlite3.connect(tmp_path / "store.db")
        raw.execute("UPDATE revision SET text = 'Two lines'")
        raw.commit()
        raw.close()
        with pytest.raises(CorpusDamaged, match="D@1 is not what was written"):
            seen(corpus, STAFF)
        with pytest.raises(CorpusDamaged):
            corpus.text("D@1", STAFF)


def test_a_store_is_the_same_when_opened_again(tmp_path):
    """Nothing lives in memory only."""
    with filled(tmp_path, new()) as corpus:
        before = (corpus.snapshot(), seen(corpus, STAFF))
    with SqliteCorpus.open(tmp_path) as corpus:
        assert before == (corpus.snapshot(), seen(corpus, STAFF))
