"""Sentence vectors from any OpenAI-compatible endpoint: hosted, vLLM, llama.cpp server, Ollama (httpx, extra `openai`)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from http import HTTPStatus
from importlib import import_module
from time import sleep
from typing import Any, Final

import numpy as np

from remit.adapters.openai import completions_url
from remit.adapters.wire import Head, Request, Wire, stream
from remit.errors import InvalidInput, MissingPrerequisite, ProviderBusy, ProviderFailed
from remit.llm.cancel import Patience
from remit.llm.embed import Vectors
from remit.llm.retry import AskedToWait

LARGEST: Final = 64 * 1024 * 1024
"""Bytes of a reply. What is longer is no list of vectors."""

_BUSY: Final = frozenset({HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE})
_REFUSED: Final = frozenset({HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN})
_TOLD: Final = 4096
_WAITS: Final = (0.5, 1.0, 2.0)
_LONGEST_WAIT: Final = 30.0


class OpenAiEmbed:
    """A sentence encoder behind an OpenAI-compatible URL, with or without its ``/v1``.

    Texts go out in batches of `batch`, each cut to `longest` characters; a busy provider is asked again three times.
    Whether a text has one vector to the bit in any batch is up to the server: most differ in the last digits, which the
    store's 8 bits round away, mostly.
    """

    def __init__(
        self,
        url: str,
        model: str,
        dimension: int,
        key: str | None = None,
        *,
        batch: int = 32,
        longest: int = 6000,
        silence: float = 120.0,
        pause: Callable[[float], None] = sleep,
    ) -> None:
        """Take the endpoint, the model's name there, how long its vectors are, and the key, where one is needed.

        Raises:
            InvalidInput: the URL, the key or a number cannot be used.
            MissingPrerequisite: httpx is not installed.
        """
        if min(dimension, batch, longest) < 1:
            raise InvalidInput("the encoder's dimension, batch and longest text must be 1 or more")
        self._url = embeddings_url(url)
        self._shown = self._url.removesuffix("/embeddings")
        self._headers = {
            "Accept": "application/json",
            "Accept-Encoding": "identity",
            "Content-Type": "application/json",
        }
        self._key = (key or "").strip()
        if self._key:
            if not self._key.isascii() or not self._key.isprintable():
                raise InvalidInput("the encoder's key holds characters that no key has; set it again")
            self._headers["Authorization"] = f"Bearer {self._key}"
        self._model, self._batch, self._longest = model, batch, longest
        self._silence, self._pause = silence, pause
        self.dimension = dimension
        self.name = f"openai:{model}/{dimension}"
        self._wire = Wire(_httpx())

    def __repr__(self) -> str:
        return f"OpenAiEmbed({self._shown!r}, {self._model!r}, key={'set' if self._key else None})"

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit vector a text; zeros for one without words, which is not sent.

        Raises:
            ProviderBusy: 429 or 503, after the last try.
            ProviderFailed: anything else that is not one vector of the right length for each text.
        """
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        worded = [at for at, text in enumerate(texts) if text.strip()]
        for begin in range(0, len(worded), self._batch):
            places = worded[begin : begin + self._batch]
            # A lone surrogate is no text: servers answer it with an error.
            sent = [texts[at][: self._longest].encode("utf-8", "replace").decode() for at in places]
            vectors[places] = self._asked(sent)
        return vectors

    def _asked(self, texts: list[str]) -> Vectors:
        for wait in (*_WAITS, None):
            try:
                return self._once(texts)
            except ProviderBusy as busy:
                told = busy.seconds if isinstance(busy, AskedToWait) else wait
                if wait is None or told is None or told > _LONGEST_WAIT:
                    raise
                self._pause(told)
        raise ProviderFailed(f"{self._shown} stayed busy; try again later")

    def _once(self, texts: list[str]) -> Vectors:
        content = json.dumps({"model": self._model, "input": texts, "encoding_format": "float"}).encode("ascii")
        request = Request(self._url, content, self._headers, self._silence)
        with stream(self._wire, request, Patience(), limit=LARGEST, who=self._shown) as (head, chunks):
            if head.status != HTTPStatus.OK:
                raise self._refusal(head, chunks)
            return self._units(b"".join(chunks), len(texts))

    def _units(self, content: bytes, count: int) -> Vectors:
        """Return the vectors of a reply in the order of the texts, each of length 1."""
        try:
            told = json.loads(content)["data"]
            rows = {int(one["index"]): np.asarray(one["embedding"], dtype=np.float64) for one in told}
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise ProviderFailed(f"{self._shown} sent no list of vectors: check that it serves embeddings") from error
        if len(told) != count or set(rows) != set(range(count)):
            raise ProviderFailed(f"{self._shown} sent {len(told)} vectors for {count} texts: check the model")
        for row in rows.values():
            if row.shape != (self.dimension,):
                wide = f"{row.shape[0]} numbers" if row.ndim == 1 else "no row of numbers"
                raise ProviderFailed(
                    f"{self._shown} sent {wide} a vector, not {self.dimension}: set dimension to what {self._model} gives"
                )
            if not np.isfinite(row).all() or not row.any():
                raise ProviderFailed(f"{self._shown} sent a vector that points nowhere: check the model")
        whole = np.stack([rows[at] for at in range(count)])
        return np.asarray(whole / np.linalg.norm(whole, axis=1, keepdims=True), dtype=np.float32)

    def _refusal(self, head: Head, chunks: Iterator[bytes]) -> ProviderFailed:
        """Return the error for a status that is not 200, in words that name what to check."""
        status = head.status
        if status in _BUSY:
            message = f"{self._shown} is busy (status {status}); try again later"
            return ProviderBusy(message) if head.retry_after is None else AskedToWait(message, head.retry_after)
        if status in _REFUSED:
            sent = "the key was not accepted" if self._key else "no key is set"
            return ProviderFailed(f"{self._shown} refused (status {status}): {sent}; check the encoder's key")
        if status == HTTPStatus.NOT_FOUND or HTTPStatus.MULTIPLE_CHOICES <= status < HTTPStatus.BAD_REQUEST:
            return ProviderFailed(f"{self._shown} has no such endpoint or model (status {status}): check URL and model")
        told = self._said(chunks)
        return ProviderFailed(f"{self._shown} failed (status {status}){f': {told}' if told else ''}")

    def _said(self, chunks: Iterator[bytes]) -> str:
        """Return the provider's own words on an error, short, in one line, and without the key."""
        begun = b""
        for chunk in chunks:
            begun += chunk
            if len(begun) >= _TOLD:
                break
        try:
            error: Any = json.loads(begun)["error"]
        except (ValueError, KeyError, TypeError, RecursionError):
            return ""  # an error page need not be JSON: its status says enough
        words = error.get("message") if isinstance(error, dict) else error
        text = " ".join(str(words).split()) if words else ""
        return (text.replace(self._key, "[key]") if self._key else text)[:200]


def embeddings_url(url: str) -> str:
    """Return the address of embeddings for a base URL, with or without ``/v1`` or the whole path.

    Raises:
        InvalidInput: it is no http(s) URL, or carries a user name or a key.
    """
    try:
        found = completions_url(url.strip().rstrip("/").removesuffix("/embeddings"))
    except InvalidInput as error:
        raise InvalidInput(str(error).replace("chat", "encoder")) from error
    return found.removesuffix("/chat/completions") + "/embeddings"


def _httpx() -> Any:
    try:
        return import_module("httpx")
    except ImportError as error:
        raise MissingPrerequisite("OpenAI-compatible endpoints need an extra: pip install 'remit[openai]'") from error
