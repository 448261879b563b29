"""HTTP of whoever sends and reads in time: what trickles or stops holds its connection for a while, not for ever."""

from __future__ import annotations

import asyncio
from typing import Any, ClassVar, Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_SECONDS: Final = 15.0
"""How long the head of a request may take: it comes before anybody is identified."""
BODY_SECONDS: Final = 300.0
"""How long its body may take: 20 MB over half a megabit a second."""
STALL_SECONDS: Final = 30.0
"""How long a reader may take nothing of what is ready for them."""
_FULL: Final = b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 2\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"


class PromptProtocol(H11Protocol):
    """Closes a connection that does not come to its end; between requests uvicorn's own keep-alive counts.

    `most` connections are open at once; who comes then is told to come later, so that files of the store can be opened.
    """

    most: ClassVar[int] = 1000
    _due: asyncio.TimerHandle | None = None
    _waits_for: object = None
    _stalled: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Begin to wait for a request."""
        super().connection_made(transport)
        if len(self.connections) > self.most:
            transport.write(_FULL)
            transport.close()
            return
        self._wait(h11.IDLE, HEAD_SECONDS)

    def data_received(self, data: bytes) -> None:
        """Take what came, and wait for what has to follow it."""
        if self.transport.is_closing():
            return
        super().data_received(data)
        state = self.conn.their_state
        if state is h11.IDLE:
            self._wait(state, HEAD_SECONDS)
        elif state is h11.SEND_BODY:
            self._wait(state, BODY_SECONDS)
        else:
            self._rest()

    def on_response_complete(self) -> None:
        """Leave the time between two requests to uvicorn."""
        self._rest()
        super().on_response_complete()

    def pause_writing(self) -> None:
        """Watch whether a reader takes what is ready for them."""
        super().pause_writing()
        self._watch(self.transport.get_write_buffer_size())

    def resume_writing(self) -> None:
        """Go on: the reader took it."""
        self._unwatch()
        super().resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing more."""
        self._rest()
        self._unwatch()
        super().connection_lost(exc)

    def _wait(self, state: object, seconds: float) -> None:
        """Close the connection unless this state is left in so many seconds from when it began."""
        if state is not self._waits_for:
            self._rest()
            self._waits_for, self._due = state, self.loop.call_later(seconds, self.transport.close)

    def _rest(self) -> None:
        if self._due is not None:
            self._due.cancel()
        self._waits_for = self._due = None

    def _watch(self, ready: int) -> None:
        """Cut the connection where in so many seconds nothing of what is ready was taken."""
        self._unwatch()
        self._stalled = self.loop.call_later(STALL_SECONDS, self._look, ready)

    def _look(self, before: int) -> None:
        ready = self.transport.get_write_buffer_size()
        if ready < before:
            self._watch(ready)
        else:
            self.transport.abort()

    def _unwatch(self) -> None:
        if self._stalled is not None:
            self._stalled.cancel()
            self._stalled = None
