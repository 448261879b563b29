"""Kill the service during requests of every kind, start it again, and look whether it kept its word.

    bench/serve_kill.py [--kills 10] [--seed 1]

Clients ask, stream, search, store documents, delete them and take review items, all at once; at a random moment the process
gets SIGKILL. After a restart: every trace whose answer came through is closed, every other one is closed or reads as
unfinished; every document whose storing was acknowledged is there, every acknowledged delete has stayed; versions of review
events follow each other; both databases are sound.
"""

from __future__ import annotations

import argparse
import os
import random
import sqlite3
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import httpx

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "material"))

import served

CONFLICT = "How long is the seal chamber of pump P-8 flushed?"
LONGEST = 12.0
Job = Callable[[httpx.Client, tuple[str, str], "Heard", str], None]


class Heard:
    """What clients were told before the kill."""

    def __init__(self) -> None:
        self.traces: set[str] = set()
        self.stored: set[str] = set()
        self.deleted: set[str] = set()
        self.lock = threading.Lock()
        self.stop = threading.Event()


def main() -> int:
    """Kill and look, so many times; return 0 where every promise was kept."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    chance, heard, broken = random.Random(given.seed), Heard(), list[str]()  # noqa: S311 - chance, not secrecy
    with tempfile.TemporaryDirectory(prefix="remit-kill-") as folder:
        store = served.filled(Path(folder))
        served.Provider().publish(store / "jwks.json")
        writer = served.key(store, "mara:maintenance", "read,review,write:procedures")
        reviewer = served.key(store, "rob:maintenance", "read,review")
        for number in range(given.kills):
            round_of(store, (writer, reviewer), heard, number, chance.uniform(0.5, LONGEST))
            broken += look(store, writer, heard)
            print(
                f"kill {number + 1}: {len(heard.traces)} answers, {len(heard.stored)} documents, {len(broken)} broken",
                flush=True,
            )
            if broken:
                break
    for line in broken:
        print(f"BROKEN: {line}")
    print(
        f"{number + 1} kills, {len(heard.traces)} answers and {len(heard.stored)} documents acknowledged, {len(heard.deleted)} deletes, {len(broken)} promises broken"
    )
    return 1 if broken else 0


def round_of(store: Path, tokens: tuple[str, str], heard: Heard, number: int, seconds: float) -> None:
    """Start the service, let clients at it, kill it after so long."""
    running = served.Served(store)
    heard.stop.clear()
    jobs = [ask, ask, stream, search, write, review]
    threads = [
        threading.Thread(target=repeat, args=(job, running.url, tokens, heard, f"{number}-{at}"))
        for at, job in enumerate(jobs)
    ]
    for thread in threads:
        thread.start()
    time.sleep(seconds)
    running.kill()
    heard.stop.set()
    for thread in threads:
        thread.join()


def repeat(job: Job, url: str, tokens: tuple[str, str], heard: Heard, name: str) -> None:
    """Do a job until the service is gone."""
    with httpx.Client(base_url=url, timeout=30) as client:
        for turn in range(10_000):
            if heard.stop.is_set():
                return
            try:
                job(client, tokens, heard, f"{name}-{turn}")
            except httpx.HTTPError:
                return


def headers(token: str) -> dict[str, str]:
    """Return what proves a caller."""
    return {"authorization": f"Bearer {token}"}


def ask(client: httpx.Client, tokens: tuple[str, str], heard: Heard, name: str) -> None:
    """Ask; note the trace of an answer that came through."""
    done = client.post("/v1/ask", json={"question": served.QUESTION}, headers=headers(tokens[0])).json()
    with heard.lock:
        heard.traces.add(done["trace"])


def stream(client: httpx.Client, tokens: tuple[str, str], heard: Heard, name: str) -> None:
    """Ask for events; note the trace once the last one came."""
    body = {"question": CONFLICT, "stream": True}
    with client.stream("POST", "/v1/ask", json=body, headers=headers(tokens[0])) as done:
        text = "".join(done.iter_text())
        if "event: done" in text:
            with heard.lock:
                heard.traces.add(done.headers["x-remit-trace"])


def search(client: httpx.Client, tokens: tuple[str, str], heard: Heard, name: str) -> None:
    """Search."""
    client.post("/v1/search", json={"query": "seal"}, headers=headers(tokens[0]))


def write(client: httpx.Client, tokens: tuple[str, str], heard: Heard, name: str) -> None:
    """Store a document, and delete it every second time."""
    said = {
        "name": "k.md",
        "document": f"K-{name}",
        "revision": "1",
        "collection": "procedures",
        "labels": ["maintenance"],
    }
    done = client.post(
        "/v1/documents", json={**said, "text": f"# K\n\nThe lamp {name} is blue."}, headers=headers(tokens[0])
    )
    if done.status_code == httpx.codes.OK:
        with heard.lock:
            heard.stored.add(said["document"])
        if name.endswith(("0", "2", "4", "6", "8")):
            gone = client.delete(f"/v1/documents/{said['document']}", headers=headers(tokens[0]))
            with heard.lock:
                heard.stored.discard(said["document"])
                if gone.status_code == httpx.codes.OK:
                    heard.deleted.add(said["document"])


def review(client: httpx.Client, tokens: tuple[str, str], heard: Heard, name: str) -> None:
    """Take what waits, and judge it."""
    items = client.get("/v1/review", headers=headers(tokens[1])).json()["items"]
    for item in items[:1]:
        place = f"/v1/review/{item['number']}"
        lease = client.post(f"{place}/lease", headers=headers(tokens[1])).json().get("lease")
        verdict = {"lease": lease, "verdict": {"kind": "decline", "why": "a trial"}}
        if lease is not None:
            client.post(f"{place}/verdict", json=verdict, headers=headers(tokens[1]))


def look(store: Path, token: str, heard: Heard) -> list[str]:
    """Return the promises that were broken."""
    broken = []
    running = served.Served(store)
    try:
        with running.client(token) as client:
            states = {
                trace: client.get(f"/v1/traces/{trace}").json().get("state") for trace in sorted(heard.traces)[-200:]
            }
            broken += [
                f"trace {trace} was answered and is {state}" for trace, state in states.items() if state != "closed"
            ]
            there = {one: client.get(f"/v1/documents/{one}").status_code for one in heard.stored | heard.deleted}
            broken += [f"{one} was stored and is not there" for one in heard.stored if there[one] != httpx.codes.OK]
            broken += [f"{one} was deleted and is back" for one in heard.deleted if there[one] != httpx.codes.NOT_FOUND]
            listed = client.get("/v1/traces", params={"limit": 200}).json()["traces"]
            open_still = [one["trace"] for one in listed if one["closed_at"] is None]
            read = [client.get(f"/v1/traces/{trace}").json()["state"] for trace in open_still]
            broken += ["a trace that was killed does not say so"] * sum(state != "unfinished" for state in read)
    finally:
        if running.stop() != 0:
            broken.append("the service did not stop well")
    return broken + sound(store)


def sound(store: Path) -> list[str]:
    """Return what is wrong with the files themselves."""
    broken = []
    for name in ("store.db", "journal.db"):
        with sqlite3.connect(store / name) as plain:
            state = plain.execute("PRAGMA integrity_check").fetchone()[0]
            broken += [] if state == "ok" else [f"{name}: {state}"]
        plain.close()
    with sqlite3.connect(store / "journal.db") as plain:
        gaps = plain.execute("SELECT item FROM review_event GROUP BY item HAVING max(version) <> count(*)").fetchall()
        torn = plain.execute("SELECT count(*) FROM closed WHERE trace NOT IN (SELECT trace FROM opened)").fetchone()[0]
    plain.close()
    return (
        broken
        + [f"item {item} lacks an event" for (item,) in gaps]
        + (["a closing without its opening"] if torn else [])
    )


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    sys.exit(main())
