"""HTTP of whoever sends it in time: a request that trickles in holds its connection for a while, not for ever."""

from __future__ import annotations

import asyncio
from typing import Any, Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_SECONDS: Final = 15.0
"""How long the head of a request may take: it comes before anybody is identified."""
BODY_SECONDS: Final = 300.0
"""How long its body may take: 20 MB over half a megabit a second."""


class PromptProtocol(H11Protocol):
    """Closes a connection whose request does not come to its end; between requests uvicorn's own keep-alive counts."""

    _due: asyncio.TimerHandle | None = None
    _waits_for: object = None

    def connection_made(self, transport: Any) -> None:
        """Begin to wait for a request."""
        super().connection_made(transport)
        self._wait(h11.IDLE, HEAD_SECONDS)

    def data_received(self, data: bytes) -> None:
        """Take what came, and wait for what has to follow it."""
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

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing more."""
        self._rest()
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
