"""What cannot start, or cannot be written, is told in one line that names what to do; nothing is made or changed."""

import os
import shutil
import socket
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.e2e

REMIT = Path(sys.executable).with_name("remit")
RIGHTS = "-dac_override,-dac_read_search"
WHO = ("--as", "mara:maintenance")


def told(*command, under=()):
    """Run a command, and return its exit code and the one line that it told."""
    done = subprocess.run([*under, REMIT, *command], capture_output=True, text=True, check=False, timeout=120)
    lines = done.stderr.strip().splitlines()
    assert "Traceback" not in done.stderr
    return done.returncode, lines[-1] if lines else ""


def newer_journal(store):
    """Make the journal one that a newer Remit wrote."""
    with sqlite3.connect(store / "journal.db") as journal:
        journal.execute("PRAGMA user_version = 99")
    journal.close()


def other_encoder(store):
    """Name another encoder than the store's."""
    (store / "remit.toml").write_text('[encoder]\nkind = "static"\n')


@pytest.mark.parametrize(
    ("spoil", "words"), [(newer_journal, "newer Remit"), (other_encoder, "re-embed")], ids=["journal", "encoder"]
)
def test_a_service_that_lacks_something_does_not_start(store, spoil, words):
    """What questions need and is not there ends the start with 3 and in words, not in a log of tracebacks."""
    spoil(store)
    code, line = told("serve", "--store", store, "--port", "0")
    assert (3, True) == (code, line.startswith("remit: ") and words in line), line


def test_an_address_that_cannot_be_had_is_named(store):
    """A port that is taken, and a host that is not this machine, end the start with 3 and say how to name another."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        for host, why in (("127.0.0.1", "in use"), ("203.0.113.7", "assign"), ("no.such.host.invalid", "not known")):
            code, line = told("serve", "--store", store, "--host", host, "--port", port)
            assert (3, True) == (code, f"listen on {host} port {port}" in line), line
            assert why in line
            assert "--port" in line


@pytest.fixture
def reader():
    """What runs a command without the right to write what only its owner may."""
    if os.geteuid():
        return ()
    if shutil.which("setpriv") is None:
        pytest.skip("needs setpriv, as root may write everything")
    return ("setpriv", f"--bounding-set={RIGHTS}", f"--inh-caps={RIGHTS}")


@pytest.mark.parametrize(
    "command",
    [
        ("serve", "--port", "0"),
        ("ask", "How often?", *WHO),
        ("backup", "copy"),
        ("key", "new", "mara:maintenance"),
        ("journal", "prune", "--older-than", "3", "--yes"),
        ("delete", "PR-1", "--yes"),
    ],
    ids=lambda command: command[0],
)
def test_a_folder_that_cannot_be_written_is_named(store, tmp_path, monkeypatch, reader, run, command):
    """On a store that may only be read every command ends with 3 and names the folder; the store stays as it was."""
    assert 0 == run("ask", "How often?", "--store", store, *WHO).code
    monkeypatch.chdir(tmp_path)
    before = {path.name: path.read_bytes() for path in store.iterdir() if path.is_file()}
    places = [store, *store.rglob("*")]
    for path in places:
        path.chmod(path.stat().st_mode & 0o555)
    try:
        code, line = told(*command, "--store", store, under=reader)
        assert (3, True) == (code, str(store) in line), line
        assert not (tmp_path / "copy").exists()
    finally:
        for path in places:
            path.chmod(path.stat().st_mode | 0o200)
    assert before == {path.name: path.read_bytes() for path in store.iterdir() if path.is_file()}


def test_doctor_does_not_call_a_folder_that_cannot_be_written_damaged(store, reader, tmp_path):
    """It says which permission is missing, and does not tell to restore a backup."""
    store.chmod(0o555)
    try:
        done = subprocess.run([*reader, REMIT, "doctor", "--store", store], capture_output=True, text=True, check=False)
    finally:
        store.chmod(0o755)
    said = " ".join(done.stdout.split())
    assert (3, True) == (done.returncode, "permission" in said), said
    assert "restore a backup" not in said
    assert "[policy]" not in said
