"""Segments are derived: killed, cut short, changed, lost or shared between processes, they never change a result."""

import logging
import os
import signal
import sqlite3
import subprocess
import sys
import time
from datetime import date

import pytest
from shelf import EMBED, NOW, filled, new, scope_of

from remit.contract.contract import RevisionWanted
from remit.corpus.connections import STORE_FILE, Connections
from remit.corpus.sealing import VECTOR, vector_seal
from remit.retrieve.hybrid import HybridRetriever
from remit.retrieve.index import Index
from remit.retrieve.retriever import Search
from remit.retrieve.segment import leftovers
from remit.retrieve.upkeep import LOCK, Sizes, keep_up, named_segments

pytestmark = pytest.mark.integration

WANTED = RevisionWanted(at=date(2026, 11, 30))
STAFF = scope_of("staff")
VECTORS = f"SELECT {VECTOR} FROM passage p JOIN vector v ON v.passage_key = p.key"
SMALL = Sizes(batch=2, fanout=3, smallest=2)
QUERIES = ("bolt torque", "seal 7", "turbine", "")

BUILDER = """
import sys
from pathlib import Path
from remit.retrieve.index import Index
from remit.retrieve.upkeep import Sizes
with Index(Path(sys.argv[1])) as index:
    print("ready", flush=True)
    index.keep_up(Sizes(batch=2, fanout=2, smallest=1))
"""


def revision(number: int, **fields):
    """Return a revision of three passages."""
    text = f"Tighten bolt {number} to torque {number}.\nReplace seal {number % 9}.\nCall line {number}."
    return new(f"D{number}", text=text, **fields)


def store(folder, count: int = 9):
    """Return an open store of so many revisions."""
    return filled(folder, *(revision(number) for number in range(count)))


def same(corpus, index) -> bool:
    """Say whether the index gives what reading every row gives."""
    fast, plain = HybridRetriever(corpus, EMBED, index=index), HybridRetriever(corpus, EMBED)
    searches = [Search(query, 7, WANTED) for query in QUERIES]
    state = corpus.snapshot()
    return [plain.search(one, STAFF, state) for one in searches] == [fast.search(one, STAFF, state) for one in searches]


def files(folder):
    """Return the segments of a store, largest first."""
    return sorted((folder / "segments").glob("*.seg"), key=lambda place: -place.stat().st_size)


def test_an_index_is_built_merged_and_swept(tmp_path):
    """Upkeep leaves exactly the files that the store names, a few for many, and nothing unfinished."""
    with store(tmp_path) as corpus, Index(tmp_path) as index:
        index.keep_up(SMALL)
        many = len(files(tmp_path))
        for number in range(9, 30):
            corpus.put(revision(number), now=NOW)
            index.keep_up(SMALL)
        connections = Connections(tmp_path / STORE_FILE)
        assert {place.stem for place in files(tmp_path)} == set(named_segments(connections))
        assert [] == list(leftovers(tmp_path / "segments", named_segments(connections)))
        connections.close()
        assert len(files(tmp_path)) <= many + 3
        assert same(corpus, index)


def test_the_same_store_gives_the_same_segment(tmp_path):
    """A segment's name is that of its content: built twice, it is one file."""
    with store(tmp_path), Index(tmp_path) as index:
        index.keep_up()
        first = files(tmp_path)
        first[0].unlink()
        index.keep_up()
        assert first == files(tmp_path)


@pytest.mark.parametrize("damage", ["cut", "flip", "flip at the end", "empty", "lose", "foreign"])
def test_a_damaged_segment_changes_no_result_and_is_built_again(tmp_path, damage, caplog):
    """It is told in a warning, the store is read instead, and the next upkeep makes it whole."""
    with store(tmp_path) as corpus, Index(tmp_path) as index:
        index.keep_up()
        place = files(tmp_path)[0]
        whole = place.read_bytes()
        if damage == "lose":
            place.unlink()
        else:
            place.write_bytes(damaged(whole, damage))
        with Index(tmp_path) as other, caplog.at_level(logging.WARNING):
            assert same(corpus, other)
            assert place.name in caplog.text
            other.keep_up()
            assert whole == place.read_bytes()
            caplog.clear()
            assert same(corpus, other)
            with Index(tmp_path) as third:
                assert same(corpus, third)
            assert "" == caplog.text


def damaged(whole: bytes, how: str) -> bytes:
    """Return the bytes of a file with something wrong with them."""
    middle = len(whole) // 2
    return {
        "cut": whole[:middle],
        "flip": whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :],
        "flip at the end": whole[:-30] + bytes([whole[-30] ^ 1]) + whole[-29:],
        "empty": b"",
        "foreign": b"PK" + os.urandom(500),
    }[how]


def test_every_byte_is_looked_at(tmp_path, caplog):
    """Whichever byte changes, results stay and the segment is found out, or the byte was padding."""
    with store(tmp_path, 2) as corpus, Index(tmp_path) as index:
        index.keep_up()
        place = files(tmp_path)[0]
        whole = place.read_bytes()
        for at in range(0, len(whole), 37):
            place.write_bytes(whole[:at] + bytes([whole[at] ^ 255]) + whole[at + 1 :])
            with Index(tmp_path) as other:
                assert same(corpus, other)


def test_writes_count_at_once_between_upkeeps(tmp_path):
    """New, amended and deleted revisions are there, or gone, for the next search of an index that is behind."""
    with store(tmp_path) as corpus, Index(tmp_path) as index:
        index.keep_up(SMALL)
        assert same(corpus, index)
        for write in (
            lambda: corpus.put(revision(50), now=NOW),
            lambda: corpus.put(revision(3, labels=["board"]), now=NOW),
            lambda: corpus.put(revision(4, title="Bolt torque"), now=NOW),
            lambda: corpus.put(revision(5, language="de"), now=NOW),
            lambda: corpus.delete("D6", now=NOW),
            lambda: corpus.put(revision(6), now=NOW),
            lambda: corpus.put(new("D51", text="Bolt torque.", supersedes=("D7@1",)), now=NOW),
        ):
            write()
            assert same(corpus, index)
        for number in range(60, 75):
            corpus.put(revision(number), now=NOW)
            assert same(corpus, index)


@pytest.mark.parametrize(
    "swap", ["UPDATE encoder SET name = 'other'", "INSERT OR REPLACE INTO encoder VALUES (1, 'other', 32)"]
)
def test_another_encoder_makes_every_run_another(tmp_path, swap):
    """Where all vectors are replaced, no segment holds the old ones any more: keys are new, and are never used again."""
    with store(tmp_path) as corpus, Index(tmp_path) as index:
        index.keep_up(SMALL)
        assert same(corpus, index)
        with sqlite3.connect(tmp_path / STORE_FILE) as raw:
            before = {key for (key,) in raw.execute("SELECT key FROM run")}
            turned = [
                (blob[16:] + blob[:16], key) for key, blob in raw.execute("SELECT passage_key, vector FROM vector")
            ]
            raw.executemany("UPDATE vector SET vector = ? WHERE passage_key = ?", turned)
            sums = [(vector_seal(row), row[0]) for row in raw.execute(VECTORS)]
            raw.executemany("UPDATE passage SET vector_seal = ? WHERE key = ?", sums)
            raw.execute(swap)
            raw.execute(
                "INSERT INTO snapshot SELECT number + 1, digest, at, 'encoder' FROM snapshot ORDER BY number DESC LIMIT 1"
            )
            after = {key for (key,) in raw.execute("SELECT key FROM run")}
        raw.close()
        assert before.isdisjoint(after)
        assert same(corpus, index)
        index.keep_up(SMALL)
        assert same(corpus, index)


def test_deleted_rows_leave_the_files(tmp_path):
    """Where much of a segment is gone, the next upkeep writes it again without that."""
    with store(tmp_path, 12) as corpus, Index(tmp_path) as index:
        corpus.put(new("secret", text="Unmistakable xylophone."), now=NOW)
        index.keep_up()
        assert any(b"xylophon" in place.read_bytes() for place in files(tmp_path))
        for document in ["secret", *(f"D{number}" for number in range(5))]:
            corpus.delete(document, now=NOW)
        index.keep_up()
        assert not any(b"xylophon" in place.read_bytes() for place in files(tmp_path))
        assert same(corpus, index)


@pytest.mark.parametrize("kept", [0, 60, 10_000])
def test_a_passage_is_the_same_however_much_text_is_kept(tmp_path, kept):
    """Read whole or piece by piece, with characters of any width and zeros among them, a hit has the passage's text."""
    texts = ["bolt é\u0301 😀 one\nbolt 故乡 two", "bolt \x00 three\nbolt after", "bolt four\n\nbolt \x00"]
    revisions = (new(f"Z{at}", text=text) for at, text in enumerate(texts))
    with filled(tmp_path, *revisions) as corpus, Index(tmp_path, kept_characters=kept) as index:
        fast, plain = HybridRetriever(corpus, EMBED, index=index), HybridRetriever(corpus, EMBED)
        for query in ("bolt", "bolt three", "two"):
            found = fast.search(Search(query, 2, WANTED), STAFF, corpus.snapshot())
            assert plain.search(Search(query, 2, WANTED), STAFF, corpus.snapshot()) == found
        index.view(STAFF, WANTED, corpus.snapshot())._rows.clear()
        found = fast.search(Search("bolt", 9, WANTED), STAFF, corpus.snapshot())
        assert plain.search(Search("bolt", 9, WANTED), STAFF, corpus.snapshot()) == found
        assert 7 == len(found.hits)


def test_readers_keep_what_they_have_mapped(tmp_path):
    """A segment that is merged away stays readable for whoever was reading it."""
    with store(tmp_path, 12) as corpus, Index(tmp_path) as index, Index(tmp_path) as builder:
        builder.keep_up(Sizes(batch=2, fanout=99))
        view = index.view(STAFF, WANTED, corpus.snapshot())
        before = view.scores("bolt torque").tolist()
        builder.keep_up(Sizes(batch=2, fanout=2))
        assert 1 == len(files(tmp_path))
        assert before == view.scores("bolt torque").tolist()
        assert same(corpus, index)


def test_one_builder_at_a_time(tmp_path):
    """While somebody builds, another one leaves it to them."""
    with store(tmp_path), Index(tmp_path) as index:
        index.keep_up()
        script = "import fcntl, sys; f = open(sys.argv[1], 'wb'); fcntl.flock(f, fcntl.LOCK_EX); print('held', flush=True); input()"
        command = [sys.executable, "-c", script, str(tmp_path / "segments" / LOCK)]
        connections = Connections(tmp_path / STORE_FILE)
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
            assert "held\n" == holder.stdout.readline()
            assert keep_up(connections, tmp_path / "segments") is False
            holder.communicate("\n")
        assert keep_up(connections, tmp_path / "segments") is True
        connections.close()


@pytest.mark.slow
def test_killed_builders_lose_nothing(tmp_path):
    """Killed at any moment while building or merging: results stay, and the next upkeep leaves all clean."""
    with store(tmp_path, 60) as corpus:
        for round_number in range(12):
            corpus.put(revision(100 + round_number), now=NOW)
            corpus.delete(f"D{round_number}", now=NOW)
            command = [sys.executable, "-c", BUILDER, str(tmp_path)]
            with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as builder:
                builder.stdout.readline()
                time.sleep(0.004 * round_number)
                builder.send_signal(signal.SIGKILL)
            with Index(tmp_path) as index:
                assert same(corpus, index)
        with Index(tmp_path) as index:
            index.keep_up()
            connections = Connections(tmp_path / STORE_FILE)
            assert {place.stem for place in files(tmp_path)} == set(named_segments(connections))
            assert [] == [place for place in (tmp_path / "segments").iterdir() if place.suffix == ".tmp"]
            connections.close()
            assert same(corpus, index)


def test_a_folder_that_cannot_be_written_is_told_and_does_no_harm(tmp_path, caplog):
    """Where segments cannot be written, the search reads the store."""
    with store(tmp_path) as corpus, Index(tmp_path) as index, caplog.at_level(logging.WARNING):
        (tmp_path / "segments").write_text("a file is in the way")
        index.keep_up()
        assert "were not brought up to date" in caplog.text
        assert same(corpus, index)
