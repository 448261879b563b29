"""Each known bug of published code has a test here, and the page that says so names one that is there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
NAMED = re.findall(r"`(tests/\S+\.py)::(\w+)`", (ROOT / "docs" / "comparisons.md").read_text(encoding="utf-8"))


def test_every_trap_is_listed():
    """All the traps that were seen have their row."""
    assert 15 == len(NAMED)


@pytest.mark.parametrize(("file", "name"), NAMED)
def test_the_test_is_there(file, name):
    """A test that is named by the page stands in the file it is said to stand in."""
    assert f"def {name}(" in (ROOT / file).read_text(encoding="utf-8")
