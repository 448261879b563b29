"""Replies shared between systems: made once, and charged to each system that asks for them as if it had made them itself."""

from __future__ import annotations

import json
import threading
from dataclasses import asdict
from typing import Final

from remit.llm.cache import KeptReplies, key_of
from remit.llm.cancel import Patience
from remit.llm.chat import Chat, Message, Reply, Usage
from remit.llm.ledger import Call
from remit.llm.metered import Metering, metered, price_of

_BILL: Final = " bill"


class SharedReplies(Metering):
    """A chat model whose replies are kept with what they cost.

    A kept reply is put down like the call it was: the same tokens, price and seconds. So a system costs what it costs alone,
    whatever ran before it, and the same run costs the same again. `waited` are the seconds that calls really made took.
    """

    def __init__(self, chat: Chat, kept: KeptReplies) -> None:
        """Take the model and where its replies are kept."""
        self.name = chat.name
        self.waited = 0.0
        self._chat = metered(chat)
        self.price = price_of(self._chat)
        self._kept = kept
        self._turn = threading.Lock()

    def reply(self, messages: tuple[Message, ...], *, max_tokens: int, temperature: float, patience: Patience) -> Reply:
        """Return the kept reply, or the model's.

        Raises:
            ProviderFailed: as the model does, or the replies cannot be kept. A failure is not kept: it is tried again.
            Cancelled: before or during the call.
        """
        patience.check()
        key = key_of(self.name, messages, max_tokens=max_tokens, temperature=temperature, realm=patience.realm)
        kept, bill = self._kept.get(key), self._kept.get(key + _BILL)
        if kept is not None and bill is not None:
            patience.tally.put(Call(**json.loads(bill.text)))
            return kept
        before = len(patience.tally)
        reply = self._chat.reply(messages, max_tokens=max_tokens, temperature=temperature, patience=patience)
        call = patience.tally.since(before)[-1]
        with self._turn:
            self.waited += call.seconds
        self._kept.put(key, reply)
        self._kept.put(key + _BILL, Reply(json.dumps(asdict(call)), Usage(0, 0)))
        return reply
