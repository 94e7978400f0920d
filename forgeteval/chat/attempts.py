"""The attempts at one call: each waits for its place, keeps to its limits, and leaves word of what became of it.

How often a call is tried, and how long is waited in between, is the openai package's business.
"""

import asyncio
import importlib
import re
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

import openai

from forgeteval.chat.completions import Attempts, Completion, UnusableAnswerError, read_completion
from forgeteval.chat.connecting import proxy_variable, withhold
from forgeteval.chat.redaction import Redactor
from forgeteval.chat.refusals import never_succeeds, told_reason
from forgeteval.errors import UserError
from forgeteval.planners.llm.reading import read_said

__all__ = ["CONNECTING", "CURRENT", "MOST_BYTES", "AttemptingClient", "httpx2", "told"]

if TYPE_CHECKING:
    import httpx2
else:
    # Versions of the openai package before the third stand on httpx, which has the same names.
    httpx2 = importlib.import_module(openai.DefaultAsyncHttpxClient.__base__.__module__.partition(".")[0])

MOST_BYTES = 16 << 20
"""What the body of an answer may be long; a completion of 100,000 tokens is a thirtieth of it."""
NOTHING_SENT = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout)
"""How an attempt fails that no endpoint has seen."""

CONNECTING = 0.9
"""The part of an attempt's time limit within which it says that no connection was had, so that nothing was sent."""
_LONGEST_REASON = 500
_CONNECTIONS = httpx2.Limits(max_connections=1000, max_keepalive_connections=100)
_SHORTEST_WAIT_S = 0.5
"""Where an endpoint asks for less, the openai package waits as it does without being asked."""


_CHARSET = re.compile(
    r'charset\s*=\s*"?(us-ascii|iso-8859-1|latin-?1|windows-1252|cp1252|utf-16(?:-?[lb]e)?)(?![\w-])', re.IGNORECASE
)
"""What a body may be in besides UTF-8; some of Python's other codecs take quadratic time, or are none of text."""
_OF_THE_BODY = frozenset({"content-type", "content-length", "transfer-encoding"})
CURRENT: ContextVar[Attempts] = ContextVar("CURRENT")
"""The attempts at the call that this task makes."""


class AttemptingClient(openai.DefaultAsyncHttpxClient):
    """Sends each request as one attempt at the task's call, and nowhere else: a redirect is an answer like any other.

    At most `concurrency` requests are under way, started at even intervals if there is a limit per minute. What is
    answered has the keys taken out of it before anybody reads it. An answer that is compressed, which is not asked for,
    longer than `MOST_BYTES` or no chat completion fails the attempt as an `httpx2.RequestError` with an
    `UnusableAnswerError` as its cause; so does time that is up, as an `httpx2.TimeoutException`.
    """

    def __init__(
        self,
        timeout_s: float,
        redact: Redactor,
        proxies: bool,
        concurrency: int = 100,
        requests_per_minute: int | None = None,
    ) -> None:
        try:
            super().__init__(
                headers={"Accept-Encoding": "identity"},
                limits=_CONNECTIONS,
                trust_env=proxies,
                follow_redirects=False,
            )
        except (ImportError, OSError, ValueError, httpx2.InvalidURL) as error:
            # Not the library's own words, also not as the cause: they quote what they took from a proxy's password.
            reason = (
                "a SOCKS proxy needs the package socksio" if isinstance(error, ImportError) else type(error).__name__
            )
            raise UserError(
                f"HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, SSL_CERT_FILE: no connection can be made as they say ({reason}); "
                "mend or unset them; in a proxy's password, # is %23, / is %2F and @ is %40"
            ) from None
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
                    sent = {**options, "stream": True, "follow_redirects": False}
                    response = await self._read(await super().send(request, **sent))
                attempts.silent = False
                if response.is_success:
                    attempts.answer = self._completion(response.text)
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

    async def _read(self, response: httpx2.Response) -> httpx2.Response:
        """The answer with its whole body, without keys."""
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
        named = _CHARSET.search(response.headers.get("content-type", ""))
        text = self._redact.in_json(body.decode(named[1] if named else "utf-8-sig", errors="replace"))
        # Header values as bytes: of a text, only ASCII is taken.
        headers = [
            (name.encode(), self._redact(value).encode())
            for name, value in response.headers.items()
            if name not in _OF_THE_BODY
        ]
        return httpx2.Response(response.status_code, headers=headers, text=text, request=response.request)

    def _completion(self, text: str) -> Completion:
        completion = read_completion(text)
        said = read_said(completion.response.encode()) or ""
        if self._redact(said) != said:
            raise UnusableAnswerError("parts of a text that together hold the key")
        return completion


def told(error: Exception, timeout_s: float) -> str:
    """What ended a call to an endpoint, to follow the endpoint's name: "answered 401 (no such key)".

    Args:
        error: as the openai package raised it.
        timeout_s: time limit of an attempt.
    """
    return _told(error, timeout_s).encode(errors="replace").decode()


def _told(error: Exception, timeout_s: float) -> str:
    cause = error.__cause__ or error
    match error:
        case openai.APIConnectionError() if isinstance(cause.__cause__, UnusableAnswerError):
            return f"answered with {cause.__cause__}"
        case openai.APITimeoutError() if isinstance(cause, NOTHING_SENT):
            return f"let nobody connect within {timeout_s:g} s"
        case openai.APITimeoutError():
            return f"timed out after {timeout_s:g} s"
        case openai.APIConnectionError() if _was_refused(cause):
            if variable := proxy_variable(str(error.request.url)):
                return f"cannot be reached: nothing listens at the proxy that {variable} names"
            return "cannot be reached: nothing listens there"
        case openai.APIConnectionError() if "CERTIFICATE_VERIFY_FAILED" in str(cause):
            return f"has a certificate that is not trusted ({cause}); SSL_CERT_FILE can name it; here, ask by http"
        case openai.APIConnectionError():
            return f"connection failed ({type(cause).__name__}: {cause})"
        case openai.APIStatusError():
            headers = error.response.headers
            reason = told_reason(error.response.text) or error.response.reason_phrase
            if error.response.has_redirect_location:
                reason = f"a redirect to {headers['location']}, which is not followed"
            asked = headers.get("retry-after")
            asks = f"; it asks to wait (Retry-After: {asked})" if asked else ""
            return f"answered {error.status_code} ({reason[:_LONGEST_REASON]}){asks}"
    return f"cannot be asked ({type(error).__name__}: {error})"


def _was_refused(error: BaseException | None) -> bool:
    """Whether a connection failed because no program listens at its address."""
    while error is not None and not isinstance(error, ConnectionRefusedError):
        error = error.__cause__ or error.__context__
    return error is not None
