"""The port to a chat model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, Protocol

from remit.llm.cancel import Patience

Role = Literal["system", "user", "assistant"]
Stop = Literal["stop", "length"]

NOT_ASKED: Final = "log-probabilities were not asked for"
NOT_SENT: Final = "log-probabilities were asked for, and the backend sent none"


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
class Token:
    """A token of a reply as the backend spells it, and its natural log-probability, which is at most 0."""

    text: str
    logprob: float


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model said. `stop` is "length" where it was cut off.

    `tokens` are the reply's with their log-probabilities, or None, and then `no_tokens` says why.
    """

    text: str
    usage: Usage
    stop: Stop = "stop"
    tokens: tuple[Token, ...] | None = None
    no_tokens: str = NOT_ASKED


class Chat(Protocol):
    """A chat model. `name` identifies model and version in traces."""

    name: str

    def reply(self, messages: tuple[Message, ...], *, max_tokens: int, temperature: float, patience: Patience) -> Reply:
        """Return the model's reply.

        Raises:
            ProviderFailed: the backend did not do its part; ProviderBusy where a later try may succeed.
            Cancelled: before or during the call, as `patience` says.
        """


@dataclass(frozen=True, slots=True)
class Wanted:
    """What more is wanted of replies: JSON that keeps to a schema, and the log-probability of each token."""

    schema: Mapping[str, Any] | None = field(default=None, hash=False)
    logprobs: bool = False

    @property
    def label(self) -> str:
        """Return what a model's name says of it: replies under another wish are another model's."""
        return ("+json" if self.schema is not None else "") + ("+logprobs" if self.logprobs else "")


class Versatile(Chat, Protocol):
    """A chat model whose backend can be asked for more than text."""

    def wanting(self, wanted: Wanted) -> Chat:
        """Return the same model, asked for that with each call. Where the backend refuses it, the call fails."""
