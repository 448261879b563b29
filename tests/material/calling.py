"""Calls of a chat model, within so much time."""

import threading
import time

import pytest

from remit.errors import Cancelled
from remit.llm.cancel import Patience
from remit.llm.chat import Message

PARIS = (Message("user", "What is the capital of France? Answer in one word."),)
STORY = (Message("user", "Tell a very long story about a pump."),)


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
