import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from remit import Principal, Remit
from remit.adapters import static
from remit.adapters.static import StaticEncoder
from remit.errors import MissingPrerequisite

TORQUE = "Tighten the flange bolts to 45 Nm."
SAME = "The bolts of the flange must be torqued to 45 newton metres."
OTHER = "Payslips are kept by the accounts office for ten years."
FOLDER = Path(static.__file__).with_name("static_files")


@pytest.fixture(scope="module")
def encoder():
    """Return one encoder for all tests."""
    return StaticEncoder()


def test_what_means_the_same_lies_near(encoder):
    """A paraphrase is nearer than a sentence about something else, by a wide margin."""
    torque, same, other = encoder.embed([TORQUE, SAME, OTHER])
    assert torque @ same > 0.5
    assert torque @ other < 0.2


@given(st.lists(st.text(max_size=80), max_size=6), st.randoms())
def test_a_text_has_one_vector_in_any_batch(encoder, texts, random):
    """Neither neighbours nor order move a vector by a bit, and every vector has length 1 or is zeros."""
    order = random.sample(range(len(texts)), len(texts))
    together = encoder.embed(texts)
    assert np.array_equal(together[order], encoder.embed([texts[at] for at in order]))
    for text, row in zip(texts, together, strict=True):
        assert np.array_equal(encoder.embed([text])[0], row)
        assert np.isclose(np.linalg.norm(row), 1, atol=1e-6) or not row.any()


def test_the_order_of_words_moves_no_bit(encoder):
    """A sum of whole numbers is the same in any order: the encoder knows which words there are, and no more."""
    one, other = encoder.embed(["the pump drives the old turbine", "turbine old the drives pump the"])
    assert one.tolist() == other.tolist()


def test_a_long_text_is_read_from_its_beginning(encoder):
    """What comes after the last piece that is read does not count."""
    start = "bolt " * static.LONGEST
    assert np.array_equal(encoder.embed([start]), encoder.embed([start + OTHER]))


def test_a_text_without_pieces_is_zeros(encoder):
    """Nothing and blanks give zeros, never NaN."""
    assert not encoder.embed(["", " \n"]).any()


def test_signs_that_the_vocabulary_lacks_hardly_count(encoder):
    """Beside a known word they move nothing to speak of; alone they have a vector, as the port wants."""
    pump, both, alone = encoder.embed(["pump", "pump \U0001f642", "\U0001f642"])
    assert pump @ both > 0.999
    assert np.isclose(np.linalg.norm(alone), 1)


def test_threads_share_one_encoder():
    """Texts encoded at the same time, from the first on, have the vectors they have alone."""
    encoder, texts = StaticEncoder(), [TORQUE, SAME, OTHER] * 5
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda text: encoder.embed([text])[0], texts))
    assert np.array_equal(encoder.embed(texts), np.stack(found))


def test_the_name_holds_the_digest_of_the_weights_that_ship(encoder):
    """Other weights cannot go by the same name; the notice speaks of this very file."""
    digest = sha256((FOLDER / "weights.npz").read_bytes()).hexdigest()
    assert static.DIGEST == digest
    assert digest[:12] in encoder.name
    assert digest in (FOLDER / "NOTICE").read_text("utf-8")


def test_the_weights_are_small():
    """They fit into ten megabytes, and a row is whole numbers: eight bits each, and one weight."""
    assert (FOLDER / "weights.npz").stat().st_size < 10_000_000
    values, weights = static._weights(FOLDER / "weights.npz")
    assert (np.int8, np.uint16) == (values.dtype, weights.dtype)
    assert (len(values), StaticEncoder.dimension) == values.shape
    assert len(values) == len(weights)


@pytest.mark.parametrize("content", [None, b"not the weights"])
def test_missing_or_damaged_weights_are_named(tmp_path, content):
    """A file that is gone or another ends in one line that mends it."""
    path = tmp_path / "weights.npz"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(MissingPrerequisite, match="pip install"):
        static._weights(path)


def test_making_an_encoder_loads_nothing():
    """Whoever embeds nothing pays for nothing, and whoever does needs no onnxruntime and no torch."""
    code = (
        "import sys; from remit.adapters.static import StaticEncoder; e = StaticEncoder();"
        "print('tokenizers' in sys.modules); e.embed(['pump']); print({'onnxruntime', 'torch'} & {*sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ["False", "set()"] == done.stdout.split()


@pytest.mark.integration
def test_a_store_is_encoded_by_it_and_by_no_other(tmp_path):
    """Chosen in the store's own file, it encodes and searches; the default encoder is then refused, with the way over."""
    document = tmp_path / "torque.md"
    document.write_text(
        "---\nlabels: [public]\n---\n# Torque\n\nThe cover bolts are tightened to 45 Nm.\n", encoding="utf-8"
    )
    store = tmp_path / "store"
    store.mkdir()
    (store / "remit.toml").write_text('[encoder]\nkind = "static"\n', encoding="utf-8")
    with Remit.open(store, make=True, environ={}) as remit:
        assert 1 == remit.ingest([document]).passages
        [hit] = remit.search("how tight are the bolts", principal=Principal(id="mara")).hits
        assert hit.dense > 0.2
    (store / "remit.toml").write_text("", encoding="utf-8")
    with Remit.open(store, environ={}) as remit, pytest.raises(MissingPrerequisite, match="re-embed"):
        remit.ingest([document])
