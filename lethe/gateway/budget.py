"""The spending cap of one model."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from lethe.gateway.cache import Spent
from lethe.gateway.errors import GatewayError
from lethe.gateway.models import ModelConfig

ROUNDING_USD = 1e-9


class CapReachedError(GatewayError):
    """The next call could exceed `max_usd` or `max_calls`."""

    def __init__(self, message: str) -> None:
        super().__init__(402, "spending_cap_reached", message)


class Budget:
    """Admits calls to one model while its caps allow them.

    A call in progress is expected to cost the mean of the calls so far; until one cost is known, calls are made one at
    a time. Thus `max_usd` is exceeded by no more than the calls' deviation from their mean, and `max_calls` never. This
    holds for one process; calls of other processes count once they are logged.
    """

    def __init__(self, model: ModelConfig, spent: Callable[[str], Awaitable[Spent]]) -> None:
        self._model, self._spent = model, spent
        self._capped = model.max_calls is not None or (model.max_usd is not None and model.priced)
        self._in_flight = 0
        self._changed = asyncio.Condition()

    @asynccontextmanager
    async def call(self) -> AsyncIterator[None]:
        """Reserve a call's share of the budget during the block, in which its cost is logged.

        Raises:
            CapReachedError: if the caps leave no room for it, however little the calls in progress turn out to cost.
        """
        if not self._capped:
            yield
            return
        await self._admit()
        try:
            yield
        finally:
            async with self._changed:
                self._in_flight -= 1
                self._changed.notify_all()

    async def _admit(self) -> None:
        async with self._changed:
            while (reason := self._reason_against(await self._spent(self._model.name))) is not None:
                if not self._in_flight:
                    raise CapReachedError(reason)
                await self._changed.wait()
            self._in_flight += 1

    def _reason_against(self, spent: Spent) -> str | None:
        name, max_calls, max_usd = self._model.name, self._model.max_calls, self._model.max_usd
        if max_calls is not None and spent.calls + self._in_flight >= max_calls:
            return f"model {name}: max_calls {max_calls} is reached; raise it in config/models.yaml and run again"
        if max_usd is None or not self._model.priced:
            return None
        if not spent.calls and self._in_flight:
            return "no call's cost is known yet"
        expected = spent.usd + (self._in_flight + 1) * spent.usd_per_call
        if spent.usd >= max_usd or expected > max_usd + ROUNDING_USD:
            return (
                f"model {name}: max_usd {max_usd:g} is reached ({spent.usd:.6f} spent, a call costs about "
                f"{spent.usd_per_call:.6f}); raise it in config/models.yaml and run again"
            )
        return None
