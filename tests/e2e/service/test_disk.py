"""A disk that is full or cannot be written while the service runs, and kills: no answer without its record."""

import contextlib
import json
import resource
import shutil
import sqlite3

import faults
import httpx
import pytest
import served
from served import QUESTION

pytestmark = [pytest.mark.e2e, pytest.mark.slow]


@pytest.fixture
def own(service, tmp_path):
    """A service of its own over a copy of the store."""
    store = tmp_path / "store"
    shutil.copytree(service.store, store, ignore=shutil.ignore_patterns("journal.db*"))
    running = served.Served(store)
    yield running
    running.kill()


def closed(store):
    """Return each trace of a journal with whether it came to its end."""
    with contextlib.closing(sqlite3.connect(f"{(store / 'journal.db').as_uri()}?mode=ro", uri=True)) as journal:
        rows = journal.execute("SELECT opened.trace, closed.trace FROM opened LEFT JOIN closed USING (trace)")
        return {trace: end is not None for trace, end in rows}


def test_a_store_without_its_index_gets_it_when_it_is_served(service, tmp_path):
    """A backup holds no index: what is made of one has it as soon as it is served, and not only after the next ingest."""
    store = tmp_path / "store"
    shutil.copytree(service.store, store, ignore=shutil.ignore_patterns("journal.db*", "segments"))
    running = served.Served(store)
    try:
        with running.client(service.keys.mnt) as client:
            assert client.post("/v1/search", json={"query": QUESTION}).json()["hits"]
        assert list((store / "segments").glob("*.seg"))
    finally:
        running.stop()


def test_a_store_that_is_taken_away_is_not_answered_from(own, service, provider):
    """Moved, removed or replaced while it is served, a store answers nobody, and says so to whoever runs it; back in place, it does."""
    away = own.store.with_name("away")
    asked = [
        ("POST", "/v1/ask", {"question": QUESTION}),
        ("POST", "/v1/search", {"query": "seal"}),
        ("GET", "/v1/traces", None),
    ]

    def statuses():
        return [client.request(method, path, json=body).status_code for method, path, body in asked]

    with own.client(provider.token()) as client:
        assert [200, 200, 200] == statuses()
        own.store.rename(away)
        assert [503, 503, 503] == statuses()
        shutil.copytree(away, own.store)
        (own.store / "journal.db-wal").unlink(missing_ok=True)
        assert [503, 503, 503] == statuses()
        ready = client.get("/readyz")
        assert (503, False) == (ready.status_code, ready.json()["checks"]["store in place"])
        shutil.rmtree(own.store)
        away.rename(own.store)
        assert [200, 200, 200] == statuses()
    assert any("moved or replaced" in line.get("cause", "") for line in own.lines())


def room(running, size):
    """Let the service write files up to a size, as a disk does that is full."""
    _, most = resource.prlimit(running.process.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(running.process.pid, resource.RLIMIT_FSIZE, (size, most))


def test_a_full_disk_refuses_and_loses_nothing(service, own):
    """What cannot be recorded is not answered and not stored, with 503; reading goes on, and so does all once there is room."""
    new = {"name": "a.md", "document": "FULL", "collection": "procedures", "labels": ["maintenance"]}
    new["text"] = "# Full\n\n" + "The drum D-5 is emptied by night. " * 400
    with own.client(service.keys.mnt) as client:
        first = client.post("/v1/ask", json={"question": QUESTION}).json()["trace"]
        before = client.post("/v1/search", json={"query": "seal", "k": 9}).json()
        room(own, 1)
        for route, body in (("/v1/ask", {"question": QUESTION}), ("/v1/documents", new)):
            for _ in range(2):
                done = client.post(route, json=body)
                assert (503, "application/problem+json") == (done.status_code, done.headers["content-type"]), done.text
                assert str(own.store) not in done.text
        streamed = client.post("/v1/ask", json={"question": QUESTION, "stream": True})
        assert 503 == streamed.status_code or "event: problem" in streamed.text
        assert "12 months" not in streamed.text
        assert before == client.post("/v1/search", json={"query": "seal", "k": 9}).json()
        assert 200 == client.get("/v1/documents/PR-1-QMNT").status_code
        assert 200 == client.get("/healthz").status_code
        room(own, resource.RLIM_INFINITY)
        assert "12 months" == client.post("/v1/ask", json={"question": QUESTION}).json()["answer"]
        assert 200 == client.post("/v1/documents", json=new).status_code
        assert "night" in client.post("/v1/search", json={"query": "drum D-5", "k": 1}).json()["hits"][0]["text"]
        assert 200 == client.get("/readyz").status_code
        assert "closed" == client.get(f"/v1/traces/{first}").json()["state"]
    assert 0 == own.stop()
    assert "" == "".join(sorted(trace for trace, done in closed(own.store).items() if trace == first and not done))
    served.run("doctor", "--store", own.store)


def events(lines):
    """Yield the names of the events of a stream as they come."""
    return (line.removeprefix("event: ") for line in lines if line.startswith("event: "))


def test_a_kill_in_a_stream_is_told_by_its_trace(service, own):
    """What was handed out before the kill is recorded as decided, also where the answer was cut off in its middle."""
    with (
        own.client(service.keys.mnt) as client,
        client.stream("POST", "/v1/ask", json={"question": QUESTION, "stream": True}) as stream,
    ):
        trace = stream.headers["x-remit-trace"]
        for name in events(stream.iter_lines()):
            if name == "decision":
                break
        own.kill()
    again = served.Served(own.store)
    try:
        with again.client(service.keys.mnt) as client:
            read = client.get(f"/v1/traces/{trace}").json()
            assert ("closed", "answer") == (read["state"], read["entries"][-1]["data"]["shown"]["action"])
    finally:
        assert 0 == again.stop()


def test_a_kill_before_the_answer_leaves_no_word_of_it(service, tmp_path):
    """A stream that was cut before its decision sent no word of an answer, and its trace reads as unfinished."""
    store = tmp_path / "store"
    shutil.copytree(service.store, store, ignore=shutil.ignore_patterns("journal.db*"))
    with faults.serving() as model:
        url = f"http://127.0.0.1:{model.server_port}/silent"
        running = served.Served(store, REMIT_CHAT_URL=url, REMIT_CHAT_MODEL="m")
        told = []
        chat = {"model": "remit", "stream": True, "messages": [{"role": "user", "content": QUESTION}]}
        with (
            running.client(service.keys.mnt) as client,
            contextlib.suppress(httpx.HTTPError),
            client.stream("POST", "/v1/chat/completions", json=chat) as stream,
        ):
            trace = stream.headers["x-remit-trace"]
            for line in stream.iter_lines():
                told.append(line)
                if model.seen and running.process.poll() is None:
                    running.kill()
        model.hold.set()
    contents = [json.loads(line[6:]) for line in told if line.startswith("data: {")]
    assert {""} == {one["choices"][0]["delta"].get("content", "") for one in contents}
    again = served.Served(store)
    try:
        with again.client(service.keys.mnt) as client:
            read = client.get(f"/v1/traces/{trace}").json()
            assert ("unfinished", QUESTION, []) == (read["state"], read["question"], read["entries"])
            page = client.get("/v1/traces").json()["traces"]
            assert [None] == [one["closed_at"] for one in page if one["trace"] == trace]
    finally:
        assert 0 == again.stop()
