"""Chat with any OpenAI-compatible endpoint: hosted, vLLM, llama.cpp server, Ollama (httpx, extra `openai`)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from http import HTTPStatus
from importlib import import_module
from typing import Any, Final
from urllib.parse import urlsplit

from remit.adapters.wire import Head, Request, Wire, asked_for, broken_off, counted, spelled, stream
from remit.errors import InvalidInput, MissingPrerequisite, ProviderBusy, ProviderFailed
from remit.llm.cancel import Patience
from remit.llm.chat import Message, Reply, Stop, Token, Usage, Wanted
from remit.llm.retry import AskedToWait

LARGEST: Final = 8 * 1024 * 1024
"""Bytes of a reply. What is longer is no answer."""

_BUSY: Final = frozenset({HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE})
_REFUSED: Final = frozenset({HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN})
_TOLD: Final = 4096
_DONE: Final[dict[str, Any]] = {"choices": [{"delta": {}, "finish_reason": "stop"}]}


class OpenAiChat:
    """A chat model behind an OpenAI-compatible URL, with or without its ``/v1``.

    The reply is streamed and put together here: the cancel signal and the deadline are looked at four times a second,
    whatever the provider does. `silence` is how long a provider may say nothing where there is no deadline.
    """

    def __init__(
        self, url: str, model: str, key: str | None = None, *, silence: float = 120.0, wanted: Wanted | None = None
    ) -> None:
        """Take the endpoint, the model's name there, and the key, where one is needed.

        Raises:
            InvalidInput: the URL or the key cannot be used.
            MissingPrerequisite: httpx is not installed.
        """
        self._url = completions_url(url)
        self._shown = _shown(self._url)
        self._model = model
        self._silence = silence
        self._headers = {"Accept": "text/event-stream, application/json", "Accept-Encoding": "identity"}
        self._key = (key or "").strip()
        if self._key:
            if not self._key.isascii() or not self._key.isprintable():
                raise InvalidInput("the chat model's key holds characters that no key has; set it again")
            self._headers["Authorization"] = f"Bearer {self._key}"
        self._wanted = wanted or Wanted()
        self.name = f"openai:{model}{self._wanted.label}"
        self._wire = Wire(_httpx())

    def __repr__(self) -> str:
        return f"OpenAiChat({self._shown!r}, {self._model!r}, key={'set' if self._key else None})"

    def wanting(self, wanted: Wanted) -> OpenAiChat:
        """Return the same model, asked for that with each call."""
        return OpenAiChat(self._shown, self._model, self._key, silence=self._silence, wanted=wanted)

    def reply(self, messages: tuple[Message, ...], *, max_tokens: int, temperature: float, patience: Patience) -> Reply:
        """Return the model's reply.

        Raises:
            ProviderBusy: 429 or 503, with the seconds to wait where the provider says so (`AskedToWait`).
            ProviderFailed: anything else that is not a whole reply.
            Cancelled: before or during the call.
        """
        patience.check()
        body = {
            "model": self._model,
            # A lone surrogate is no text: servers answer it with an error.
            "messages": [
                {"role": message.role, "content": message.text.encode("utf-8", "replace").decode()}
                for message in messages
            ],
            "max_tokens": max_tokens,
            "temperature": temperature,
            "stream": True,
            "stream_options": {"include_usage": True},
            **asked_for(self._wanted),
        }
        content = json.dumps(body).encode("ascii")
        left = patience.left
        wait = self._silence if left is None else max(0.05, left)
        request = Request(self._url, content, {**self._headers, "Content-Type": "application/json"}, wait)
        with stream(self._wire, request, patience, limit=LARGEST, who=self._shown) as (head, chunks):
            if head.status != HTTPStatus.OK:
                raise self._refusal(head, chunks)
            kind = head.content_type.partition(";")[0].strip().lower()
            if kind == "text/event-stream":
                return self._whole(_events(chunks, self._shown))
            if kind == "application/json":
                return self._whole(iter([_decoded(b"".join(chunks).decode("utf-8", "replace"), self._shown)]))
            raise ProviderFailed(
                f"{self._shown} answered {kind or 'without a content type'}, not a chat reply: check the URL"
            )

    def _whole(self, events: Iterator[dict[str, Any]]) -> Reply:
        """Return the reply that the events add up to; both the streamed and the plain shape are read."""
        parts: list[str] = []
        tokens: list[Token] = []
        stop: Stop | None = None
        usage = Usage(None, None)
        for event in events:
            if event.get("error"):
                raise ProviderFailed(f"{self._shown} broke off: {self._said(event)}")
            choices = event.get("choices")
            for choice in choices[:1] if isinstance(choices, list) else ():
                said, ended = _read_choice(choice, self._shown)
                parts.append(said)
                tokens.extend(spelled(choice))
                stop = stop or ended
            if isinstance(event.get("usage"), dict):
                usage = Usage(_count(event["usage"], "prompt_tokens"), _count(event["usage"], "completion_tokens"))
        text = "".join(parts)
        if stop is None:
            raise broken_off(self._shown)
        if not text.strip():
            cut = ": it was cut off before the first word; raise the reply's tokens" if stop == "length" else ""
            raise ProviderFailed(f"{self._shown} sent an empty reply{cut}")
        return Reply(text, usage, stop, *counted(tokens, self._wanted))

    def _refusal(self, head: Head, chunks: Iterator[bytes]) -> ProviderFailed:
        """Return the error for a status that is not 200, in words that name what to check."""
        status = head.status
        if status in _BUSY:
            message = f"{self._shown} is busy (status {status}); try again later"
            wait = head.retry_after
            return ProviderBusy(message) if wait is None else AskedToWait(message, wait)
        if status in _REFUSED:
            sent = "the key was not accepted" if self._key else "no key is set"
            return ProviderFailed(f"{self._shown} refused the request (status {status}): {sent}; check the chat key")
        if status == HTTPStatus.NOT_FOUND or HTTPStatus.MULTIPLE_CHOICES <= status < HTTPStatus.BAD_REQUEST:
            return ProviderFailed(f"{self._shown} has no such endpoint or model (status {status}): check URL and model")
        told = self._said(_lenient(b"".join(_first(chunks, _TOLD)).decode("utf-8", "replace")))
        may = status == HTTPStatus.BAD_REQUEST and self._wanted.label
        fix = "; if it offers no JSON schema or log-probabilities, set chat.structured and chat.logprobs to false"
        return ProviderFailed(
            f"{self._shown} failed (status {status}){f': {told}' if told else ''}{fix if may else ''}"
        )

    def _said(self, event: dict[str, Any]) -> str:
        """Return the provider's own words on an error, short, in one line, and without the key."""
        error = event.get("error")
        words = error.get("message") if isinstance(error, dict) else error
        text = " ".join(str(words).split()) if words else ""
        return (text.replace(self._key, "[key]") if self._key else text)[:200]


def completions_url(url: str) -> str:
    """Return the address of chat completions for a base URL, with or without ``/v1`` or the whole path.

    Raises:
        InvalidInput: it is no http(s) URL, or carries a user name or a key.
    """
    try:
        parts = urlsplit(url.strip())
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
        parts = urlsplit("")
    if not usable:
        raise InvalidInput("the chat URL must look like http://host:port/v1")
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        raise InvalidInput("the chat URL must hold no user name, key or query: set the key apart from it")
    path = parts.path.rstrip("/").removesuffix("/chat/completions")
    versioned = any(re.fullmatch(r"v\d+\w*", segment) for segment in path.split("/"))
    return f"{parts.scheme}://{parts.netloc}{path}{'' if versioned else '/v1'}/chat/completions"


def _shown(url: str) -> str:
    return url.removesuffix("/chat/completions")


def _httpx() -> Any:
    try:
        return import_module("httpx")
    except ImportError as error:
        raise MissingPrerequisite("OpenAI-compatible endpoints need an extra: pip install 'remit[openai]'") from error


def _events(chunks: Iterator[bytes], who: str) -> Iterator[dict[str, Any]]:
    """Yield the JSON objects of a stream of server-sent events, up to its end mark."""
    pending = b""
    for chunk in chunks:
        *lines, pending = (pending + chunk).split(b"\n")
        for line in lines:
            field, _, data = line.rstrip(b"\r").partition(b":")
            if field != b"data":
                continue
            text = data.decode("utf-8", "replace").strip()
            if text == "[DONE]":
                yield _DONE
                return
            if text:
                yield _decoded(text, who)


def _decoded(text: str, who: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ProviderFailed(f"{who} sent a reply that is not JSON: check that the URL is a chat endpoint") from error
    if not isinstance(value, dict):
        raise ProviderFailed(f"{who} sent JSON that is no chat reply: check that the URL is a chat endpoint")
    return value


def _lenient(text: str) -> dict[str, Any]:
    try:
        return _decoded(text, "")
    except ProviderFailed:
        return {}  # an error page need not be JSON: its status says enough


def _read_choice(choice: Any, who: str) -> tuple[str, Stop | None]:
    """Return the text of one choice and how it ended, None where it goes on."""
    if not isinstance(choice, dict):
        raise ProviderFailed(f"{who} sent JSON that is no chat reply: check that the URL is a chat endpoint")
    held = choice.get("delta") or choice.get("message") or {}
    said = held.get("content") if isinstance(held, dict) else None
    ended = choice.get("finish_reason")
    if ended == "content_filter":
        raise ProviderFailed(f"{who} withheld the reply (content filter)")
    stop: Stop | None = None if not ended else "length" if ended == "length" else "stop"
    return (said if isinstance(said, str) else ""), stop


def _count(usage: dict[str, Any], name: str) -> int | None:
    value = usage.get(name)
    return value if isinstance(value, int) and value >= 0 else None


def _first(chunks: Iterator[bytes], size: int) -> Iterator[bytes]:
    have = 0
    for chunk in chunks:
        yield chunk
        have += len(chunk)
        if have >= size:
            return
