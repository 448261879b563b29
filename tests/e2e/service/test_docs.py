"""The examples of docs/service.md, run as they are written."""

import os
import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.e2e, pytest.mark.slow]

ROOT = Path(__file__).resolve().parents[3]
TEXT = (ROOT / "docs" / "service.md").read_text(encoding="utf-8")


@pytest.mark.skipif(shutil.which("curl") is None, reason="the example calls curl")
def test_the_first_example_runs(tmp_path):
    """From documents to a key, a service, a question by curl and one by the OpenAI client, in one empty folder."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    shell, program = (
        re.search(rf"^```{name}\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)[1] for name in ("bash", "python")
    )
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    (tmp_path / "program.py").write_text(program.replace(":8000", f":{port}"))
    lines = [
        "set -eu",
        "trap 'kill $!; wait' EXIT",
        shell.replace(":8000", f":{port}").replace("serve --store store", f"serve --store store --port {port}"),
        "echo; echo; python program.py",
    ]
    environ = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    command = ["bash", "-c", "\n".join(lines)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environ, timeout=300, check=False)
    assert '"decision":"answer"' in done.stdout, done.stderr
    assert '"answer":"2,500 operating hours"' in done.stdout
    assert "2,500 operating hours [1]" in done.stdout
