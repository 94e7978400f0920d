"""Connections to the gateway that have shown no token: few at a time, and not for long."""

import asyncio
import re
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

MOST_UNAUTHENTICATED = 128
"""Connections that have not shown a token; one more ends the oldest of them."""
PATIENCE_S = 10.0
"""How long a connection may take to show one."""
ACCEPTED_AT_ONCE = 32
"""How many connections are accepted before the oldest are ended: each takes a descriptor of the run's process."""
MOST_WAITING = 1 << 18
"""Bytes of a request's body that wait, without being read, for its token to be looked at."""
_END_OF_HEADERS = re.compile(rb"\n\r?\n")
_LONGEST_END = 3


class GuardedProtocol(H11Protocol):
    """HTTP on one connection, which ends unless it shows a token; the application finds `shown` in a request's state,
    to be called once it has. What follows the headers is read as HTTP from then on: to read it takes time.

    Args:
        unauthenticated: the server's connections that have not, oldest first, with what will end each.
    """

    def __init__(
        self, *given: Any, unauthenticated: "dict[GuardedProtocol, asyncio.TimerHandle]", **options: Any
    ) -> None:
        super().__init__(*given, **options)
        self._unauthenticated = unauthenticated
        self.app_state = {**self.app_state, "shown": self._go_on}
        self._tail, self._waiting = b"", bytearray()
        self._asked = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self._unauthenticated) >= MOST_UNAUTHENTICATED:
            oldest = next(iter(self._unauthenticated))
            oldest._shown()
            oldest.transport.abort()
        self._unauthenticated[self] = self.loop.call_later(PATIENCE_S, transport.abort)

    def data_received(self, data: bytes) -> None:
        if self not in self._unauthenticated:
            super().data_received(data)
            return
        if not self._asked:
            seen = self._tail + data
            end = _END_OF_HEADERS.search(seen)
            until = len(data) if end is None else end.end() - len(self._tail)
            self._asked, self._tail = end is not None, seen[-_LONGEST_END:]
            super().data_received(data[:until])
            data = data[until:]
        self._waiting += data
        if len(self._waiting) > MOST_WAITING:
            self.flow.pause_reading()

    def connection_lost(self, exc: Exception | None) -> None:
        self._shown()
        super().connection_lost(exc)

    def _go_on(self) -> None:
        self._shown()
        data, self._waiting = bytes(self._waiting), bytearray()
        self.flow.resume_reading()
        if data:
            super().data_received(data)

    def _shown(self) -> None:
        ending = self._unauthenticated.pop(self, None)
        if ending is not None:
            ending.cancel()
