"""One model's endpoint: requests through the OpenAI client, with limits, retries and the circuit breaker."""

import asyncio
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import httpx2
from openai import AsyncOpenAI

from forgeteval.errors import UserError
from lethe.gateway.answers import Answer, read_completion
from lethe.gateway.breaker import Breaker
from lethe.gateway.client import endpoint_client
from lethe.gateway.errors import GatewayError
from lethe.gateway.limits import RequestLimits
from lethe.gateway.models import ModelConfig
from lethe.gateway.redaction import Redactor
from lethe.gateway.retries import Failure, back_off_s, classify
from lethe.gateway.serve import Locate


class UpstreamError(GatewayError):
    """A call without a usable answer; `reached` means that the endpoint may have worked on it and charged for it."""

    def __init__(self, status: int, message: str, attempts: int, latency_ms: float, reached: bool) -> None:
        super().__init__(status, "upstream_error", message)
        self.attempts, self.latency_ms, self.reached = attempts, latency_ms, reached


class Upstream:
    """The endpoint of one model; belongs to one event loop."""

    def __init__(self, model: ModelConfig, locate: Locate, redact: Redactor) -> None:
        self._model, self._locate, self._redact = model, locate, redact
        self._limits = RequestLimits(model.concurrency, model.requests_per_minute)
        self._breaker = Breaker()
        self._client: AsyncOpenAI | None = None
        self._former: list[AsyncOpenAI] = []
        self._connecting = asyncio.Lock()

    async def complete(self, fields: Mapping[str, Any]) -> Answer:
        """The endpoint's answer to a chat request.

        Raises:
            UpstreamError: if all attempts failed, a retry would not help, or the circuit is open.
            GatewayError: if the endpoint has to be started here and cannot be.
        """
        allowed = self._breaker.attempts_allowed(self._model.max_attempts)
        if not allowed:
            raise self._error(503, "does not answer and is given a pause of some seconds", 0, 0.0, False)
        reached, silent = False, True
        for attempt in range(1, allowed + 1):
            outcome, latency_ms = await self._try(fields, attempt)
            if isinstance(outcome, Answer):
                self._breaker.answered()
                return outcome
            failure = outcome
            if failure.silent and self._model.serve is not None:
                self._forget()
            reached, silent = reached or failure.reached, silent and failure.silent
            if not failure.passing or attempt == allowed:
                break
            await self._wait(failure, attempt)
        if silent:
            self._breaker.unanswered()
        else:
            self._breaker.answered()
        raise self._error(failure.status, failure.message, attempt, latency_ms, reached)

    async def close(self) -> None:
        self._forget()
        for client in self._former:
            await client.close()

    def _forget(self) -> None:
        """Ask anew where the endpoint is: its server has ended. Calls in progress keep their connections."""
        if self._client is not None:
            self._former.append(self._client)
        self._client = None

    async def _connected(self) -> AsyncOpenAI:
        async with self._connecting:
            if self._client is None:
                try:
                    address = await asyncio.to_thread(self._locate)
                except UserError as error:
                    raise GatewayError(503, "not_served", str(error)) from None
                self._redact.add(address.key)
                self._client = endpoint_client(address, self._model.timeout_s)
            return self._client

    async def _try(self, fields: Mapping[str, Any], attempt: int) -> tuple[Answer | Failure, float]:
        async with self._limits.slot():
            client = await self._connected()
            started = time.perf_counter()
            try:
                answer = read_completion(self._redact.in_json(await self._post(client, fields)))
            except Exception as error:  # noqa: BLE001 - whatever the client raises ends this attempt, not the server
                return classify(error, self._model.timeout_s, self._redact), _milliseconds_since(started)
        latency_ms, cost_usd = _milliseconds_since(started), self._model.cost_usd(answer.tokens_in, answer.tokens_out)
        keep = answer.keep or (self._model.deterministic and answer.finish_reason == "length")
        return replace(answer, cost_usd=cost_usd, latency_ms=latency_ms, attempts=attempt, keep=keep), latency_ms

    async def _post(self, client: AsyncOpenAI, fields: Mapping[str, Any]) -> str:
        # The client's own time limit is between bytes; an endpoint that sends slowly would never reach it.
        async with asyncio.timeout(self._model.timeout_s):
            response = await client.post("/chat/completions", body=dict(fields), cast_to=httpx2.Response)
        return response.text

    async def _wait(self, failure: Failure, failed_attempts: int) -> None:
        if failure.retry_after_s is None:
            await asyncio.sleep(back_off_s(failed_attempts))
        else:
            self._limits.pause(failure.retry_after_s)

    def _error(self, status: int, what: str, attempts: int, latency_ms: float, reached: bool) -> UpstreamError:
        times = f" (attempts: {attempts})" if attempts > 1 else ""
        message = self._redact(f"model {self._model.name}: {self._model.base_url or 'its server'} {what}{times}")
        return UpstreamError(status, message, attempts, latency_ms, reached)


def _milliseconds_since(started: float) -> float:
    return (time.perf_counter() - started) * 1000
