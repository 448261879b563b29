"""Load on the service: open loop, many connections, one store; then how many questions a second it bears.

    bench/serve_load.py [--minutes 2] [--rate 5] [--connections 64] [--store DIRECTORY] [--saturate 1]

Questions arrive at a fixed rate whatever becomes of those before them, over so many connections at once, for so many
minutes; searches go on beside them. Printed are errors, percentiles, the growth of the process's memory and whether the
journal is complete, each with its bound; then the rate is raised until the 95th percentile passes a second.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import httpx

ROOT = Path(__file__).resolve().parents[1]
REMIT = str(Path(sys.executable).with_name("remit"))
BOUND_P95 = 0.25
BOUND_GROWTH_MB = 96
WARM_SECONDS = 20


def main() -> int:
    """Run the load, print what was measured, and return 0 where no bound was missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--rate", type=float, default=5.0)
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--store", type=Path)
    parser.add_argument("--saturate", type=int, default=1, help="0: leave the saturation point out")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="remit-load-") as folder:
        store = given.store or sample(Path(folder))
        token = run("key", "new", "load:maintenance,operations", "--roles", "read", "--store", store).strip()
        (Path(folder) / "remit.toml").write_text(control(store), encoding="utf-8")
        server, url = start(store, Path(folder))
        try:
            return asyncio.run(measure(given, url, token, server.pid, store))
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait(180)


def sample(folder: Path) -> Path:
    """Return a store of the sample corpus."""
    run("ingest", ROOT / "examples" / "plant", "--store", folder / "store")
    return folder / "store"


def control(store: Path) -> str:
    """Return the store's own settings with no rate limit for one caller, who stands for many here."""
    own = store / "remit.toml"
    text = own.read_text(encoding="utf-8") if own.is_file() else ""
    return (
        f"{text}\n[serve]\nper_minute = 0\nwaiting = 512\n[identity]\nkeys = {json.dumps(str(store / 'keys.json'))}\n"
    )


def run(*arguments: object) -> str:
    """Run `remit`, and return what it printed."""
    return subprocess.run([REMIT, *map(str, arguments)], capture_output=True, text=True, check=True).stdout


def start(store: Path, folder: Path) -> tuple[subprocess.Popen[bytes], str]:
    """Start the service on a free port; return its process and address."""
    log = folder / "log"
    arguments = ["serve", "--store", store, "--port", 0, "--config", folder / "remit.toml"]
    with log.open("wb") as file:
        process = subprocess.Popen([REMIT, *map(str, arguments)], stderr=file)
    for _ in range(3000):
        for line in log.read_text(encoding="utf-8").splitlines():
            if "running on http://" in line:
                return process, "http://" + json.loads(line)["message"].partition("http://")[2].partition(" ")[0]
        time.sleep(0.1)
    raise SystemExit(log.read_text(encoding="utf-8"))


def questions() -> list[str]:
    """Return questions of the sample corpus, answerable and not."""
    lines = (ROOT / "examples" / "plant" / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line)["question"] for line in lines if line.strip()]


class Load:
    """Requests under way, and what became of them."""

    def __init__(self, client: httpx.AsyncClient) -> None:
        self.client, self.asked = client, questions()
        self.seconds: list[float] = []
        self.searched: list[float] = []
        self.errors: list[str] = []
        self.traces: list[str] = []
        self.decisions: dict[str, int] = {}

    async def ask(self, number: int) -> None:
        """Ask one question; its time counts from when it was due, waiting for a connection included."""
        began = time.monotonic()
        try:
            done = await self.client.post("/v1/ask", json={"question": self.asked[number % len(self.asked)]})
            shown = done.json()
            if done.status_code != 200:  # noqa: PLR2004 - anything else is an error here
                self.errors.append(f"{done.status_code} {shown.get('detail')}")
                return
        except httpx.HTTPError as error:
            self.errors.append(type(error).__name__)
            return
        self.seconds.append(time.monotonic() - began)
        self.traces.append(shown["trace"])
        self.decisions[shown["decision"]] = self.decisions.get(shown["decision"], 0) + 1

    async def search(self) -> None:
        """Search once."""
        began = time.monotonic()
        done = await self.client.post("/v1/search", json={"query": "seal of a pump"})
        if done.status_code != 200:  # noqa: PLR2004 - as above
            self.errors.append(f"search {done.status_code}")
        self.searched.append(time.monotonic() - began)

    async def run(self, rate: float, seconds: float) -> None:
        """Ask at a rate for so long, and search once a second beside it; return when all are answered."""
        began, running, sent = time.monotonic(), set(), 0
        while time.monotonic() - began < seconds:
            due = int((time.monotonic() - began) * rate) + 1
            while sent < due:
                running.add(asyncio.create_task(self.ask(sent)))
                if sent % max(1, int(rate)) == 0:
                    running.add(asyncio.create_task(self.search()))
                sent += 1
            await asyncio.sleep(0.005)
        await asyncio.gather(*running)


async def measure(given: argparse.Namespace, url: str, token: str, pid: int, store: Path) -> int:
    """Warm up, load, and print."""
    limits = httpx.Limits(max_connections=given.connections, max_keepalive_connections=given.connections)
    headers = {"authorization": f"Bearer {token}"}
    async with httpx.AsyncClient(base_url=url, headers=headers, limits=limits, timeout=120) as client:
        warm = Load(client)
        await warm.run(given.rate, WARM_SECONDS)
        before, cpu = memory(pid), processor(pid)
        load = Load(client)
        await load.run(given.rate, given.minutes * 60)
        grown, used = memory(pid) - before, processor(pid) - cpu
        p50, p95, p99 = (percentile(load.seconds, share) for share in (0.5, 0.95, 0.99))
        print(
            f"questions      {len(load.seconds)} at {given.rate:g} a second, {given.connections} connections, {load.decisions}"
        )
        print(
            f"errors         {len(load.errors) + len(warm.errors)} (bound 0) {sorted(set(load.errors + warm.errors))[:5]}"
        )
        print(
            f"seconds        p50 {p50:.3f}, p95 {p95:.3f} (bound {BOUND_P95}), p99 {p99:.3f}, most {max(load.seconds):.3f}"
        )
        print(f"search seconds p50 {percentile(load.searched, 0.5):.3f}, p95 {percentile(load.searched, 0.95):.3f}")
        print(f"processor      {1000 * used / max(1, len(load.seconds)):.1f} ms a question")
        print(f"memory         {before:.0f} MB after warming up, {grown:+.1f} MB since (bound {BOUND_GROWTH_MB})")
        lost = incomplete(store, warm.traces + load.traces)
        print(f"journal        {len(warm.traces + load.traces)} answered, {lost} of them not closed on disk (bound 0)")
        if given.saturate:
            await saturation(client)
    missed = [load.errors + warm.errors, p95 > BOUND_P95, grown > BOUND_GROWTH_MB, lost]
    return 1 if any(missed) else 0


async def saturation(client: httpx.AsyncClient) -> None:
    """Print the rate at which the 95th percentile passes a second, or an error comes."""
    rate = 5.0
    while True:
        load = Load(client)
        await load.run(rate, 12)
        p95 = percentile(load.seconds, 0.95)
        print(f"at {rate:5.1f} a second: p95 {p95:.3f} s, {len(load.errors)} errors", flush=True)
        if p95 > 1 or load.errors:
            print(f"saturated at   {rate:g} questions a second")
            return
        rate *= 1.5


def percentile(values: list[float], share: float) -> float:
    """Return the value below which that share lies."""
    ordered = sorted(values) or [float("inf")]
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def memory(pid: int) -> float:
    """Return the resident memory of a process in MB."""
    pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def processor(pid: int) -> float:
    """Return the processor time of a process in seconds."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def incomplete(store: Path, traces: list[str]) -> int:
    """Return how many of the traces that were handed out are not closed on disk."""
    with sqlite3.connect(f"{(store / 'journal.db').as_uri()}?mode=ro", uri=True) as journal:
        closed = {trace for (trace,) in journal.execute("SELECT trace FROM closed")}
    journal.close()
    return len(set(traces) - closed) + len(traces) - len(set(traces))


if __name__ == "__main__":
    sys.exit(main())
