"""Slow models, clients that go away, stops and kills: every trace says what became of its question."""

import shutil
import sqlite3
import threading
import time

import faults
import httpx
import pytest
import served
from served import QUESTION

pytestmark = [pytest.mark.e2e, pytest.mark.slow]


@pytest.fixture
def stuck(service, tmp_path):
    """A service of its own whose model takes calls and says nothing, with a way to see what the model was asked."""
    store = tmp_path / "store"
    shutil.copytree(service.store, store, ignore=shutil.ignore_patterns("journal.db*"))
    with faults.serving() as model:
        url = f"http://127.0.0.1:{model.server_port}/silent"
        running = served.Served(store, REMIT_CHAT_URL=url, REMIT_CHAT_MODEL="m")
        running.model = model
        yield running
        model.hold.set()
        running.kill()


def traces(store):
    """Return each trace of a journal with whether it was closed, and what was recorded."""
    with sqlite3.connect(f"{(store / 'journal.db').as_uri()}?mode=ro", uri=True) as journal:
        rows = journal.execute("SELECT trace, entries FROM opened LEFT JOIN closed USING (trace)").fetchall()
    journal.close()
    return dict(rows)


def until(done, seconds=120):
    """Wait until something holds."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if done():
            return
        time.sleep(0.05)
    raise AssertionError("it did not come to that")


def asking(running, token, count=1, **body):
    """Ask questions that will not be answered, each in a thread; return the threads."""

    def ask():
        with running.client(token) as client:
            try:
                client.post("/v1/ask", json={"question": QUESTION, **body})
            except httpx.HTTPError:
                return

    threads = [threading.Thread(target=ask, daemon=True) for _ in range(count)]
    for thread in threads:
        thread.start()
    return threads


def test_a_slow_model_does_not_hold_up_search(service, stuck):
    """While every question waits for the model, a search, a document and the health of the service come at once."""
    asking(stuck, service.keys.mnt, count=6)
    until(lambda: len(stuck.model.seen) >= 2)
    time.sleep(0.5)
    assert 2 == len(stuck.model.seen)  # chat.at_once
    with stuck.client(service.keys.mnt) as client:
        for _ in range(3):
            began = time.monotonic()
            assert client.post("/v1/search", json={"query": "seal"}).json()["hits"]
            assert 200 == client.get("/v1/documents/PR-1-QMNT").status_code
            assert 200 == client.get("/healthz").status_code
            assert time.monotonic() - began < 15


def test_a_question_ends_with_its_time(service, stuck):
    """A question that may take two seconds comes back with a recorded decision although the model never answers."""
    with stuck.client(service.keys.mnt) as client:
        began = time.monotonic()
        done = client.post("/v1/ask", json={"question": QUESTION, "seconds": 2})
        assert time.monotonic() - began < 18
    assert 200 == done.status_code
    assert traces(stuck.store)[done.json()["trace"]] is not None


@pytest.mark.parametrize("stream", [False, True])
def test_a_client_that_goes_away_stops_the_work(service, stuck, stream):
    """Where the connection is closed the model call is given up, no other follows, and the trace is closed soon."""
    with stuck.client(service.keys.mnt) as client, pytest.raises(httpx.ReadTimeout):
        client.post("/v1/ask", json={"question": QUESTION, "stream": stream}, timeout=httpx.Timeout(60, read=1.5))
    until(lambda: traces(stuck.store) and all(traces(stuck.store).values()), 60)
    calls = len(stuck.model.seen)
    time.sleep(1)
    assert calls == len(stuck.model.seen) <= 1
    (entries,) = traces(stuck.store).values()
    assert "Cancelled" in entries


def test_an_mcp_client_that_goes_away_stops_the_work(service, stuck):
    """The same over MCP: the tool's model call is given up, and its trace is closed."""
    call = {"name": "ask", "arguments": {"question": QUESTION}}
    sent = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    headers = {"accept": "application/json, text/event-stream", "mcp-protocol-version": "2025-06-18"}
    with stuck.client(service.keys.mnt) as client, pytest.raises(httpx.ReadTimeout):
        client.post("/mcp", json=sent, headers=headers, timeout=httpx.Timeout(60, read=3))
    until(lambda: traces(stuck.store) and all(traces(stuck.store).values()), 20)
    (entries,) = traces(stuck.store).values()
    assert "Cancelled" in entries
    assert len(stuck.model.seen) <= 1


def test_a_stop_closes_every_trace(service, stuck):
    """When the service is told to stop, questions under way and those that wait come to a recorded end, and it exits well."""
    asking(stuck, service.keys.mnt, count=8)
    until(lambda: len(traces(stuck.store)) >= 4)
    assert 0 == stuck.stop()
    found = traces(stuck.store)
    assert found
    assert all(found.values())


def test_after_a_kill_the_trace_says_so(service, stuck):
    """A question that ran when the process was killed reads as unfinished after a restart, and questions go on."""
    asking(stuck, service.keys.mnt, count=2)
    until(lambda: len(stuck.model.seen) >= 2)
    killed = set(traces(stuck.store))
    stuck.kill()
    again = served.Served(stuck.store)
    try:
        with again.client(service.keys.mnt) as client:
            for trace in killed:
                read = client.get(f"/v1/traces/{trace}").json()
                assert ("unfinished", QUESTION, []) == (read["state"], read["question"], read["entries"])
            done = client.post("/v1/ask", json={"question": QUESTION}).json()
            assert "12 months" == done["answer"]
            listed = {one["trace"]: one["closed_at"] for one in client.get("/v1/traces").json()["traces"]}
        assert dict.fromkeys(killed) == {trace: at for trace, at in listed.items() if trace in killed}
        assert listed[done["trace"]] is not None
    finally:
        assert 0 == again.stop()


def test_more_than_fits_is_told_to_come_later(service, stuck, tmp_path):
    """What does not fit into the waiting room gets 503 with a time to come back, and a caller over their rate 429, by any of their keys."""
    stuck.kill()
    control = (stuck.store / "remit.toml").read_text()
    small = control.replace("per_minute = 0", "per_minute = 20\nasks = 1\nwaiting = 1")
    (stuck.store / "remit.toml").write_text(small)
    url = f"http://127.0.0.1:{stuck.model.server_port}/silent"
    again = served.Served(stuck.store, REMIT_CHAT_URL=url, REMIT_CHAT_MODEL="m")
    try:
        asking(again, service.keys.second, count=2)
        until(lambda: len(stuck.model.seen) >= 1)
        time.sleep(0.5)
        with again.client(service.keys.mnt) as client:
            done = client.post("/v1/ask", json={"question": QUESTION})
            assert (503, "2") == (done.status_code, done.headers["retry-after"])
            assert done.json()["type"].endswith("unavailable")
            over = [client.get("/v1/me").status_code for _ in range(30)]
            assert 429 == over[-1]
            assert 0 < int(client.get("/v1/me").headers["retry-after"]) <= 60
        with again.client(served.key(stuck.store, "mara:maintenance")) as second_key:
            assert 429 == second_key.get("/v1/me").status_code
        with again.client(service.keys.reader) as other:
            assert 200 == other.get("/v1/me").status_code
    finally:
        stuck.model.hold.set()
        again.kill()
