"""Chat with local GGUF weights, in this process, by xllamacpp (extra `gguf`)."""

from __future__ import annotations

import hashlib
import secrets
import threading
from importlib import import_module
from pathlib import Path
from typing import Any, Final, NamedTuple

from remit.adapters.wire import asked_for, counted, spelled
from remit.errors import Cancelled, MissingPrerequisite, ProviderFailed, RemitError
from remit.llm.cancel import Patience
from remit.llm.chat import Chat, Message, Reply, Stop, Token, Usage, Wanted

BATCH: Final = 64
"""Tokens of a prompt read between two looks at the cancel signal: half a second with 135M parameters on one core, two and
a half with 1.5B. A reply is looked at after each token."""

_SAMPLE: Final = 1 << 20
_SLICE: Final = 0.25


class _Asked(NamedTuple):
    """One request to the engine."""

    messages: tuple[Message, ...]
    max_tokens: int
    temperature: float
    wanted: Wanted


class GgufChat:
    """A chat model from a GGUF file. The weights load at the first reply and stay until `close`.

    Replies come one at a time; a call waits for its turn as long as its patience lasts. The same messages at temperature 0
    give the same reply whatever was asked before: no prompt is kept from one call to the next.
    """

    def __init__(self, path: str | Path, context: int = 8192, threads: int = 1) -> None:
        """Take the file, the tokens that prompt and reply may have together, and the threads to compute with.

        Raises:
            MissingPrerequisite: there is no such file, or it holds no GGUF weights.
        """
        self._path = Path(path).expanduser()
        self._context = context
        self._threads = threads
        self.name = f"gguf:{self._path.stem}@{_fingerprint(self._path)}"
        self._turn = threading.Lock()
        self._server: Any = None

    def __repr__(self) -> str:
        return f"GgufChat({self.name!r}, context={self._context}, threads={self._threads})"

    def reply(self, messages: tuple[Message, ...], *, max_tokens: int, temperature: float, patience: Patience) -> Reply:
        """Return the model's reply.

        Raises:
            ProviderFailed: the prompt is longer than the context, or the engine failed.
            Cancelled: before the call, while it waits for its turn, or during it, within one batch of tokens.
        """
        asked = _Asked(messages, max_tokens, temperature, Wanted())
        return self.put(asked, patience)

    def wanting(self, wanted: Wanted) -> Chat:
        """Return the same weights, asked for that with each call."""
        return _Wanting(self, wanted)

    def put(self, asked: _Asked, patience: Patience) -> Reply:
        """Return the reply to one request, in its turn."""
        patience.check()
        while not self._turn.acquire(timeout=_SLICE):
            patience.check()
        try:
            return self._reply(asked, patience)
        finally:
            self._turn.release()

    def close(self) -> None:
        """Let go of the weights, after the reply that is under way."""
        with self._turn:
            self._server = None

    def _reply(self, asked: _Asked, patience: Patience) -> Reply:
        server = self._loaded()
        patience.check()
        heard = _Listener(patience, asked.wanted)
        request = {
            # A lone surrogate is no text: the engine could not read the request.
            "messages": [
                {"role": message.role, "content": message.text.encode("utf-8", "replace").decode()}
                for message in asked.messages
            ],
            "max_tokens": asked.max_tokens,
            "temperature": asked.temperature,
            "cache_prompt": False,
            "stream": True,
            "stream_options": {"include_usage": True},
            "return_progress": True,
            **asked_for(asked.wanted),
        }
        try:
            server.handle_chat_completions(request, heard)
        except (RuntimeError, ValueError) as error:
            raise ProviderFailed(f"{self.name}: the engine refused the request: {_short(error)}") from error
        return heard.reply(self.name)

    def _loaded(self) -> Any:
        if self._server is None:
            engine = _engine()
            params = engine.CommonParams()
            params.model.path = str(self._path)
            params.n_ctx = self._context
            params.n_parallel = 1
            params.cpuparams.n_threads = params.cpuparams_batch.n_threads = self._threads
            params.n_batch = params.n_ubatch = BATCH
            params.cache_ram_mib = 0
            params.verbosity = -1
            # The engine also listens on a loopback port. Nobody knows this key, so nobody is served there.
            params.api_keys = [secrets.token_hex(32)]
            params.endpoint_slots = params.endpoint_props = params.ui = False
            try:
                self._server = engine.Server(params)
            except RuntimeError as error:
                raise MissingPrerequisite(
                    f"{self._path}: not loaded: {_short(error)} Use a complete GGUF chat model this engine knows."
                ) from error
        return self._server


class _Wanting:
    """Loaded weights under another wish: the engine's grammar holds the reply to the schema."""

    def __init__(self, chat: GgufChat, wanted: Wanted) -> None:
        self.name = f"{chat.name}{wanted.label}"
        self._chat = chat
        self._wanted = wanted

    def reply(self, messages: tuple[Message, ...], *, max_tokens: int, temperature: float, patience: Patience) -> Reply:
        """Return the model's reply, as `GgufChat.reply` does."""
        return self._chat.put(_Asked(messages, max_tokens, temperature, self._wanted), patience)


class _Listener:
    """Takes what the engine streams and says when to stop. An error is kept: the engine would swallow it."""

    def __init__(self, patience: Patience, wanted: Wanted) -> None:
        self._patience = patience
        self._wanted = wanted
        self._tokens: list[Token] = []
        self._parts: list[str] = []
        self._stop: Stop | None = None
        self._usage = Usage(None, None)
        self._failure: RemitError | None = None

    def __call__(self, event: dict[str, Any]) -> bool:
        """Take one event; True ends the reply."""
        try:
            self._patience.check()
            self._take(event)
        except RemitError as error:
            self._failure = error
        return self._failure is not None

    def _take(self, event: dict[str, Any]) -> None:
        if "error" in event:
            detail = event["error"]
            raise ProviderFailed(str(detail.get("message", detail)) if isinstance(detail, dict) else str(detail))
        for choice in event.get("choices", ()):
            self._parts.append(choice.get("delta", {}).get("content") or "")
            self._tokens.extend(spelled(choice))
            if choice.get("finish_reason"):
                self._stop = "length" if choice["finish_reason"] == "length" else "stop"
        if usage := event.get("usage"):
            self._usage = Usage(usage.get("prompt_tokens"), usage.get("completion_tokens"))

    def reply(self, name: str) -> Reply:
        """Return what was heard to the end, or raise what went wrong."""
        if isinstance(self._failure, Cancelled):
            raise self._failure
        if self._failure is not None:
            raise ProviderFailed(
                f"{name}: {self._failure}. A larger context or fewer passages make room."
            ) from self._failure
        text = "".join(self._parts)
        if self._stop is None:
            raise ProviderFailed(f"{name}: the engine broke off before the reply was complete; ask again")
        if not text.strip():
            raise ProviderFailed(f"{name}: the reply is empty; ask again or use another model")
        return Reply(text, self._usage, self._stop, *counted(self._tokens, self._wanted))


def _engine() -> Any:
    try:
        return import_module("xllamacpp")
    except ImportError as error:
        raise MissingPrerequisite("local GGUF models need an extra: pip install 'remit[gguf]'") from error


def _fingerprint(path: Path) -> str:
    """Return a short digest of size, head and tail: enough to tell one build of a model from another."""
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            head = file.read(_SAMPLE)
            file.seek(max(0, size - _SAMPLE))
            tail = file.read(_SAMPLE)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise MissingPrerequisite(
            f"{path}: {reason}. Give the path of a GGUF chat model, such as models/name.gguf."
        ) from error
    if head[:4] != b"GGUF":
        raise MissingPrerequisite(f"{path}: not a GGUF file. Give the path of a chat model in that format.")
    return hashlib.sha256(b"%d:" % size + head + tail).hexdigest()[:12]


def _short(error: Exception) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__
