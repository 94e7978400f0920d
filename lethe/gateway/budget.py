"""The spending cap of one model."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from lethe.gateway.errors import GatewayError


class CapReachedError(GatewayError):
    """The next call could exceed `max_usd` or `max_calls`."""

    def __init__(self, model: str, reason: str) -> None:
        message = f"model {model}: {reason}; raise it in config/models.yaml and run again"
        super().__init__(402, "spending_cap_reached", message)


class Budget:
    """Admits calls to one model while its caps allow them.

    What a call may cost at most is logged before it is sent, and what it did cost afterwards; so neither cap is ever
    exceeded, by several processes with one cache file either. A call for which there is no room waits while others of
    this process are under way, which may cost less than they might.
    """

    def __init__(self, model: str) -> None:
        self._model, self._under_way = model, 0
        self._changed = asyncio.Condition()

    @asynccontextmanager
    async def call(self, begin: Callable[[], Awaitable[int | str]]) -> AsyncIterator[int]:
        """The number of a call in the log, which is completed during the block.

        Args:
            begin: logs the call; see `lethe.gateway.cache.Cache.begin`.

        Raises:
            CapReachedError: if the caps leave no room for it, however little the calls under way turn out to cost.
        """
        async with self._changed:
            while isinstance(begun := await begin(), str):
                if not self._under_way:
                    raise CapReachedError(self._model, begun)
                await self._changed.wait()
            self._under_way += 1
        try:
            yield begun
        finally:
            async with self._changed:
                self._under_way -= 1
                self._changed.notify_all()
