"""Trying again, where the provider said that a later try may succeed, and only while there is time."""

from __future__ import annotations

from collections.abc import Callable

from remit.errors import ProviderBusy, ProviderFailed
from remit.llm.cancel import Patience
from remit.llm.chat import Chat, Message, Reply
from remit.llm.metered import Metering, metered, price_of


class AskedToWait(ProviderBusy):
    """A provider is busy and said for how many seconds."""

    def __init__(self, message: str, seconds: float) -> None:
        super().__init__(message)
        self.seconds = seconds


class Retrying(Metering):
    """A chat model that is asked again while it is busy: `tries` calls at most, waiting `first` seconds, then twice that.

    Each try is a call, and no more are made than `patience` allows. A wait that the provider names is kept to. A wait that
    would outlast the deadline is not begun: the provider's error goes up at once. Every other error goes up at once too.
    `sleep` replaces the wait in tests.
    """

    def __init__(
        self, chat: Chat, *, tries: int = 3, first: float = 0.5, sleep: Callable[[float], None] | None = None
    ) -> None:
        if tries < 1:
            raise ValueError("tries must be at least 1")
        self.name = chat.name
        self._chat = metered(chat)
        self.price = price_of(self._chat)
        self._tries = tries
        self._first = first
        self._sleep = sleep

    def reply(self, messages: tuple[Message, ...], *, max_tokens: int, temperature: float, patience: Patience) -> Reply:
        """Return the model's reply.

        Raises:
            ProviderFailed: as the model does; ProviderBusy after the last try, or where the time left is too short.
            Cancelled: before, during or between tries.
        """
        tries = self._tries if patience.calls is None else min(self._tries, patience.calls)
        for tried in range(1, tries + 1):
            patience.check()
            try:
                return self._chat.reply(messages, max_tokens=max_tokens, temperature=temperature, patience=patience)
            except ProviderBusy as busy:
                wait = busy.seconds if isinstance(busy, AskedToWait) else self._first * 2 ** (tried - 1)
                left = patience.left
                if tried == tries or (left is not None and wait >= left):
                    raise
            (self._sleep or patience.pause)(wait)
        raise ProviderFailed("no model call is left in the budget; raise limits.model_calls")
