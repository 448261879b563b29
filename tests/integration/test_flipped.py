"""A byte of a store that has changed: the same results as before, or an error that says what to do; never other results."""

import shutil

import pytest
from flipping import PAGE, flips, made, seen, tried

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """Return a store with revisions of every kind, on a segment and in none."""
    folder = tmp_path_factory.mktemp("flipped") / "store"
    made(folder)
    return folder


def test_a_flipped_byte_never_gives_other_results(store, tmp_path):
    """On every page: the same, or an error; what is other is found by a whole look; nothing gets outside its scope."""
    content, before = (store / "store.db").read_bytes(), seen(store)
    became = [tried(store, tmp_path / "copy", flip, before) for flip in flips(content, 60, seed=11)]
    assert {"same", "error"} == {one.kind for one in became} - {"other"}
    assert [] == [one for one in became if one.kind == "other" and not one.found]


def test_a_flipped_byte_of_a_segment_changes_nothing(store, tmp_path):
    """A segment is derived: a damaged one is left out and its rows are read from the record, with the same results."""
    before, copy = seen(store), tmp_path / "copy"
    for segment in sorted((store / "segments").glob("*.seg")):
        content = segment.read_bytes()
        for flip in flips(content, len(content) // PAGE + 3, seed=13):
            shutil.rmtree(copy, ignore_errors=True)
            shutil.copytree(store, copy)
            flip.into(copy / "segments" / segment.name)
            assert before == seen(copy), flip


def test_what_is_mended_and_ingested_again_is_as_it_was(store, tmp_path):
    """Damage that is not the file's structure is mended in one step; the documents come back by an ingest."""
    content, before = (store / "store.db").read_bytes(), seen(store)
    became = [tried(store, tmp_path / "copy", flip, before, mending=True) for flip in flips(content, 40, seed=12)]
    mended = [one.mended for one in became if one.mended]
    assert "as before" in mended
    assert set() == {one.partition(":")[0] for one in mended} - {"as before", "beyond"}
