"""How long the head of a request may take: uvicorn waits for it for ever, byte by byte."""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from allonym.web.guard import SECONDS

_TOO_SLOW = b"HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"


class PromptHeads(H11Protocol):
    """Closes a connection whose request head is not whole in time, however many bytes of it have come.

    The first head counts from when the connection was made, those after it from their first byte; between two,
    uvicorn's own limit holds. How long a body may take is the guard's to say.
    """

    seconds = SECONDS

    def __init__(self, *given: Any, **named: Any) -> None:  # noqa: ANN401 - as uvicorn has it
        super().__init__(*given, **named)
        self._limit: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to count."""
        super().connection_made(transport)
        self._count()

    def data_received(self, data: bytes) -> None:
        """Stop counting when the head is whole, and begin with the first byte of the next."""
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            self._stop_counting()
        elif self._limit is None:
            self._count()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop counting."""
        self._stop_counting()
        super().connection_lost(exc)

    def _count(self) -> None:
        self._limit = self.loop.call_later(self.seconds, self._give_up)

    def _stop_counting(self) -> None:
        if self._limit is not None:
            self._limit.cancel()
            self._limit = None

    def _give_up(self) -> None:
        if not self.transport.is_closing():
            self.transport.write(_TOO_SLOW)
            self.transport.close()
