"""Chat completions, from the cache or the endpoint: each request sent once, capped, metered and logged."""

import asyncio
import functools
import json
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from forgeteval.errors import UserError
from lethe.gateway.answers import Answer
from lethe.gateway.budget import Budget
from lethe.gateway.cache import Cache, Caps, LoggedCall
from lethe.gateway.context import CallContext, Usage, UsageMeter
from lethe.gateway.errors import GatewayError, UpstreamError
from lethe.gateway.models import ModelConfig
from lethe.gateway.redaction import Redactor
from lethe.gateway.replay import replay_miss
from lethe.gateway.requests import ChatRequest, check_chat

if TYPE_CHECKING:
    from lethe.gateway.upstream import Upstream

Mode = Literal["live", "replay", "recorded", "off"]
T = TypeVar("T")


class ChatService:
    """Answers chat requests for all models; belongs to one event loop.

    `upstreams` holds one endpoint per model in mode `live` and is empty in the others. The cache is used only on
    `cache_thread`, an executor of one thread. `halt` is called with the reason if the run must stop; for want of an
    answer it must not if `miss_stops` is false.
    """

    def __init__(
        self,
        models: Mapping[str, ModelConfig],
        upstreams: "Mapping[str, Upstream]",
        cache: Cache,
        cache_thread: Executor,
        meter: UsageMeter,
        redact: Redactor,
        halt: Callable[[str], None],
        miss_stops: bool = True,
    ) -> None:
        self._models, self._upstreams = models, upstreams
        self._cache, self._cache_thread = cache, cache_thread
        self._meter, self._redact, self._halt, self._miss_stops = meter, redact, halt, miss_stops
        self._budgets = {name: Budget(name) for name in models}
        self._flights: dict[str, asyncio.Task[Answer]] = {}

    async def complete(self, asked: Mapping[str, Any], context: CallContext) -> str:
        """The JSON of the chat completion for `asked`, the body of a request.

        Raises:
            GatewayError: if there is no answer; the message says why.
        """
        check_chat(asked)
        model = self._models.get(asked["model"])
        if model is None:
            known = ", ".join(self._models) or "none"
            message = f"no model {asked['model']!r}; config/models.yaml has: {known}"
            raise GatewayError(404, "model_not_found", self._redact(message))
        request = ChatRequest.build(model, asked, context.repetition)
        try:
            answer = await self._answer(model, request, context)
        except GatewayError:
            self._meter.add(context, Usage(calls=1))
            raise
        except UserError as error:
            self._halt(str(error))
            raise GatewayError(500, "cache_error", str(error)) from None
        self._meter.add(context, answer.usage)
        return answer.response

    async def close(self) -> None:
        """Cancel the calls in progress."""
        flights = list(self._flights.values())
        for flight in flights:
            flight.cancel()
        await asyncio.gather(*flights, return_exceptions=True)

    async def _answer(self, model: ModelConfig, request: ChatRequest, context: CallContext) -> Answer:
        flight = self._flights.get(request.key)
        if flight is None:
            flight = asyncio.create_task(self._find_or_send(model, request, context))
            self._flights[request.key] = flight
            # Shielded: others may be waiting for the call, and it is paid for even if this caller goes away.
            return await asyncio.shield(flight)
        call = LoggedCall.of(model, request, context)
        try:
            answer = await asyncio.shield(flight)
        except GatewayError as error:
            await self._on_cache_thread(self._cache.log, replace(call, error=error.message))
            raise
        await self._on_cache_thread(self._cache.log, call.answered(answer, cache_hit=True))
        return answer

    async def _find_or_send(self, model: ModelConfig, request: ChatRequest, context: CallContext) -> Answer:
        call = LoggedCall.of(model, request, context)
        try:
            kept = await self._on_cache_thread(self._cache.hit, call)
            if kept is not None:
                return kept
            if model.name not in self._upstreams:
                raise replay_miss(context)
            return await self._send(model, request, call)
        except UpstreamError as error:
            if error.tried.final:
                self._halt(error.message)
            raise
        except GatewayError as error:
            # Once a cap is reached, later calls of the run would fail in the same way.
            if model.name in self._upstreams or self._miss_stops:
                self._halt(error.message)
            else:
                self._meter.lack(context, error.message)
            await self._on_cache_thread(self._cache.log, replace(call, error=error.message))
            raise
        finally:
            del self._flights[request.key]

    async def _send(self, model: ModelConfig, request: ChatRequest, call: LoggedCall) -> Answer:
        sent, caps = self._redact.in_json(json.dumps(request.fields)), Caps(model.max_usd, model.max_calls)
        begun = replace(
            call, attempts=1, cost_usd=request.most_usd, spent=True, error="the gateway was stopped", request=sent
        )
        begin = functools.partial(self._on_cache_thread, self._cache.begin, begun, caps)
        async with self._budgets[model.name].call(begin) as number:
            try:
                answer = await self._upstreams[model.name].complete(request.fields)
            except UpstreamError as error:
                tried = error.tried
                failed = replace(
                    begun,
                    attempts=tried.made,
                    latency_ms=tried.latency_ms,
                    cost_usd=tried.broken * request.most_usd,
                    spent=tried.reached,
                    error=error.message,
                )
                await self._on_cache_thread(self._cache.log, failed, number)
                raise
            # An answer that says nothing of tokens, and attempts that broke off, count as the most that they may cost.
            unsaid = answer.broken + (answer.tokens_in is None or answer.tokens_out is None)
            paid = replace(call.answered(answer, cache_hit=False), spent=True)
            paid = replace(paid, cost_usd=answer.cost_usd + unsaid * request.most_usd)
            if answer.keep:
                return await self._on_cache_thread(self._cache.keep, paid, sent, answer, number)
            paid = replace(paid, request=sent, response=answer.response)
            await self._on_cache_thread(self._cache.log, paid, number)
            return answer

    async def _on_cache_thread(self, function: Callable[..., T], *arguments: Any) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._cache_thread, function, *arguments)
