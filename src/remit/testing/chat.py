"""The suite for a chat model: inherit `ChatSuite`, override `chat`, and `slow` and `failing` where they can be made."""

from __future__ import annotations

import threading
import time

import pytest

from remit.errors import Cancelled, ProviderFailed
from remit.llm.cancel import Patience
from remit.llm.chat import Chat, Message, Reply

ASKED = (Message("system", "Answer in one word."), Message("user", "Is the valve open? 阀门 ☕ {}"))
MOST = 16
SOON = 0.2
LATE = 3.0
"""Seconds after its deadline, or the signal, within which a call has to end: reads are of at most a second."""


class ChatSuite:
    """What every chat model promises: a reply with its usage, or a typed error, and an end in time."""

    @pytest.fixture
    def chat(self) -> Chat:
        """Return a model that replies to at least ten calls."""
        raise NotImplementedError("override the fixture `chat`: return the model")

    @pytest.fixture
    def slow(self) -> Chat | None:
        """Return a model that takes a minute for its reply; None where that cannot be made."""
        return None

    @pytest.fixture
    def failing(self) -> Chat | None:
        """Return a model whose backend fails; None where that cannot be made."""
        return None

    def test_it_replies(self, chat: Chat) -> None:
        """A text, why it ended, and the messages as they were."""
        before = tuple(ASKED)
        reply = _ask(chat, Patience())
        assert isinstance(reply.text, str)
        assert reply.stop in {"stop", "length"}
        assert before == ASKED

    def test_usage_is_counted_or_unknown(self, chat: Chat) -> None:
        """Tokens are whole numbers as the provider counted them, or None: a call is never counted as 0 by default."""
        usage = _ask(chat, Patience()).usage
        assert usage.prompt_tokens is None or usage.prompt_tokens > 0
        assert usage.reply_tokens is None or 0 <= usage.reply_tokens <= MOST

    def test_one_message_is_enough(self, chat: Chat) -> None:
        """A conversation needs no system turn."""
        reply = chat.reply(ASKED[1:], max_tokens=MOST, temperature=0.0, patience=Patience())
        assert isinstance(reply, Reply)

    def test_no_call_after_the_signal(self, chat: Chat) -> None:
        """Whoever went away is not worked for."""
        patience = Patience()
        patience.stop.set()
        with pytest.raises(Cancelled):
            _ask(chat, patience)

    @pytest.mark.parametrize("seconds", [0.0, -1.0, -1e9])
    def test_no_call_after_the_deadline(self, chat: Chat, seconds: float) -> None:
        """A deadline that has come, just now or long ago, ends the call before it begins."""
        with pytest.raises(Cancelled):
            _ask(chat, Patience(deadline=100.0 + seconds, clock=lambda: 100.0))

    def test_it_replies_after_a_call_that_was_cancelled(self, chat: Chat) -> None:
        """One asker who goes away spoils nothing for the next."""
        gone = Patience()
        gone.stop.set()
        with pytest.raises(Cancelled):
            _ask(chat, gone)
        assert isinstance(_ask(chat, Patience()), Reply)

    def test_its_name_stays(self, chat: Chat) -> None:
        """Traces name model and version; a call does not change it, and it holds no secret of the connection."""
        before = chat.name
        _ask(chat, Patience())
        assert before == chat.name
        assert before.strip()

    def test_the_deadline_ends_a_call(self, slow: Chat | None) -> None:
        """A model that does not come to an end is left at the deadline."""
        if slow is None:
            pytest.skip("nothing is slow: the fixture `slow` was not overridden")
        began = time.monotonic()
        with pytest.raises(Cancelled):
            _ask(slow, Patience(deadline=began + SOON))
        assert time.monotonic() - began < SOON + LATE

    def test_the_signal_ends_a_call(self, slow: Chat | None) -> None:
        """An asker who goes away ends a call that is under way."""
        if slow is None:
            pytest.skip("nothing is slow: the fixture `slow` was not overridden")
        patience = Patience()
        timer = threading.Timer(SOON, patience.stop.set)
        timer.start()
        began = time.monotonic()
        with pytest.raises(Cancelled):
            _ask(slow, patience)
        timer.join()
        assert time.monotonic() - began < SOON + LATE

    def test_a_failure_is_told_as_one(self, failing: Chat | None) -> None:
        """A backend that fails is a ProviderFailed with words of ours, never an empty reply."""
        if failing is None:
            pytest.skip("nothing fails: the fixture `failing` was not overridden")
        with pytest.raises(ProviderFailed) as caught:
            _ask(failing, Patience())
        assert str(caught.value).strip()


def _ask(chat: Chat, patience: Patience) -> Reply:
    return chat.reply(ASKED, max_tokens=MOST, temperature=0.0, patience=patience)
