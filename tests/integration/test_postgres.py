"""The record in a real PostgreSQL server: refused, lost, crashed, shared and copied, it is whole or it says what is wrong."""

import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from contextlib import ExitStack, closing

import psycopg
import pytest
from postgres_server import PASSWORD, other_than
from shelf import EMBED, NOW, filled, new, scope_of, seen

from remit.contract.contract import RevisionWanted
from remit.corpus import postgres as record
from remit.corpus import postgres_connections
from remit.corpus.database import DatabaseChoice
from remit.corpus.mending import mend
from remit.corpus.opening import open_corpus, taken_in
from remit.corpus.postgres import PostgresCorpus
from remit.corpus.postgres_connections import Address
from remit.corpus.sqlite import SqliteCorpus
from remit.corpus.verify import verify
from remit.errors import CorpusDamaged, InvalidInput, MissingPrerequisite, ProviderBusy
from remit.retrieve.hybrid import HybridRetriever
from remit.retrieve.index import Index
from remit.retrieve.retriever import Search
from remit.retrieve.upkeep import named_segments

pytestmark = pytest.mark.integration

STAFF = scope_of("staff")
SUMS = {
    "metadata": ("seal", "revision_seal"),
    "passage": ("total", "seal", "vector_seal"),
    "next_vector": ("seal",),
    "collection": ("seal",),
}
WRITER = """
import sys
from pathlib import Path
from shelf import EMBED, NOW, new
from remit.corpus.database import DatabaseChoice
from remit.corpus.mending import mend
from remit.corpus.opening import open_corpus
with open_corpus(Path(sys.argv[1]), DatabaseChoice.of(sys.argv[2], sys.argv[3]), create=True) as corpus:
    corpus.use_encoder(EMBED.name, EMBED.dimension)
    for number in range(20):
        put = corpus.put(new(f"D{number}", text=f"One {number}.\\nTwo {number}."), now=NOW)
        print(put.effect, flush=True)
"""


@pytest.fixture
def database(schemas):
    """Return a schema in which nothing is yet."""
    return schemas()


@pytest.fixture
def corpus(database, tmp_path):
    """Lend a store with one document."""
    with filled(tmp_path / "store", new("A"), database=database) as corpus:
        yield corpus


def ended(postgres):
    """End every other connection to the server, as an administrator would."""
    with psycopg.connect(postgres.url(), autocommit=True) as connection:
        connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'remit'")


def test_a_newer_remits_record_is_left_alone(corpus, database, postgres, tmp_path):
    """What this Remit does not know it does not touch."""
    other_than(postgres, database, f"INSERT INTO {record.MARK} VALUES (99)")
    try:
        with pytest.raises(MissingPrerequisite, match="newer Remit"):
            open_corpus(tmp_path / "store", database)
    finally:
        other_than(postgres, database, f"DELETE FROM {record.MARK} WHERE version = 99")


def test_an_older_record_is_migrated_once(postgres, tmp_path, monkeypatch):
    """However many processes open it at the same time."""
    choice = postgres.schema()
    open_corpus(tmp_path / "store", choice, create=True).close()
    monkeypatch.setattr(record, "MIGRATIONS", (*record.MIGRATIONS, "CREATE TABLE added (key BIGINT)"))
    with ExitStack() as opened:
        threads = [
            threading.Thread(target=lambda: opened.enter_context(open_corpus(tmp_path / "store", choice)))
            for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert [(1,), (2,), (3,)] == other_than(postgres, choice, f"SELECT version FROM {record.MARK} ORDER BY version")


def test_a_record_without_sums_is_brought_up_to_date(corpus, database, postgres, tmp_path):
    """The record of an older Remit keeps its rows, gets a sum for each, and gives the same results."""
    corpus.put(new("B", text="One.\nTwo."), now=NOW)
    corpus.delete("A", now=NOW)
    before = seen(corpus, STAFF)
    corpus.close()
    for table, columns in SUMS.items():
        dropped = ", ".join(f"DROP COLUMN {column}" for column in columns)
        other_than(postgres, database, f"ALTER TABLE {table} {dropped}")
    other_than(postgres, database, f"DELETE FROM {record.MARK} WHERE version = 2")
    with open_corpus(tmp_path / "store", database) as again:
        assert before == seen(again, STAFF)
        assert () == verify(again.connections).flaws
        assert "unchanged" == again.put(new("B", text="One.\nTwo."), now=NOW).effect


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE label SET label = 'stafg'",
        "UPDATE metadata SET valid_from = '2031-01-01'",
        "UPDATE metadata SET removed_in = 7",
        "UPDATE passage SET end_at = end_at - 1",
        "UPDATE revision SET recorded_at = '2031-01-01T00:00:00+00:00'",
    ],
)
def test_another_valid_value_is_told_and_mended(corpus, database, postgres, tmp_path, change):
    """What a server whose pages have no sums hands out wrong is told here as well, and mended as in a file."""
    before = seen(corpus, STAFF)
    corpus.close()
    other_than(postgres, database, change)
    with open_corpus(tmp_path / "store", database) as again:
        with pytest.raises(CorpusDamaged, match="A@1"):
            seen(again, STAFF)
        assert ("A@1",) == mend(again.connections, now=NOW).deleted
        again.put(new("A"), now=NOW)
        assert before == seen(again, STAFF)
        assert () == verify(again.connections).flaws


def test_a_directory_has_one_record(corpus, database, tmp_path):
    """A file with documents and a database with others: neither is picked silently."""
    filled(tmp_path / "files").close()
    with pytest.raises(InvalidInput, match="move the record"):
        open_corpus(tmp_path / "files", database)


def test_a_write_whose_connection_is_lost_leaves_nothing(corpus, postgres):
    """The error says that trying again is safe, and it is: the next call finds a new connection."""
    before = corpus.snapshot()

    def broken():
        with corpus.connections.writing() as session:
            session.execute("INSERT INTO collection VALUES (?, ?)", ("x", "{}"))
            ended(postgres)
            session.execute("SELECT 1")

    with pytest.raises(ProviderBusy, match="was lost"):
        broken()
    assert before == corpus.snapshot()
    assert () == corpus.catalogue().collections
    assert "new" == corpus.put(new("B"), now=NOW).effect


def test_connections_that_were_lost_while_idle_are_replaced(corpus, postgres):
    """A server that was restarted overnight is no error in the morning."""
    corpus.snapshot()
    ended(postgres)
    assert ["A@1#0"] == seen(corpus, STAFF)[0]


def test_a_crash_of_the_server_loses_nothing(corpus, postgres):
    """While it is down every read and write is an error, and afterwards all that was acknowledged is there."""
    before = corpus.snapshot()
    postgres.stop(signal.SIGQUIT)
    try:
        with pytest.raises(ProviderBusy):
            corpus.snapshot()
        with pytest.raises(ProviderBusy):
            corpus.put(new("B"), now=NOW)
    finally:
        postgres.start()
    assert before == corpus.snapshot()
    assert "new" == corpus.put(new("B"), now=NOW).effect
    assert [] == corpus.faults()


def test_waiting_for_another_writer_ends(corpus, database, tmp_path, monkeypatch):
    """A writer that never finishes is named after the wait, readers go on, and nothing is written."""
    monkeypatch.setattr(postgres_connections, "WAIT_SECONDS", 0.2)
    with PostgresCorpus.open(tmp_path / "other", database, create=True) as other, corpus.connections.writing():
        with pytest.raises(ProviderBusy, match="another process"):
            other.put(new("B"), now=NOW)
        assert ["A@1#0"] == seen(other, STAFF)[0]
    assert () == corpus.stored("B")


def test_a_statement_that_takes_too_long_ends(database, tmp_path, monkeypatch):
    """Nobody waits for ever."""
    monkeypatch.setattr(postgres_connections, "_READ_SECONDS", 1)
    with (
        filled(tmp_path / "store", database=database) as corpus,
        pytest.raises(ProviderBusy, match="took too long"),
        corpus.connections.reading() as session,
    ):
        session.execute("SELECT pg_sleep(30)")


def test_two_processes_write_the_same_at_once(postgres, database, tmp_path):
    """Each revision is new exactly once, whoever comes first; readers beside them see whole revisions alone."""
    filled(tmp_path / "store", database=database).close()
    paths = os.pathsep.join([os.environ.get("PYTHONPATH", ""), *sys.path])
    command = [sys.executable, "-c", WRITER]
    writers = [
        subprocess.Popen(
            [*command, str(tmp_path / name), postgres.url(), database.namespace],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": paths},
        )
        for name in ("one", "two")
    ]
    looks = []
    with open_corpus(tmp_path / "store", database) as corpus:
        while any(writer.poll() is None for writer in writers):
            looks.append(Counter(id.partition("#")[0] for id in seen(corpus, STAFF)[0]))
        effects = Counter(line for writer in writers for line in writer.communicate()[0].split())
        assert [0, 0] == [writer.returncode for writer in writers]
        assert {"new": 20, "unchanged": 20} == effects
        assert 40 == len(seen(corpus, STAFF)[0])
    assert {2} >= {count for look in looks for count in look.values()}


def test_directories_that_share_a_record_have_segments_of_their_own(corpus, database, tmp_path):
    """What one host builds, merges or sweeps away is nothing to another's files."""
    wanted = Search("line", 9, RevisionWanted(at=NOW.date()))
    with open_corpus(tmp_path / "other", database, create=True) as other:
        stores = [(tmp_path / "store", corpus), (tmp_path / "other", other)]
        names = []
        for folder, opened in stores:
            with Index(folder, opened.connections) as index:
                index.keep_up()
            names.append(named_segments(opened.connections))
        assert [1, 1] == [len(found) for found in names]
        corpus.put(new("B"), now=NOW)
        with Index(tmp_path / "store", corpus.connections) as index:
            index.keep_up()
        assert names[1] == named_segments(other.connections)
        for folder, opened in stores:
            with Index(folder, opened.connections) as index:
                fast = HybridRetriever(opened, EMBED, index=index).search(wanted, STAFF, opened.snapshot())
            assert HybridRetriever(opened, EMBED).search(wanted, STAFF, opened.snapshot()) == fast
            assert ["A", "B"] == sorted(hit.passage.document for hit in fast.hits)


def test_a_record_goes_over_to_a_database_and_back(schemas, tmp_path):
    """The copy has the same snapshot, rows, vectors and tombstones, and goes on from there."""
    revisions = [
        new("A", "1", "Zwei Größen.\n故乡 🙂.", labels=["staff", "board"]),
        new("A", "2", "Three.", supersedes=("A@1",), valid_from=NOW.date()),
        new("B", "1", "Gone.", supersedes=("A@2",)),
        new("C", labels=["board"]),
    ]
    choice = schemas()
    with filled(tmp_path / "one", *revisions) as one:
        one.delete("B", now=NOW)
    taken_in(choice, tmp_path / "one" / "store.db")
    with pytest.raises(InvalidInput, match="holds a store already"):
        taken_in(choice, tmp_path / "one" / "store.db")
    with open_corpus(tmp_path / "two", choice, create=True) as two:
        two.copy_to(tmp_path / "three")
        with SqliteCorpus.open(tmp_path / "one") as one, SqliteCorpus.open(tmp_path / "three") as three:
            for other in (two, three):
                assert one.snapshot() == other.snapshot()
                for scope in (STAFF, scope_of("board")):
                    assert seen(one, scope) == seen(other, scope)
                    ids = seen(one, scope)[0]
                    assert one.matrix(ids, scope).values.tolist() == other.matrix(ids, scope).values.tolist()
                    assert one.text("A@1", scope) == other.text("A@1", scope)
                other.put(new("D"), now=NOW)
                assert "D@1#0" in seen(other, STAFF)[0]
        assert [] == two.faults()


def test_a_zero_character_is_refused(corpus):
    """SQLite can hold one in a text and PostgreSQL cannot: an error of the input, and nothing of it is stored."""
    for put in (new("B", text="zero \0 here"), new("B", title="zero \0")):
        with pytest.raises(InvalidInput, match="cannot"):
            corpus.put(put, now=NOW)
    assert () == corpus.stored("B")
    assert not corpus.opens("zero \0", STAFF)


def test_a_user_that_owns_nothing_is_enough(corpus, database, postgres, tmp_path):
    """Rights over rows, none over tables: all but a migration works. Without the right to write, reading still does."""
    name = database.namespace
    user = f"app_{name}"
    other_than(postgres, database, f"CREATE ROLE {user} LOGIN PASSWORD 'app'")
    other_than(postgres, database, f"GRANT USAGE ON SCHEMA {name} TO {user}")
    other_than(postgres, database, f"GRANT SELECT ON ALL TABLES IN SCHEMA {name} TO {user}")
    choice = DatabaseChoice.of(postgres.url(user=user, password="app"), name)
    with open_corpus(tmp_path / "other", choice, create=True) as other:
        assert ["A@1#0"] == seen(other, STAFF)[0]
        with pytest.raises(MissingPrerequisite, match="give the user those rights"):
            other.put(new("B"), now=NOW)
        other_than(postgres, database, f"GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {name} TO {user}")
        other_than(postgres, database, f"GRANT USAGE ON ALL SEQUENCES IN SCHEMA {name} TO {user}")
        assert "new" == other.put(new("B"), now=NOW).effect
        assert 1 == other.delete("A", now=NOW)
        other.tidy()  # what it may not look at is left to the server
        with Index(tmp_path / "other", other.connections) as index:
            index.keep_up()
        assert 1 == len(named_segments(other.connections))
    other_than(postgres, database, f"DROP OWNED BY {user}; DROP ROLE {user}")


def test_a_server_is_told_of_many_rows(corpus, database, postgres):
    """Else it would plan for empty tables until its own turn comes."""
    sizes = f"SELECT reltuples::bigint FROM pg_class WHERE oid = '{database.namespace}.passage'::regclass"
    for number in range(5):
        corpus.put(new(f"M{number}"), now=NOW)
    corpus.tidy()
    assert [(6,)] == other_than(postgres, database, sizes)


def test_what_is_shown_of_a_database_is_no_secret(corpus, postgres):
    """Where it is, and which versions; neither user nor password."""
    assert f"127.0.0.1:{postgres.port}" in corpus.where()
    assert PASSWORD not in corpus.where()
    address = Address(DatabaseChoice.of("postgresql:///"))
    assert "PGHOST" in address.place
    with closing(Address(DatabaseChoice.of(postgres.url())).connect()) as connection:
        assert "remit" == connection.info.get_parameters()["fallback_application_name"]
