"""How the suites are shipped: documented, importable by name, with telling failures, and of no cost to who does not test."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import remit.testing

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "conformance.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL)
FORGETFUL = """
from remit.testing import PolicySuite
class TestNothing(PolicySuite):
    pass
"""


def run(folder, text, *more):
    """Run pytest on a file of this text, as somebody else's project would."""
    (folder / "test_mine.py").write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "error", "test_mine.py", *more]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False)


@pytest.mark.e2e
@pytest.mark.slow
def test_the_page_runs_as_it_stands(tmp_path):
    """The blocks of docs/conformance.md, in one file, are a run that passes: no test fails and none is skipped."""
    done = run(tmp_path, "\n".join(BLOCKS))
    assert 0 == done.returncode, done.stdout
    assert re.search(r"^\d{3} passed in", done.stdout, flags=re.MULTILINE), done.stdout


@pytest.mark.e2e
def test_a_failure_tells_what_was_there(tmp_path):
    """Assertions of a suite show their values, although it stands in an installed package."""
    text = BLOCKS[0].replace('frozenset({"public"}', 'frozenset({"public", "minutes"}')
    done = run(tmp_path, text, "-k", "stranger and root")
    assert 1 == done.returncode
    assert "'minutes'" in done.stdout


@pytest.mark.e2e
def test_a_fixture_that_was_forgotten_is_named(tmp_path):
    """Whoever inherits and overrides nothing reads what to override."""
    done = run(tmp_path, FORGETFUL, "-k", "stranger and root")
    assert "override the fixture `policy`" in done.stdout


@pytest.mark.parametrize("name", remit.testing.__all__)
def test_public_names_are_there(name):
    """Each name in `__all__` is documented on the page and can be imported."""
    assert hasattr(remit.testing, name)
    assert f"`{name}`" in PAGE or f"import {name}" in PAGE or f", {name}" in PAGE


def test_public_names_are_listed():
    """`dir` shows them, and a name that is none is refused."""
    assert sorted(remit.testing.__all__) == sorted(dir(remit.testing))
    assert not hasattr(remit.testing, "CorpusSuit")


def test_nothing_else_loads_pytest():
    """Neither the package, nor its public names, nor its engine needs what only tests need."""
    code = "import sys; from remit import *; import remit.engine, remit.serve.cli; print('pytest' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "False" == done.stdout.strip()
