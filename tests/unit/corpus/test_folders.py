"""Which files an ingest reads."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from remit.corpus.control import Control
from remit.corpus.folders import find_files

NAMES = ("A.md", "B.md", "a/x.md", "b/x.md", "b/y.md")


@pytest.mark.parametrize("said", [".", "./", "../here", "../here/", "../here/../here", "whole"])
def test_every_file_is_read_however_its_folder_is_named(
    said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder has the same files by each of its names, those too that differ in their first letter alone."""
    here = tmp_path / "here"
    for name in NAMES:
        (here / name).parent.mkdir(parents=True, exist_ok=True)
        (here / name).write_text("text", encoding="utf-8")
    monkeypatch.chdir(here)
    found = find_files([Path(here if said == "whole" else said)], Control())
    assert sorted(NAMES) == sorted(source.relative for source in found.sources)
    assert {os.path.realpath(source.path) for source in found.sources} == {str(here / name) for name in NAMES}


def test_a_file_that_is_named_twice_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder, a folder in it, a file and a link to it, by different names: each file once."""
    for name in NAMES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("text", encoding="utf-8")
    (tmp_path / "C.md").symlink_to(tmp_path / "A.md")
    monkeypatch.chdir(tmp_path)
    found = find_files([Path(), Path("b"), Path("A.md"), tmp_path, tmp_path / "B.md"], Control())
    assert sorted(NAMES) == sorted(os.path.relpath(os.path.realpath(source.path)) for source in found.sources)


def test_a_store_beside_the_documents_is_passed_over(tmp_path: Path) -> None:
    """The files of a store are no documents: neither read nor rejected."""
    for name in ("a.md", "store/store.db", "store/journal/x.jsonl", "notes/store.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("text", encoding="utf-8")
    found = find_files([tmp_path], Control())
    assert (["a.md", "notes/store.md"], ()) == ([source.relative for source in found.sources], found.faults)
