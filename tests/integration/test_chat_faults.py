"""The OpenAI-compatible adapter against a server that plays every fault."""

from __future__ import annotations

import threading
import time

import faults
import pytest
from calling import PARIS, ask, stop_soon
from faults import KEY

from remit.adapters.openai import LARGEST, OpenAiChat
from remit.errors import Cancelled, ProviderBusy, ProviderFailed
from remit.llm.cancel import Patience
from remit.llm.chat import NOT_SENT, Wanted
from remit.llm.retry import AskedToWait, Retrying

pytestmark = pytest.mark.integration


@pytest.fixture
def faulty():
    """Return a server that plays faults."""
    with faults.serving() as server:
        yield server


def to(server, path):
    """Return a chat adapter for one behaviour of the server."""
    return OpenAiChat(f"http://127.0.0.1:{server.server_port}/{path}", "m", KEY)


@pytest.mark.parametrize(
    ("path", "text", "stop", "usage"),
    [
        ("good", "Paris", "stop", (11, 2)),
        ("unmarked", "Paris", "stop", (None, None)),
        ("plain", "Paris", "stop", (None, None)),
        ("uncounted", "Paris", "stop", (None, None)),
        ("cut", "Pa", "length", (11, 2)),
    ],
)
def test_replies_are_put_together(faulty, path, text, stop, usage):
    """Streamed or plain, counted or not, whole or cut by length: what came is told, and no more."""
    reply = ask(to(faulty, path))
    assert (text, stop, usage) == (reply.text, reply.stop, (reply.usage.prompt_tokens, reply.usage.reply_tokens))
    assert faulty.seen[0]["stream"] is True
    assert {"include_usage": True} == faulty.seen[0]["stream_options"]


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("unauthorized", "check the chat key"),
        ("broken", r"status 500\): boom \[key\]"),
        ("missing", "check URL and model"),
        ("moved", "check URL and model"),
        ("malformed", "not JSON"),
        ("shapeless", "no chat reply"),
        ("odd", "no chat reply"),
        ("empty", "empty reply"),
        ("starved", "empty reply: it was cut off"),
        ("html", "answered text/html"),
        ("untyped", "without a content type"),
        ("half", "broke off"),
        ("unfinished", "broke off"),
        ("reported", "out of memory"),
        ("filtered", "content filter"),
    ],
)
def test_every_fault_ends_in_plain_words(faulty, path, words):
    """Each fault is a failed provider, told in words, without the key, and well inside the deadline."""
    began = time.monotonic()
    with pytest.raises(ProviderFailed, match=words) as caught:
        ask(to(faulty, path), seconds=20)
    assert not isinstance(caught.value, ProviderBusy)
    assert KEY not in str(caught.value)
    assert time.monotonic() - began < 10


@pytest.mark.parametrize(("path", "seconds"), [("busy", None), ("wait", 7.0), ("dated", None)])
def test_a_busy_provider_may_be_tried_again(faulty, path, seconds):
    """429 and 503 are busy; the seconds to wait are kept where they are given as seconds."""
    with pytest.raises(ProviderBusy) as caught:
        ask(to(faulty, path))
    assert seconds == (caught.value.seconds if isinstance(caught.value, AskedToWait) else None)


def test_a_wait_beyond_the_deadline_ends_at_once(faulty):
    """Seven seconds to wait and three left: no wait, one request."""
    began = time.monotonic()
    with pytest.raises(ProviderBusy):
        ask(Retrying(to(faulty, "wait")), seconds=3)
    assert time.monotonic() - began < 2
    assert 1 == len(faulty.seen)


def test_nobody_listens():
    """A refused connection says to check the URL."""
    with pytest.raises(ProviderFailed, match="cannot be reached"):
        ask(OpenAiChat("http://127.0.0.1:9", "m", KEY), seconds=20)


@pytest.mark.parametrize("path", ["silent", "stalled"])
def test_silence_ends_at_the_deadline(faulty, path):
    """A provider that says nothing, or stops half-way, cannot hold a call beyond its deadline."""
    began = time.monotonic()
    with pytest.raises(Cancelled):
        ask(to(faulty, path), seconds=0.6)
    assert time.monotonic() - began < 3


@pytest.mark.parametrize("path", ["silent", "stalled"])
def test_silence_ends_with_the_signal(faulty, path):
    """The asker goes away: the call ends within a moment, and so does its connection."""
    assert stop_soon(to(faulty, path), PARIS, 0.3) < 2
    began = time.monotonic()
    while any(thread.name == "remit-provider" for thread in threading.enumerate()):
        assert time.monotonic() - began < 5
        time.sleep(0.02)


def test_silence_without_a_deadline_ends_too(faulty):
    """Where nobody set a deadline, the adapter's own bound on silence holds."""
    chat = OpenAiChat(f"http://127.0.0.1:{faulty.server_port}/silent", "m", silence=0.3)
    with pytest.raises(ProviderFailed, match="went silent"):
        chat.reply(PARIS, max_tokens=4, temperature=0.0, patience=Patience())


def test_an_endless_reply_is_not_read_to_its_end(faulty):
    """Of 200 MB little more than the bound is read."""
    with pytest.raises(ProviderFailed, match="more than a reply can be"):
        ask(to(faulty, "huge"))
    assert faulty.sent < 4 * LARGEST


def test_what_was_not_sent_is_none_with_the_reason(faulty):
    """A provider that was asked for log-probabilities and sends none leaves None and why, not an empty list."""
    reply = ask(to(faulty, "good").wanting(Wanted(logprobs=True)))
    assert (None, NOT_SENT) == (reply.tokens, reply.no_tokens)
    assert faulty.seen[0]["logprobs"] is True
