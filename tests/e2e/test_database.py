"""A store whose documents are in PostgreSQL, from the command line and over HTTP, as an operator would have it."""

import signal
import time
from pathlib import Path

import pytest
from older import older
from postgres_server import PASSWORD

from remit.corpus.schema import MIGRATIONS

pytestmark = pytest.mark.e2e

QUESTION = "How often is the mechanical seal of pump P-7 replaced?"
WHO = "mara:maintenance"


@pytest.fixture
def named(postgres, schemas, tmp_path):
    """Return the environment that names an empty schema, its password in a file as containers get it."""
    secret = tmp_path / "secret"
    secret.write_text(f"{PASSWORD}\n", encoding="utf-8")
    return {
        "REMIT_DATABASE_URL": f"postgresql://remit@127.0.0.1:{postgres.port}/remit",
        "REMIT_DATABASE_SCHEMA": schemas().namespace,
        "REMIT_DATABASE_PASSWORD_FILE": str(secret),
    }


@pytest.fixture
def store(run, documents, named, tmp_path):
    """Return the directory of a store with four documents in that schema."""
    done = run("ingest", documents, "--store", tmp_path / "store", **named)
    assert 0 == done.code, done.err
    return tmp_path / "store"


def asked(run, store, **named):
    """Return decision, answer, quotation and snapshot of a question."""
    done = run("ask", QUESTION, "--store", store, "--as", WHO, "--json", **named).json
    return done["decision"], done["answer"], done["citations"], done["snapshot"]


def test_every_command_works_on_it(run, store, named, documents, ingested):
    """Search, ask, trace, re-ingest, delete and doctor give what they give on a file with the same documents."""
    assert not (store / "store.db").exists()
    assert asked(run, ingested) == asked(run, store, **named)
    found = [
        [
            (hit["passage"], hit["score"])
            for hit in run("search", "pump", "--store", at, "--as", WHO, "--json", **said).json["hits"]
        ]
        for at, said in ((ingested, {}), (store, named))
    ]
    assert found[0] == found[1] != []
    again = run("ingest", documents, "--store", store, "--json", **named).json
    assert (0, 0) == (again["revisions"], len(again["rejected"]))
    trace = run("ask", QUESTION, "--store", store, "--as", WHO, "--json", **named).json["trace"]
    assert 0 == run("trace", trace, "--store", store, "--json", **named).code
    checks = {check["name"]: check for check in run("doctor", "--store", store, "--json", **named).json["checks"]}
    assert {"ok"} == {checks[name]["state"] for name in ("record", "store", "segments", "vectors", "policy", "journal")}
    assert checks["record"]["detail"].endswith("as written")
    assert PASSWORD not in str(checks)
    assert 0 == run("delete", "PR-1", "--yes", "--store", store, **named).code
    assert "answer" != asked(run, store, **named)[0]


@pytest.mark.parametrize("version", range(1, len(MIGRATIONS)))
def test_a_backup_of_an_older_remit_moves_into_a_database(run, ingested, named, tmp_path, version):
    """Documents that an older Remit kept in a file are restored into a database, and answer as they did."""
    old = older(ingested, tmp_path / "old", version)
    assert 0 == run("backup", tmp_path / "copy", "--store", old).code
    done = run("restore", tmp_path / "copy", "--store", tmp_path / "again", **named)
    assert (0, False) == (done.code, (tmp_path / "again" / "store.db").exists()), done.err
    assert asked(run, ingested) == asked(run, tmp_path / "again", **named)


def test_a_backup_restores_to_a_file_and_to_another_schema(run, store, named, schemas, tmp_path):
    """What was answered is answered again in either, by the same sentence at the same snapshot; nothing is overwritten."""
    before = asked(run, store, **named)
    copied = run("backup", tmp_path / "copy", "--store", store, "--json", **named).json
    assert {"store.db", "journal.db"} <= {one["name"] for one in copied["files"]}
    assert 0 == run("restore", tmp_path / "copy", "--store", tmp_path / "file").code
    assert before == asked(run, tmp_path / "file")
    full = run("restore", tmp_path / "copy", "--store", tmp_path / "again", **named)
    assert (5, True) == (full.code, "holds a store already" in full.err)
    other = {**named, "REMIT_DATABASE_SCHEMA": schemas().namespace}
    assert 0 == run("restore", tmp_path / "copy", "--store", tmp_path / "again", **other).code
    assert not (tmp_path / "again" / "store.db").exists()
    assert before == asked(run, tmp_path / "again", **other)
    assert 0 == run("doctor", "--store", tmp_path / "again", **other).code


@pytest.mark.parametrize(
    ("change", "code", "said"),
    [
        ({"REMIT_DATABASE_PASSWORD_FILE": "", "PGPASSWORD": "Pa55"}, 3, "password"),
        ({"REMIT_DATABASE_URL": "postgresql://remit@127.0.0.1:1/remit"}, 6, "cannot be reached"),
        ({"REMIT_DATABASE_URL": "postgresql://u:Pa55@x@y/z"}, 5, "cannot be read"),
        ({"REMIT_DATABASE_URL": "oracle://u:Pa55@y/z"}, 5, "postgresql://"),
        ({"REMIT_DATABASE_SCHEMA": "nothing_here"}, 4, "no store"),
        ({"REMIT_DATABASE_PASSWORD_FILE": "/nowhere"}, 3, "PASSWORD_FILE"),
    ],
)
def test_what_is_wrong_ends_with_its_code(run, store, named, change, code, said):
    """Each with the code that docs/cli.md gives, in a line that says what to do, and never with a secret."""
    for command in (["search", "pump", "--as", WHO], ["ask", QUESTION, "--as", WHO], ["doctor"]):
        done = run(*command, "--store", store, **{**named, **change})
        assert (3 if command == ["doctor"] else code) == done.code
        assert said in done.err + done.out
        assert "Traceback" not in done.err
        assert not any(secret in done.err + done.out for secret in ("Pa55", PASSWORD))


def test_settings_may_name_it_without_a_password(run, documents, postgres, named, tmp_path):
    """`[database]` in remit.toml, the password in the variable of PostgreSQL's own programs."""
    store = tmp_path / "store"
    store.mkdir()
    said = f'[database]\nurl = "postgresql://remit@127.0.0.1:{postgres.port}/remit"\n'
    (store / "remit.toml").write_text(said + f'schema = "{named["REMIT_DATABASE_SCHEMA"]}"\n', encoding="utf-8")
    assert 0 == run("ingest", documents, "--store", store, PGPASSWORD=PASSWORD).code
    assert "answer" == asked(run, store, PGPASSWORD=PASSWORD)[0]


def test_a_service_outlives_its_database(postgres, store, named, monkeypatch):
    """While the server is down it says that it is not ready and refuses; after a restart it answers as before."""
    pytest.importorskip("uvicorn")
    from served import Served, key

    for name, value in named.items():
        monkeypatch.setenv(name, value)
    token = key(store, WHO)
    served = Served(store, **named)
    try:
        with served.client(token) as client:
            body = {"question": QUESTION}
            assert 200 == client.get("/readyz").status_code
            before = client.post("/v1/ask", json=body).json()
            assert "answer" == before["decision"]
            postgres.stop(signal.SIGQUIT)
            try:
                assert 503 == client.get("/readyz").status_code
                refused = client.post("/v1/ask", json=body)
                assert 502 == refused.status_code
                assert "127.0.0.1" not in refused.text
            finally:
                postgres.start()
            deadline = time.monotonic() + 60
            while client.get("/readyz").status_code != 200:
                assert time.monotonic() < deadline
            after = client.post("/v1/ask", json=body).json()
            assert [before[name] for name in ("decision", "answer", "citations")] == [
                after[name] for name in ("decision", "answer", "citations")
            ]
        assert PASSWORD not in Path(served.log).read_text(encoding="utf-8")
    finally:
        served.stop()
