"""One model's endpoint: calls through the OpenAI client, which retries them, and the circuit breaker."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import httpx2
import openai

from forgeteval.errors import UserError
from lethe.gateway.answers import Answer, UnusableAnswerError
from lethe.gateway.attempts import (
    CURRENT,
    LONGEST_RETRY_AFTER_S,
    NOTHING_SENT,
    AttemptingClient,
    Attempts,
    RequestLimits,
    seconds_to_wait,
)
from lethe.gateway.breaker import Breaker
from lethe.gateway.errors import GatewayError, UpstreamError
from lethe.gateway.models import DUMMY_KEY, ModelConfig
from lethe.gateway.redaction import Redactor
from lethe.gateway.serve import Locate

_NOT_LOCATED = "http://127.0.0.1/v1"
_CONNECTING = 0.9
"""The part of an attempt's time limit within which it says that no connection was had, so that nothing was sent."""
_CREDENTIAL_STATUSES = frozenset({401, 403})


class Upstream:
    """The endpoint of one model; belongs to one event loop."""

    def __init__(self, model: ModelConfig, locate: Locate, redact: Redactor) -> None:
        self._model, self._locate, self._redact = model, locate, redact
        self._breaker = Breaker()
        self._key: str | None = None
        self._locating = asyncio.Lock()
        http = AttemptingClient(model.timeout_s, RequestLimits(model.concurrency, model.requests_per_minute), redact)
        # The client's own time limit is between bytes; an endpoint that sends slowly would never reach it.
        timeout = httpx2.Timeout(model.timeout_s, connect=_CONNECTING * model.timeout_s)
        self._client = openai.AsyncOpenAI(
            base_url=_NOT_LOCATED, api_key=self._located_key, timeout=timeout, http_client=http
        )

    async def complete(self, fields: Mapping[str, Any]) -> Answer:
        """The endpoint's answer to a chat request.

        Raises:
            UpstreamError: if all attempts failed, a retry would not help, or the circuit is open.
            GatewayError: if the endpoint has to be started here and cannot be.
        """
        attempts = Attempts()
        allowed = self._breaker.attempts_allowed(self._model.max_attempts)
        if not allowed:
            raise self._error(503, "does not answer and is given a pause of some seconds", attempts)
        CURRENT.set(attempts)
        try:
            await self._client.post(
                "/chat/completions",
                body=dict(fields),
                cast_to=httpx2.Response,
                options={"max_retries": allowed - 1},
            )
        except GatewayError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever the client raises ends this call, not the server
            if not isinstance(error, openai.APIError):
                attempts.reached, attempts.silent = True, False
            self._breaker.note(answered=not attempts.silent)
            if attempts.silent:
                self._forget()
            raise self._error(*self._told(error), attempts) from None
        self._breaker.note(answered=True)
        return self._priced(attempts)

    async def close(self) -> None:
        await self._client.close()

    async def _located_key(self) -> str:
        """The key of the endpoint, for which the client asks before each attempt; its address is set with it."""
        attempts = CURRENT.get()
        if attempts.made and attempts.silent:
            self._forget()
        async with self._locating:
            if self._key is None:
                try:
                    address = await asyncio.to_thread(self._locate)
                except UserError as error:
                    raise GatewayError(503, "not_served", str(error)) from None
                self._redact.add(address.key)
                self._client.base_url = address.base_url
                self._key = address.key or DUMMY_KEY
            return self._key

    def _forget(self) -> None:
        """Ask anew where the endpoint is, if it is served here: its server has ended."""
        if self._model.serve is not None:
            self._key = None

    def _priced(self, attempts: Attempts) -> Answer:
        answer = attempts.answer
        if answer is None:
            raise self._error(502, "answered with nothing", attempts)
        return replace(
            answer,
            cost_usd=self._model.cost_usd(answer.tokens_in, answer.tokens_out),
            latency_ms=attempts.latency_ms,
            attempts=attempts.made,
            keep=answer.keep or (self._model.deterministic and answer.finish_reason == "length"),
        )

    def _told(self, error: Exception) -> tuple[int, str]:
        """The gateway's status and reason for what the client raised at the last attempt."""
        cause = error.__cause__ or error
        match error:
            case openai.APIConnectionError() if isinstance(cause.__cause__, UnusableAnswerError):
                return 502, f"answered with {cause.__cause__}"
            case openai.APITimeoutError() if isinstance(cause, NOTHING_SENT):
                return 504, f"let nobody connect within {self._model.timeout_s:g} s"
            case openai.APITimeoutError():
                return 504, f"timed out after {self._model.timeout_s:g} s"
            case openai.APIConnectionError():
                return 502, f"connection failed ({type(cause).__name__}: {cause})"
            case openai.APIStatusError():
                return self._told_by_endpoint(error)
        return 502, f"cannot be asked ({type(error).__name__}: {error})"

    def _told_by_endpoint(self, error: openai.APIStatusError) -> tuple[int, str]:
        status, wait_s = error.status_code, seconds_to_wait(error.response.headers.get("retry-after"))
        asks = "" if wait_s is None or wait_s <= LONGEST_RETRY_AFTER_S else f"; it asks to wait {wait_s:.0f} s"
        # A client of the gateway would take the endpoint's 401 for a wrong gateway token.
        shown = 502 if status >= 500 or status in _CREDENTIAL_STATUSES else status
        return shown, f"answered {status} ({self._redact(error.message)[:500]}){asks}"

    def _error(self, status: int, what: str, attempts: Attempts) -> UpstreamError:
        times = f" (attempts: {attempts.made})" if attempts.made > 1 else ""
        message = self._redact(f"model {self._model.name}: {self._model.base_url or 'its server'} {what}{times}")
        return UpstreamError(status, message, attempts.made, attempts.latency_ms, attempts.reached)
