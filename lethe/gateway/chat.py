"""Chat completions, from the cache or the endpoint: each request sent once, capped, metered and logged."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from forgeteval.chat.redaction import Redactor
from forgeteval.errors import UserError
from forgeteval.planners.llm.reading import says_something
from lethe.gateway.answers import Answer
from lethe.gateway.cache import Cache, LoggedCall
from lethe.gateway.context import CallContext, Trials, Usage
from lethe.gateway.errors import GatewayError, UpstreamError
from lethe.gateway.requests import ChatRequest, check_chat

if TYPE_CHECKING:
    from lethe.config.chat_models import ModelConfig
    from lethe.gateway.upstream import Upstream

Mode = Literal["live", "replay", "recorded", "off"]
T = TypeVar("T")
_LONGEST_NAME = 200
"""Characters of a model's name that is repeated in an error."""


class ReplayedChat(Trials):
    """The answers that a cache file holds for one model, without a server in between.

    Args:
        stops: whether a run ends where an answer is lacking; else the trial that lacks it breaks.
    """

    def __init__(self, cache: Cache, model: "ModelConfig", stops: bool = True) -> None:
        super().__init__()
        self._cache, self._model, self._stops = cache, model, stops

    def complete(self, asked: Mapping[str, Any], purpose: str) -> tuple[dict[str, Any] | None, str]:
        """The chat completion for a request of the trial under way; without one, why there is none."""
        request = ChatRequest.build(self._model, asked, self.context.repetition)
        call = LoggedCall.of(self._model, request, replace(self.context, purpose=purpose))
        answer = self._cache.hit(call)
        if answer is None:
            reason = _miss(call, self._cache.other_endpoints(call)).message
            self.lack(call, reason)
            if self._stops:
                self.halt(reason)
            return None, reason
        self.add(call, answer.usage)
        self.answered = self.answered or says_something(answer.response)
        return json.loads(answer.response), ""


class ChatService:
    """Answers chat requests for all models; belongs to one event loop.

    `upstreams` holds one endpoint per model in mode `live` and is empty in the others. `trials` is told what each used,
    and that the run must stop; for want of an answer it need not if `miss_stops` is false.
    """

    def __init__(
        self,
        models: "Mapping[str, ModelConfig]",
        upstreams: "Mapping[str, Upstream]",
        cache: Cache,
        trials: Trials,
        redact: Redactor,
        miss_stops: bool = True,
    ) -> None:
        self._models, self._upstreams, self._cache = models, upstreams, cache
        self._trials, self._redact, self._miss_stops = trials, redact, miss_stops
        self._cache_thread = ThreadPoolExecutor(1, "gateway-cache")
        self._under_way, self._ended = dict.fromkeys(models, 0), asyncio.Condition()
        self._flights: dict[tuple[str, str], asyncio.Task[Answer]] = {}

    async def complete(self, asked: Mapping[str, Any], context: CallContext) -> str:
        """The JSON of the chat completion for `asked`, the body of a request.

        Raises:
            GatewayError: if there is no answer; the message says why.
        """
        check_chat(asked)
        model = self._models.get(asked["model"])
        if model is None:
            known = ", ".join(self._models) or "none"
            # To redact megabytes takes seconds, in which nobody else is answered; what is cut may be a secret.
            long = len(asked["model"]) > _LONGEST_NAME
            named = f"with a name of {len(asked['model'])} characters" if long else repr(asked["model"])
            message = f"no model {named}; config/models.yaml has: {known}"
            raise GatewayError(404, "model_not_found", self._redact(message))
        request = ChatRequest.build(model, asked, context.repetition)
        try:
            answer = await self._answer(model, request, LoggedCall.of(model, request, context))
        except GatewayError:
            self._trials.add(context, Usage(calls=1))
            raise
        except UserError as error:
            self._trials.halt(str(error))
            raise GatewayError(500, "cache_error", str(error)) from None
        self._trials.add(context, answer.usage)
        self._trials.answered = self._trials.answered or says_something(answer.response)
        return answer.response

    async def close(self) -> None:
        """Cancel the calls in progress."""
        flights = list(self._flights.values())
        for flight in flights:
            flight.cancel()
        await asyncio.gather(*flights, return_exceptions=True)
        self._cache_thread.shutdown()

    async def _answer(self, model: "ModelConfig", request: ChatRequest, call: LoggedCall) -> Answer:
        flight = self._flights.get((call.key, call.endpoint))
        if flight is None:
            flight = asyncio.create_task(self._find_or_send(model, request, call))
            self._flights[call.key, call.endpoint] = flight
            # Shielded: others may be waiting for the call, and it is paid for even if this caller goes away.
            return await asyncio.shield(flight)
        try:
            answer = await asyncio.shield(flight)
        except GatewayError as error:
            await self._on_cache_thread(self._cache.log, replace(call, error=error.message))
            raise
        await self._on_cache_thread(self._cache.log, call.answered(answer, cache_hit=True))
        return answer

    async def _find_or_send(self, model: "ModelConfig", request: ChatRequest, call: LoggedCall) -> Answer:
        try:
            kept = await self._on_cache_thread(self._cache.hit, call)
            if kept is not None:
                return kept
            if model.name not in self._upstreams:
                raise _miss(call, await self._on_cache_thread(self._cache.other_endpoints, call))
            return await self._send(model, request, call)
        except UpstreamError as error:
            if error.attempts.final:
                self._trials.halt(error.message)
            raise
        except GatewayError as error:
            # Once a cap is reached, later calls of the run would fail in the same way.
            if model.name in self._upstreams or self._miss_stops:
                self._trials.halt(error.message)
            else:
                self._trials.lack(call, error.message)
            await self._on_cache_thread(self._cache.log, replace(call, error=error.message))
            raise
        finally:
            del self._flights[call.key, call.endpoint]

    async def _send(self, model: "ModelConfig", request: ChatRequest, call: LoggedCall) -> Answer:
        sent, stopped = self._redact.in_json(json.dumps(request.fields)), "the gateway was stopped"
        begun = replace(call, attempts=1, cost_usd=request.most_usd, spent=True, error=stopped, request=sent)
        async with self._within_caps(model, begun) as (number, attempts):
            try:
                answer = await self._upstreams[model.name].complete(request.fields, attempts)
            except UpstreamError as error:
                tried = error.attempts
                failed = replace(
                    begun,
                    attempts=tried.made,
                    latency_ms=tried.latency_ms,
                    cost_usd=tried.broken * request.most_usd,
                    spent=tried.reached > 0,
                    error=error.message,
                )
                await self._on_cache_thread(self._cache.log, failed, number)
                self._trials.add(call, Usage(cost_usd=failed.cost_usd))
                raise
            # An answer that says nothing of tokens, and attempts that broke off, count as the most that they may cost.
            said = max(answer.cost_usd, answer.is_unreported * request.most_usd)
            answer = replace(answer, cost_usd=said + answer.broken * request.most_usd)
            paid = replace(call.answered(answer, cache_hit=False), spent=True)
            if answer.keep:
                return await self._on_cache_thread(self._cache.keep, paid, sent, answer, number)
            paid = replace(paid, request=sent, response=answer.response)
            await self._on_cache_thread(self._cache.log, paid, number)
            if reason := self._upstreams[model.name].hopeless:
                self._trials.halt(reason)
            return answer

    @asynccontextmanager
    async def _within_caps(self, model: "ModelConfig", begun: LoggedCall) -> AsyncIterator[tuple[int, int]]:
        """The number of a call in the log, which is completed during the block, and how many attempts it may take.

        What a call may cost at most is logged before it is sent, and what it did cost afterwards; so neither cap is
        ever exceeded, by several processes with one cache file either. A call for which there is no room waits while
        others of this process are under way, which may cost less than they might.
        """
        async with self._ended:
            while isinstance(
                room := await self._on_cache_thread(
                    self._cache.begin, begun, model.max_usd, model.max_calls, model.max_attempts
                ),
                str,
            ):
                if not self._under_way[model.name]:
                    message = f"model {model.name}: {room}; raise it in the model's entry and run again"
                    raise GatewayError(402, "spending_cap_reached", message)
                await self._ended.wait()
            self._under_way[model.name] += 1
        try:
            yield room
        finally:
            async with self._ended:
                self._under_way[model.name] -= 1
                self._ended.notify_all()

    async def _on_cache_thread(self, function: Callable[..., T], *arguments: Any) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._cache_thread, function, *arguments)


def _miss(context: CallContext, others: Sequence[str]) -> GatewayError:
    kept = ", ".join(other or "an address that an older file did not note" for other in others)
    return GatewayError(
        404,
        "replay_miss",
        f"replay: the cache has no answer for suite {context.suite!r}, system {context.system!r}, "
        f"case {context.case_id!r}, repetition {context.repetition}, purpose {context.purpose!r}; run with mode live"
        + (f" (kept is that of {kept})" if kept else ""),
    )
