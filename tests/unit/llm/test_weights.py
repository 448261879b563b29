import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from remit.errors import InvalidInput, NothingThere
from remit.llm.weights import FILE, packed, read_weights, resolved

SHAPES = arrays.array_shapes(min_dims=1, max_dims=2, max_side=4)
HELD = st.dictionaries(st.text("abc.", min_size=1, max_size=6), arrays.arrays(np.float32, SHAPES), max_size=4)


@given(HELD, st.dictionaries(st.text("xyz", min_size=1), st.text(max_size=8), max_size=3))
def test_what_was_written_is_read(tmp_path_factory, held, said):
    """Arrays and words come back as they were, from a file and from a folder, and equal content has equal bytes."""
    folder = tmp_path_factory.mktemp("weights")
    raw = packed(held, said)
    assert raw == packed(dict(reversed(held.items())), dict(reversed(said.items())))
    (folder / FILE).write_bytes(raw)
    for path in (folder, folder / FILE):
        stored = read_weights(path)
        assert said == stored.said
        assert held.keys() == stored.arrays.keys()
        assert all(np.array_equal(held[name], stored.arrays[name], equal_nan=True) for name in held)


@pytest.mark.parametrize("raw", [b"", b"PK\x03\x04 an older file", b"\xff" * 64, b"\x02\0\0\0\0\0\0\0{}trailing"])
def test_other_bytes_are_no_weights(tmp_path, raw):
    """A file that holds no weights is named, with the way out."""
    (tmp_path / "w.safetensors").write_bytes(raw)
    with pytest.raises(InvalidInput, match=r"w\.safetensors.*train them again"):
        read_weights(tmp_path / "w.safetensors")


def test_a_cut_file_is_no_weights(tmp_path):
    """A file that was cut short is refused wherever it was cut."""
    raw = packed({"a": np.ones((3, 3), np.float32)}, {"version": "1"})
    for cut in range(0, len(raw), 7):
        (tmp_path / "cut").write_bytes(raw[:cut])
        with pytest.raises(InvalidInput):
            read_weights(tmp_path / "cut")


def test_weights_are_found_by_path_beside_the_settings_and_by_hub_id(tmp_path):
    """A path, one relative to the settings, and an id in the local cache; what lies nowhere is told, nothing is fetched."""
    beside, hub = tmp_path / "store", tmp_path / "hub"
    kept = hub / "models--org--planner"
    (kept / "refs").mkdir(parents=True)
    (kept / "refs" / "main").write_text("abc123")
    (kept / "snapshots" / "abc123").mkdir(parents=True)
    (beside / "planner").mkdir(parents=True)
    assert beside / "planner" == resolved("planner", beside=beside, hub=hub)
    assert tmp_path / "hub" == resolved(tmp_path / "hub", beside=beside)
    assert kept / "snapshots" / "abc123" == resolved("org/planner", beside=beside, hub=hub)
    for name in ("org/other", "planner2"):
        with pytest.raises(NothingThere, match="hf download"):
            resolved(name, beside=beside, hub=hub)
