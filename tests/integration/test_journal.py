"""The journal under several processes, and under a kill."""

import os
import signal
import subprocess
import sys
from datetime import UTC, datetime

import pytest

from remit.record.journal import Journal

pytestmark = pytest.mark.integration

WRITER = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from remit.record.journal import Journal
from remit.record.trace import Entry

journal, name = Journal(Path(sys.argv[1])), sys.argv[2]
now = datetime(2026, 11, 30, tzinfo=UTC)
for number in range(int(sys.argv[3])):
    trace = f"{name}-{number}"
    journal.open(trace, asker=name, question="q", at=now)
    journal.close(trace, entries=[Entry(kind="Snapshot", data={"number": number})], decision=None, at=now)
    print(trace, flush=True)
journal.open(f"{name}-open", asker=name, question="q", at=now)
print("waiting", flush=True)
sys.stdin.read()
"""


def writer(path, name, count):
    """Start a process that writes `count` closed traces, says so for each, and then leaves one open."""
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), name, str(count)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def finish(process):
    """End a writer that waits."""
    process.stdin.close()
    process.stdout.close()
    assert 0 == process.wait()


def test_several_processes_write_at_once(tmp_path):
    """Processes that start together on a new file lose no row and see no lock."""
    processes = [writer(tmp_path / "journal.db", f"p{number}", 20) for number in range(4)]
    for process in processes:
        assert 21 == len([process.stdout.readline() for _ in range(21)])
        finish(process)
    journal = Journal(tmp_path / "journal.db")
    states = [journal.read(f"p{process}-{number}").state for process in range(4) for number in range(20)]
    assert ["closed"] * 80 == states
    assert 4 == journal.unfinished()
    assert () == journal.faults()
    journal.shut()


def test_a_kill_loses_nothing_that_was_acknowledged(tmp_path):
    """After kill -9 every trace whose closing returned is there, and the one in flight reads as unfinished."""
    process = writer(tmp_path / "journal.db", "p", 10)
    said = [process.stdout.readline().strip() for _ in range(11)]
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    process.stdin.close()
    process.stdout.close()
    assert "waiting" == said[-1]
    journal = Journal(tmp_path / "journal.db")
    assert ["closed"] * 10 == [journal.read(trace).state for trace in said[:-1]]
    assert "unfinished" == journal.read("p-open").state
    journal.open("after", asker="p", question="q", at=datetime(2026, 11, 30, tzinfo=UTC))
    journal.shut()
