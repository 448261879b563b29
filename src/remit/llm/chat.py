"""The port to a chat model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from remit.llm.cancel import Patience

Role = Literal["system", "user", "assistant"]
Stop = Literal["stop", "length"]


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation."""

    role: Role
    text: str


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens a call used, as the provider counted them; None where it did not say."""

    prompt_tokens: int | None
    reply_tokens: int | None


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model said. `stop` is "length" where it was cut off."""

    text: str
    usage: Usage
    stop: Stop = "stop"


class Chat(Protocol):
    """A chat model. `name` identifies model and version in traces."""

    name: str

    def reply(self, messages: tuple[Message, ...], *, max_tokens: int, temperature: float, patience: Patience) -> Reply:
        """Return the model's reply.

        Raises:
            ProviderFailed: the backend did not do its part; ProviderBusy where a later try may succeed.
            Cancelled: before or during the call, as `patience` says.
        """
