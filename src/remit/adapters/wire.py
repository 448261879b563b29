"""One HTTP request whose reply is read by a thread, so that no provider can hold up a deadline or a cancel signal."""

from __future__ import annotations

import queue
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Final

from remit.errors import ProviderFailed
from remit.llm.cancel import Patience
from remit.llm.chat import NOT_ASKED, NOT_SENT, Token, Wanted

_SLICE: Final = 0.25
_CONNECT: Final = 10.0
_CONNECTED: Final = frozenset({"connection.connect_tcp.complete", "connection.start_tls.complete"})
_DAY: Final = 86_400


@dataclass(frozen=True, slots=True)
class Request:
    """What to send, and how many seconds the other side may be silent."""

    url: str
    content: bytes
    headers: dict[str, str] = field(repr=False)
    silence: float


@dataclass(frozen=True, slots=True)
class Head:
    """How a reply begins. `retry_after` is in seconds; a date or nonsense counts as not given."""

    status: int
    content_type: str
    retry_after: float | None


@dataclass(frozen=True, slots=True)
class _End:
    error: Exception | None = None


def broken_off(who: str) -> ProviderFailed:
    """Return the error for a reply that ended before it was whole."""
    return ProviderFailed(f"{who} broke off in the middle of the reply; ask again")


def asked_for(wanted: Wanted) -> dict[str, Any]:
    """Return the fields of an OpenAI-compatible request that ask for JSON by a schema, and for log-probabilities."""
    fields: dict[str, Any] = {}
    if wanted.schema is not None:
        named = {"name": "reply", "strict": True, "schema": dict(wanted.schema)}
        fields["response_format"] = {"type": "json_schema", "json_schema": named}
    if wanted.logprobs:
        fields |= {"logprobs": True, "top_logprobs": 1}
    return fields


def spelled(choice: dict[str, Any]) -> list[Token]:
    """Return the tokens with log-probabilities that a choice brings; none where it has none, or they are no numbers."""
    held = choice.get("logprobs")
    content = held.get("content") if isinstance(held, dict) else None
    return [
        Token(each["token"], min(0.0, float(each["logprob"])))
        for each in (content if isinstance(content, list) else ())
        if isinstance(each, dict)
        and isinstance(each.get("token"), str)
        and isinstance(each.get("logprob"), int | float)
    ]


def counted(tokens: list[Token], wanted: Wanted) -> tuple[tuple[Token, ...] | None, str]:
    """Return the tokens of a whole reply, or None and why there are none."""
    if not wanted.logprobs:
        return None, NOT_ASKED
    return (tuple(tokens), "") if tokens else (None, NOT_SENT)


class Wire:
    """An HTTP client that gives every request a connection of its own, so that each can be cut alone."""

    def __init__(self, httpx: Any) -> None:
        self.httpx = httpx
        # Proxies come from the environment in httpx; here only settings read that.
        self.client = httpx.Client(trust_env=False, limits=httpx.Limits(max_keepalive_connections=0))


@contextmanager
def stream(
    wire: Wire, request: Request, patience: Patience, *, limit: int, who: str
) -> Iterator[tuple[Head, Iterator[bytes]]]:
    """Give head and chunks of the reply to a POST; the connection is cut when the block ends, however it ends.

    Raises:
        ProviderFailed: in plain words: no connection, silence, broken off, larger than `limit`.
        Cancelled: as `patience` says, within a quarter of a second.
    """
    reader = _Reader(wire, request, limit)
    reader.start()
    try:
        received = _received(reader, wire.httpx, patience, who)
        head = next(received)
        if not isinstance(head, Head):
            raise broken_off(who)
        yield head, (chunk for chunk in received if isinstance(chunk, bytes))
    finally:
        reader.cut()


class _Reader(threading.Thread):
    """Sends the request and puts head, chunks and end of the reply into `inbox`."""

    def __init__(self, wire: Wire, request: Request, limit: int) -> None:
        super().__init__(name="remit-provider", daemon=True)
        self.inbox: queue.SimpleQueue[Head | bytes | _End] = queue.SimpleQueue()
        self._wire = wire
        self._request = request
        self._limit = limit
        self._sockets: list[socket.socket] = []
        self._is_cut = threading.Event()

    def run(self) -> None:
        """Read until the end, the limit, or the cut."""
        try:
            self._read()
        except Exception as error:  # noqa: BLE001 - raised again, in plain words, in the thread that waits for it
            self.inbox.put(_End(error))
        else:
            self.inbox.put(_End())

    def cut(self) -> None:
        """End the connection now, also under a read that waits."""
        self._is_cut.set()
        for open_socket in tuple(self._sockets):
            _shut(open_socket)

    def _read(self) -> None:
        asked = self._request
        timeout = self._wire.httpx.Timeout(asked.silence, connect=min(asked.silence, _CONNECT))
        with self._wire.client.stream(
            "POST",
            asked.url,
            content=asked.content,
            headers=asked.headers,
            timeout=timeout,
            extensions={"trace": self._note_socket},
        ) as response:
            retry_after = _seconds(response.headers.get("retry-after", ""))
            self.inbox.put(Head(response.status_code, response.headers.get("content-type", ""), retry_after))
            size = 0
            for chunk in response.iter_raw():
                size += len(chunk)
                if self._is_cut.is_set():
                    return
                if size > self._limit:
                    raise _TooLargeError
                self.inbox.put(chunk)

    def _note_socket(self, event: str, info: dict[str, Any]) -> None:
        """Keep the connection's socket, so that it can be cut; shut it at once where the cut came first.

        It never raises: an error here would keep httpx from closing the socket.
        """
        if event in _CONNECTED and (found := info["return_value"].get_extra_info("socket")) is not None:
            self._sockets.append(found)
            if self._is_cut.is_set():
                _shut(found)


def _shut(open_socket: socket.socket) -> None:
    with suppress(OSError):  # it has ended already
        open_socket.shutdown(socket.SHUT_RDWR)


class _TooLargeError(Exception):
    pass


def _received(reader: _Reader, httpx: Any, patience: Patience, who: str) -> Iterator[Head | bytes]:
    """Yield what the reader puts in, looking at `patience` in between."""
    while True:
        patience.check()
        left = patience.left
        try:
            item = reader.inbox.get(timeout=_SLICE if left is None else max(0.0, min(_SLICE, left)))
        except queue.Empty:
            continue
        if isinstance(item, _End):
            if item.error is not None:
                patience.check()
                raise _plain(item.error, httpx, who) from item.error
            return
        yield item


def _plain(error: Exception, httpx: Any, who: str) -> ProviderFailed:
    """Return a transport error in plain words."""
    if isinstance(error, _TooLargeError):
        return ProviderFailed(f"{who} sent more than a reply can be; nothing of it was used")
    if isinstance(error, httpx.ConnectError | httpx.ConnectTimeout):
        return ProviderFailed(f"{who} cannot be reached: check the URL, and that the server runs")
    if isinstance(error, httpx.TimeoutException):
        return ProviderFailed(f"{who} went silent; ask again or allow more time")
    if isinstance(error, httpx.TransportError):
        return broken_off(who)
    return ProviderFailed(f"{who}: the request failed ({type(error).__name__})")


def _seconds(text: str) -> float | None:
    try:
        seconds = float(text)
    except ValueError:
        return None
    return seconds if 0 <= seconds < _DAY else None
