"""How many requests an endpoint gets at once, and how fast one after another."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

SECONDS_PER_MINUTE = 60.0


class RequestLimits:
    """At most `concurrency` requests at once, started at even distances where there is a limit per minute."""

    def __init__(self, concurrency: int, requests_per_minute: int | None) -> None:
        self._semaphore = asyncio.Semaphore(concurrency)
        self._distance_s = SECONDS_PER_MINUTE / requests_per_minute if requests_per_minute else 0.0
        self._next_start = 0.0

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """Wait for a place and a turn; the place is held during the block."""
        async with self._semaphore:
            now = asyncio.get_running_loop().time()
            start = max(now, self._next_start)
            self._next_start = start + self._distance_s
            await asyncio.sleep(start - now)
            yield

    def pause(self, seconds: float) -> None:
        """Start no request for that long: the endpoint asked for it."""
        self._next_start = max(self._next_start, asyncio.get_running_loop().time() + seconds)
