import json
import shutil
from pathlib import Path

import pytest

import remit
from remit.evaluate.code import WEIGHTS, code_of


@pytest.fixture
def package(tmp_path):
    """A package of three files: code, a prompt, and weights."""
    made = tmp_path / "one" / "remit"
    (made / "rerank").mkdir(parents=True)
    (made / "__init__.py").write_text("A = 1\n")
    (made / "rerank" / "listwise.txt").write_text("[user]\n")
    (made / "rerank" / "head.safetensors").write_bytes(b"\x00\x01")
    return made


def other(package, name, change):
    """Return which digests a change to one file moves."""
    before = code_of(package)
    change(package / name)
    return {key for key, value in code_of(package).items() if value != before[key]}


@pytest.mark.parametrize(
    ("name", "moved"),
    [("__init__.py", "source"), ("rerank/listwise.txt", "source"), ("rerank/head.safetensors", "weights")],
)
def test_a_file_that_changes_changes_its_digest_alone(package, name, moved):
    """One octet more of code or of a prompt is other source, of weights other weights."""
    assert {moved} == other(package, name, lambda path: path.write_bytes(path.read_bytes() + b"\n"))


@pytest.mark.parametrize("name", ["new.py", "rerank/new.py"])
def test_a_file_added_or_taken_away_changes_it(package, name):
    """A file that is empty counts by its name."""
    assert {"source"} == other(package, name, lambda path: path.write_bytes(b""))
    assert {"source"} == other(package, name, lambda path: path.unlink())


def test_a_file_under_another_name_changes_it(package):
    """The same octets somewhere else are another package."""
    assert {"source"} == other(package, "rerank/listwise.txt", lambda path: path.rename(package / "listwise.txt"))


def test_what_python_and_editors_leave_is_no_part_of_it(package):
    """Compiled files and hidden ones do not count."""
    assert set() == other(package, "__pycache__", lambda path: (path.mkdir(), (path / "a.pyc").write_bytes(b"1")))
    assert set() == other(package, ".a.py.swp", lambda path: path.write_bytes(b"1"))


def test_it_is_the_same_wherever_it_lies(package, tmp_path):
    """No path of the machine goes into it or comes out of it."""
    moved = shutil.copytree(package, tmp_path / "two" / "site" / "remit")
    assert code_of(package) == code_of(moved)
    assert str(tmp_path) not in json.dumps(code_of(package))


def test_it_is_that_of_the_package_that_runs():
    """Without a folder it is the installed package, whose weights are all of a kind that is known."""
    folder = Path(remit.__file__).parent
    assert code_of() == code_of(folder)
    large = {p.suffix for p in folder.rglob("*") if p.is_file() and p.stat().st_size > 100_000 and p.suffix != ".json"}
    assert large <= WEIGHTS | {".pyc"}
