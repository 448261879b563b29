"""A chat model whose calls are put down: each one, however it ended."""

from __future__ import annotations

from typing import Final

from remit.errors import Cancelled, ProviderBusy
from remit.llm.cancel import Patience
from remit.llm.chat import Chat, Message, Reply
from remit.llm.ledger import Call, Ended, Price

_TOKENS_AN_OCTET: Final = 0.4
_TOKENS_A_TURN: Final = 8


class Metering:
    """A chat model that puts its calls down itself. `price` is None where it is not known."""

    price: Price | None = None


class Metered(Metering):
    """Puts every call of `chat` on the tally of the question it is for.

    A call without a count of its own is charged an upper estimate; one that the provider was too busy for costs no tokens.
    """

    def __init__(self, chat: Chat, price: Price | None = None) -> None:
        """Take the model, and what it costs where that is known."""
        self.name = chat.name
        self.price = price
        self._chat = chat

    def reply(self, messages: tuple[Message, ...], *, max_tokens: int, temperature: float, patience: Patience) -> Reply:
        """Return the model's reply.

        Raises:
            ProviderFailed: as the model does.
            Cancelled: before the call, and then nothing is put down; or during it.
        """
        patience.check()
        began = patience.clock()
        reply: Reply | None = None
        ended: Ended = "failed"
        try:
            reply = self._chat.reply(messages, max_tokens=max_tokens, temperature=temperature, patience=patience)
            ended = "replied"
        except ProviderBusy:
            ended = "busy"
            raise
        except Cancelled:
            ended = "cancelled"
            raise
        finally:
            call = self._call(messages, reply, ended, max_tokens, patience.clock() - began)
            patience.tally.put(call)
        return reply

    def _call(
        self, messages: tuple[Message, ...], reply: Reply | None, ended: Ended, max_tokens: int, seconds: float
    ) -> Call:
        if ended == "busy":
            price = None if self.price is None else 0.0
            return Call(self.name, ended, 0, 0, tokens=0, seconds=seconds, price=price)
        prompt = None if reply is None else reply.usage.prompt_tokens
        said = None if reply is None else reply.usage.reply_tokens
        counted = prompt is not None and said is not None
        tokens = (estimate(messages) if prompt is None else prompt) + (max_tokens if said is None else said)
        price = self.price.of(prompt or 0, said or 0) if self.price is not None and counted else None
        return Call(self.name, ended, prompt, said, tokens=tokens, seconds=seconds, price=price, estimated=not counted)


def metered(chat: Chat, price: Price | None = None) -> Chat:
    """Return a chat model whose calls are put down: the same one where it does that already."""
    return chat if isinstance(chat, Metering) else Metered(chat, price)


def price_of(chat: Chat) -> Price | None:
    """Return what a model costs, None where that is not known."""
    return chat.price if isinstance(chat, Metering) else None


def estimate(messages: tuple[Message, ...]) -> int:
    """Return an upper estimate of the tokens of messages: two for every five octets, and eight a turn."""
    octets = sum(len(message.text.encode("utf-8", "replace")) for message in messages)
    return int(octets * _TOKENS_AN_OCTET) + _TOKENS_A_TURN * len(messages)
