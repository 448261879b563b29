"""Vectors from an endpoint: what is sent, what is believed, and what each fault is called."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from remit.adapters.openai_embed import OpenAiEmbed, embeddings_url
from remit.errors import InvalidInput, ProviderBusy, ProviderFailed

KEY = "sk-very-secret-000"


class Played(BaseHTTPRequestHandler):
    """Gives each request the next reply of the server's script, and keeps what was asked."""

    def do_POST(self):
        content = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.asked.append((self.path, self.headers.get("Authorization"), json.loads(content)))
        status, body, headers = self.server.script.pop(0)
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"Content-Length": str(len(content)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *args):
        """Say nothing."""


@pytest.fixture
def server():
    """Return a server with an empty script."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Played)
    server.script, server.asked = [], []
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


def to(server, **more):
    """Return an encoder of three numbers behind the server."""
    return OpenAiEmbed(f"http://127.0.0.1:{server.server_port}/v1", "m", 3, KEY, **more)


def vectors(*rows):
    """Return a reply with these vectors, in this order."""
    return 200, {"data": [{"index": at, "embedding": row} for at, row in enumerate(rows)]}, {}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("http://h:1", "http://h:1/v1/embeddings"),
        ("http://h:1/v1/", "http://h:1/v1/embeddings"),
        ("https://x.example/v1/embeddings", "https://x.example/v1/embeddings"),
    ],
)
def test_a_base_url_is_taken_with_or_without_its_version(given, expected):
    """However the base is written, embeddings are found below its version."""
    assert expected == embeddings_url(given)


@pytest.mark.parametrize("given", ["", "ftp://x", f"http://me:{KEY}@h/v1", f"http://h/v1?key={KEY}"])
def test_what_is_no_url_or_holds_a_key_is_refused(given):
    """The error speaks of the encoder and repeats no key."""
    with pytest.raises(InvalidInput, match="encoder URL") as caught:
        embeddings_url(given)
    assert KEY not in str(caught.value)


def test_texts_go_out_in_batches_and_come_back_in_order(server):
    """Vectors are put where their index says, and given length 1; blanks are not sent."""
    one, two = vectors([3.0, 0, 0], [0, 4.0, 0]), vectors([0, 0, 5.0])
    one[1]["data"].reverse()
    server.script += [one, two]
    found = to(server, batch=2).embed(["a", " ", "b", "c"])
    assert [[1, 0, 0], [0, 0, 0], [0, 1, 0], [0, 0, 1]] == found.tolist()
    assert np.float32 == found.dtype
    assert [["a", "b"], ["c"]] == [asked["input"] for _, _, asked in server.asked]
    assert {("/v1/embeddings", f"Bearer {KEY}")} == {(path, key) for path, key, _ in server.asked}


def test_a_long_text_is_cut(server):
    """A server refuses what is too long for its model: it is sent the beginning."""
    server.script.append(vectors([1.0, 0, 0]))
    to(server, longest=5).embed(["123456789"])
    assert ["12345"] == server.asked[0][2]["input"]


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        ((200, b"<html>", {}), "sent no list of vectors"),
        ((200, {"data": [{"index": 0}]}, {}), "sent no list of vectors"),
        (vectors([1.0, 0, 0], [1.0, 0, 0]), "2 vectors for 1 texts"),
        ((200, {"data": [{"index": 1, "embedding": [1.0, 0, 0]}]}, {}), "1 vectors for 1 texts"),
        (vectors([1.0, 0]), "2 numbers a vector, not 3: set dimension"),
        (vectors([0.0, 0, 0]), "points nowhere"),
        ((200, b'{"data": [{"index": 0, "embedding": [NaN, 0, 0]}]}', {}), "points nowhere"),
        ((401, {"error": {"message": f"bad key {KEY}"}}, {}), "the key was not accepted"),
        ((404, b"", {}), "check URL and model"),
        ((400, {"error": {"message": f"too long {KEY}"}}, {}), r"failed \(status 400\): too long \[key\]"),
        ((500, b"<html>", {}), r"failed \(status 500\)"),
    ],
)
def test_every_fault_ends_in_plain_words(server, reply, words):
    """Whatever is not one right vector a text is named, with what to check, and without the key."""
    server.script.append(reply)
    with pytest.raises(ProviderFailed, match=words) as caught:
        to(server).embed(["a"])
    assert KEY not in str(caught.value)


def test_a_busy_provider_is_asked_again_after_the_wait_it_names(server):
    """An ingest of many batches outlives a rate limit."""
    waited = []
    server.script += [(429, b"", {"Retry-After": "7"}), (503, b"", {}), vectors([1.0, 0, 0])]
    assert [[1, 0, 0]] == to(server, pause=waited.append).embed(["a"]).tolist()
    assert [7.0, 1.0] == waited


def test_a_provider_that_stays_busy_is_given_up(server):
    """After the last try, or where it names a wait beyond half a minute, the error goes up."""
    server.script += [(429, b"", {})] * 4
    with pytest.raises(ProviderBusy, match="try again later"):
        to(server, pause=lambda seconds: None).embed(["a"])
    server.script.append((429, b"", {"Retry-After": "600"}))
    with pytest.raises(ProviderBusy):
        to(server).embed(["a"])
    assert 5 == len(server.asked)


def test_nobody_listens():
    """A port without a server is told in one line."""
    with pytest.raises(ProviderFailed, match="cannot be reached"):
        OpenAiEmbed("http://127.0.0.1:9", "m", 3).embed(["a"])


def test_the_key_is_nowhere_to_be_read():
    """Neither the adapter's text nor its name shows the key; a key no header can carry is refused unseen."""
    embed = OpenAiEmbed("http://localhost:1", "m", 3, KEY)
    assert KEY not in f"{embed!r} {embed} {embed.name}"
    with pytest.raises(InvalidInput) as caught:
        OpenAiEmbed("http://localhost:1", "m", 3, "sk-a\nX-Other: 1")
    assert "sk-a" not in str(caught.value)


@pytest.mark.parametrize("wrong", [{"dimension": 0}, {"batch": 0}, {"longest": 0}])
def test_numbers_below_one_are_refused(wrong):
    """They are an error when the encoder is made."""
    with pytest.raises(InvalidInput, match="1 or more"):
        OpenAiEmbed("http://localhost:1", "m", **{"dimension": 3, **wrong})
