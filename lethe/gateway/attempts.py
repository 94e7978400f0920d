"""The attempts at one call: each waits for its place, keeps to its limits, and leaves word of what became of it.

How often a call is tried, and how long is waited in between, is the openai package's business.
"""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import Any

import httpx  # noqa: F401 - the client uses httpx if it is loaded, and fails if another thread has half loaded it
import httpx2

from forgeteval.chat.completions import UnusableAnswerError, read_completion
from forgeteval.chat.connecting import withhold
from forgeteval.chat.redaction import Redactor
from forgeteval.chat.refusals import never_succeeds
from lethe.gateway.answers import Attempts

MOST_BYTES = 16 << 20
"""What the body of an answer may be long; a completion of 100,000 tokens is a thirtieth of it."""
NOTHING_SENT = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout)
"""How an attempt fails that no endpoint has seen."""

_CONNECTIONS = httpx2.Limits(max_connections=1000, max_keepalive_connections=100)
_SHORTEST_WAIT_S = 0.5
"""Where an endpoint asks for less, the openai package waits as it does without being asked."""


CURRENT: ContextVar[Attempts] = ContextVar("CURRENT")
"""The attempts at the call that this task makes."""


class AttemptingClient(httpx2.AsyncClient):
    """Sends each request as one attempt at the task's call, and nowhere else: a redirect is an answer like any other.

    At most `concurrency` requests are under way, started at even intervals if there is a limit per minute. An answer
    that is compressed, which is not asked for, longer than `MOST_BYTES` or no chat completion fails the attempt as an
    `httpx2.RequestError` with an `UnusableAnswerError` as its cause; so does time that is up, as an
    `httpx2.TimeoutException`.
    """

    def __init__(
        self, timeout_s: float, concurrency: int, requests_per_minute: int | None, redact: Redactor, proxies: bool
    ) -> None:
        super().__init__(headers={"Accept-Encoding": "identity"}, limits=_CONNECTIONS, trust_env=proxies)
        self._timeout_s, self._redact = timeout_s, redact
        self._places = asyncio.Semaphore(concurrency)
        self._interval_s, self._next_start = 60 / requests_per_minute if requests_per_minute else 0.0, 0.0

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        """One attempt; what becomes of it is noted in `CURRENT`."""
        attempts = CURRENT.get()
        withhold(request.headers, str(request.url), attempts.key)
        async with self._place():
            attempts.made += 1
            attempts.reached += 1
            attempts.broken += 1
            started = time.perf_counter()
            try:
                async with asyncio.timeout(self._timeout_s):
                    response = await _read(await super().send(request, **{**options, "stream": True}))
                attempts.silent = False
                if response.is_success:
                    attempts.answer = read_completion(self._redact.in_json(response.text))
                attempts.broken -= 1
            except UnusableAnswerError as error:
                attempts.silent = False
                raise httpx2.DecodingError(str(error), request=request) from error
            except TimeoutError as error:
                raise httpx2.ReadTimeout("", request=request) from error
            except NOTHING_SENT:
                attempts.reached -= 1
                attempts.broken -= 1
                raise
            finally:
                attempts.latency_ms = (time.perf_counter() - started) * 1000
        if response.is_error:
            self._direct_retry(response, attempts)
        return response

    @asynccontextmanager
    async def _place(self) -> AsyncIterator[None]:
        """Wait for a free place and the next start; the place is held during the block."""
        async with self._places:
            now = asyncio.get_running_loop().time()
            start = max(now, self._next_start)
            self._next_start = start + self._interval_s
            await asyncio.sleep(start - now)
            yield

    def _direct_retry(self, response: httpx2.Response, attempts: Attempts) -> None:
        """Tell the openai package not to ask again in vain, nor at once because an endpoint has no better idea."""
        attempts.final = never_succeeds(response.status_code, response.text, attempts.fields)
        if attempts.final:
            response.headers["x-should-retry"] = "false"
        for name, per_second in (("retry-after-ms", 1000), ("retry-after", 1)):
            try:
                short = float(response.headers.get(name, "inf")) < _SHORTEST_WAIT_S * per_second
            except ValueError:
                continue
            if short:
                del response.headers[name]


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
