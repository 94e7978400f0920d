"""The attempts at one call: each waits for its place, keeps to its limits, and leaves word of what became of it.

How often a call is tried, and how long is waited in between, is the openai package's business.
"""

import asyncio
import re
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import httpx  # noqa: F401 - the client uses httpx if it is loaded, and fails if another thread has half loaded it
import httpx2

from lethe.gateway.answers import Answer, UnusableAnswerError, read_completion
from lethe.gateway.redaction import Redactor

MOST_BYTES = 16 << 20
"""What the body of an answer may be long; a completion of 100,000 tokens is a thirtieth of it."""
LONGEST_RETRY_AFTER_S = 120.0
"""Longest wait that an endpoint may ask for; if it asks for more, the openai package gives the call up."""
NOTHING_SENT = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout)
"""How an attempt fails that no endpoint has seen."""

SECONDS_PER_MINUTE = 60.0
_CONNECTIONS = httpx2.Limits(max_connections=1000, max_keepalive_connections=100)


@dataclass(slots=True)
class Attempts:
    """What became of the attempts at one call so far.

    `reached`: the endpoint may have worked on one. `silent`: it gave no sign of life. `latency_ms` is the time of the
    last one, without waiting for its place.
    """

    made: int = 0
    reached: bool = False
    silent: bool = True
    latency_ms: float = 0.0
    answer: Answer | None = None


CURRENT: ContextVar[Attempts] = ContextVar("CURRENT")
"""The attempts at the call that this task makes."""


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


class AttemptingClient(httpx2.AsyncClient):
    """Sends each request as one attempt at the task's call, and nowhere else: a redirect is an answer like any other.

    An answer that is compressed, which is not asked for, longer than `MOST_BYTES` or no chat completion fails the
    attempt as an `httpx2.RequestError` with an `UnusableAnswerError` as its cause; so does time that is up, as an
    `httpx2.TimeoutException`.
    """

    def __init__(self, timeout_s: float, limits: RequestLimits, redact: Redactor) -> None:
        super().__init__(headers={"Accept-Encoding": "identity"}, limits=_CONNECTIONS)
        self._timeout_s, self._request_limits, self._redact = timeout_s, limits, redact

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        """One attempt; what becomes of it is noted in `CURRENT`."""
        attempts = CURRENT.get()
        async with self._request_limits.slot():
            attempts.made += 1
            reached, attempts.reached = attempts.reached, True
            started = time.perf_counter()
            try:
                async with asyncio.timeout(self._timeout_s):
                    response = await _read(await super().send(request, **{**options, "stream": True}))
                attempts.silent = False
                if response.is_success:
                    attempts.answer = read_completion(self._redact.in_json(response.text))
            except UnusableAnswerError as error:
                attempts.silent = False
                raise httpx2.DecodingError(str(error), request=request) from error
            except TimeoutError as error:
                raise httpx2.ReadTimeout("", request=request) from error
            except NOTHING_SENT:
                attempts.reached = reached
                raise
            finally:
                attempts.latency_ms = (time.perf_counter() - started) * 1000
        wait_s = seconds_to_wait(response.headers.get("retry-after"))
        if response.is_error and wait_s is not None and wait_s <= LONGEST_RETRY_AFTER_S:
            self._request_limits.pause(wait_s)
        return response


def seconds_to_wait(retry_after: str | None) -> float | None:
    """Seconds that a Retry-After header (seconds or an HTTP date) asks for; None if it is unusable."""
    if retry_after is None:
        return None
    if re.fullmatch(r"\d+(\.\d+)?", retry_after.strip()):
        return float(retry_after)
    try:
        moment = parsedate_to_datetime(retry_after)
    except (ValueError, OverflowError):
        return None
    # "-0000" yields a time without zone; HTTP dates are in UTC.
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())


async def _read(response: httpx2.Response) -> httpx2.Response:
    """The answer with its whole body."""
    body = bytearray()
    try:
        if response.headers.get("content-encoding", "identity").strip().lower() != "identity":
            raise UnusableAnswerError("a compressed body, which was not asked for")
        async for part in response.aiter_raw():
            body += part
            if len(body) > MOST_BYTES:
                raise UnusableAnswerError(f"a body of more than {MOST_BYTES >> 20} MiB")
    finally:
        await response.aclose()
    return httpx2.Response(
        response.status_code, headers=response.headers, content=bytes(body), request=response.request
    )
