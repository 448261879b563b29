"""A chat model of which only so many calls run at once; the others wait their turn, as long as their asker waits."""

from __future__ import annotations

from threading import BoundedSemaphore
from typing import Final

from remit.llm.cancel import Patience
from remit.llm.chat import Chat, Message, Reply, Versatile, Wanted

_LOOK_UP_SECONDS: Final = 0.1


class Turns:
    """So many calls at once, shared by everything that calls one model."""

    def __init__(self, at_once: int) -> None:
        self._free = BoundedSemaphore(at_once)

    def take(self, patience: Patience) -> None:
        """Wait for a turn.

        Raises:
            Cancelled: the asker went away meanwhile, or the deadline came first.
        """
        patience.check()
        while not self._free.acquire(timeout=_LOOK_UP_SECONDS):
            patience.check()

    def give_back(self) -> None:
        """Let the next one go."""
        self._free.release()


class _Waiting:
    """A model whose calls wait their turn."""

    def __init__(self, chat: Chat, turns: Turns) -> None:
        self.name = chat.name
        self._model, self._turns = chat, turns

    def reply(self, messages: tuple[Message, ...], *, max_tokens: int, temperature: float, patience: Patience) -> Reply:
        """Return the model's reply, once it is this call's turn."""
        self._turns.take(patience)
        try:
            return self._model.reply(messages, max_tokens=max_tokens, temperature=temperature, patience=patience)
        finally:
            self._turns.give_back()


class Bounded(_Waiting):
    """`chat`, with at most `at_once` calls running, whatever is wanted of them."""

    def __init__(self, chat: Versatile, at_once: int) -> None:
        """Take the model, and how many calls of it may run at once."""
        super().__init__(chat, Turns(at_once))
        self._versatile = chat

    def wanting(self, wanted: Wanted) -> Chat:
        """Return the same model, asked for that with each call, under the same bound."""
        return _Waiting(self._versatile.wanting(wanted), self._turns)
