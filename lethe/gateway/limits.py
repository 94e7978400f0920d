"""Limits on the requests to one endpoint: how many at once, and how many per minute."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

SECONDS_PER_MINUTE = 60.0


class RequestLimits:
    """At most `concurrency` requests at once, started at even intervals if there is a limit per minute."""

    def __init__(self, concurrency: int, requests_per_minute: int | None) -> None:
        self._semaphore = asyncio.Semaphore(concurrency)
        self._interval_s = SECONDS_PER_MINUTE / requests_per_minute if requests_per_minute else 0.0
        self._next_start = 0.0

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """Wait for a free place and the next start; the place is held during the block."""
        async with self._semaphore:
            now = asyncio.get_running_loop().time()
            start = max(now, self._next_start)
            self._next_start = start + self._interval_s
            await asyncio.sleep(start - now)
            yield

    def pause(self, seconds: float) -> None:
        """Start no request for `seconds`, as the endpoint has asked."""
        self._next_start = max(self._next_start, asyncio.get_running_loop().time() + seconds)
