import json
import subprocess
import sys

import numpy as np
import pytest

from remit.adapters.sentence import SentenceTransformerEncoder
from remit.errors import MissingPrerequisite


@pytest.fixture
def folder(tmp_path):
    """Return a folder that looks like a model's."""
    (tmp_path / "model.safetensors").write_bytes(b"\0" * 64)
    (tmp_path / "config.json").write_text("{}", encoding="utf-8")
    return tmp_path


def test_the_name_tells_one_build_from_another(folder):
    """Other weights in a folder of the same name are another encoder: their vectors are never mixed."""
    before = SentenceTransformerEncoder(folder).name
    assert before == SentenceTransformerEncoder(folder).name
    (folder / "model.safetensors").write_bytes(b"\1" * 64)
    assert before != SentenceTransformerEncoder(folder).name


@pytest.mark.parametrize("kept", [[], ["config.json"]])
def test_a_folder_without_weights_is_refused(tmp_path, kept):
    """A path that holds no model says so when the encoder is made, not at the first text."""
    for name in kept:
        (tmp_path / name).write_text(json.dumps({}), encoding="utf-8")
    with pytest.raises(MissingPrerequisite, match="holds no sentence-transformers model"):
        SentenceTransformerEncoder(tmp_path)


def test_making_one_loads_nothing():
    """Neither torch nor the library is loaded before there is a text."""
    code = (
        "import sys; from remit.adapters.sentence import SentenceTransformerEncoder as E; E('some/model');"
        "print({'torch', 'sentence_transformers'} & {*sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "set()" == done.stdout.strip()


def test_without_the_library_the_extra_is_named(monkeypatch, folder):
    """Whoever lacks the extra reads how to install it."""
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(MissingPrerequisite, match=r"pip install 'remit\[local\]'"):
        SentenceTransformerEncoder(folder).embed(["pump"])


class Library:
    """Stands in for the library: vectors of three numbers, or a failure."""

    def __init__(self, name, **options):
        if name == "not/here":
            raise OSError("We couldn't connect to the hub,\nand it is not in the cached files")
        self.options = options

    def encode(self, texts, batch_size, **options):
        assert 1 == batch_size, "padding would let one text move another's vector"
        return np.array([[len(text), 1.0, 0.0] for text in texts], dtype=np.float32)


@pytest.fixture
def library(monkeypatch):
    """Put the stand-in where the library would be."""
    module = type(sys)("sentence_transformers")
    module.SentenceTransformer = Library
    monkeypatch.setitem(sys.modules, "sentence_transformers", module)


def test_a_model_that_is_not_on_this_machine_is_refused_with_the_fix(library):
    """Nothing is downloaded; the error says in one line what to give instead."""
    with pytest.raises(MissingPrerequisite, match=r"not/here cannot be loaded .*Download it first") as caught:
        SentenceTransformerEncoder("not/here").embed(["pump"])
    assert "\n" not in str(caught.value)


def test_only_local_files_are_read_and_no_code_of_the_model_runs(library):
    """The library is told so whatever the model says."""
    encoder = SentenceTransformerEncoder("some/model")
    encoder.embed(["pump"])
    options = encoder._loaded.options
    assert (True, False) == (options["local_files_only"], options["trust_remote_code"])


def test_vectors_are_units_in_the_order_of_the_texts(library):
    """Texts without words are zeros and are not sent to the model."""
    encoder = SentenceTransformerEncoder("some/model")
    vectors = encoder.embed(["pump", " ", "a turbine"])
    assert 3 == encoder.dimension
    assert np.allclose([1, 0, 1], np.linalg.norm(vectors, axis=1))
    assert np.allclose(np.array([4, 1, 0]) / np.sqrt(17), vectors[0])
    assert vectors[2][0] > vectors[0][0]
