"""The client of an endpoint, which follows it nowhere else and reads no more than an answer can be."""

from collections.abc import AsyncIterator

import httpx  # noqa: F401 - the client uses httpx if it is loaded, and fails if another thread has half loaded it
import httpx2
from openai import AsyncOpenAI, DefaultAsyncHttpxClient

from lethe.gateway.answers import UnusableAnswerError
from lethe.gateway.models import DUMMY_KEY
from lethe.gateway.serve import Address

MOST_BYTES = 16 << 20
"""What the body of an answer may be long; a completion of 100,000 tokens is a thirtieth of it."""

CONNECTING = 0.9
"""The part of a call's time limit within which it says that no connection was had, so that nothing was sent."""


def endpoint_client(address: Address, timeout_s: float) -> AsyncOpenAI:
    """A client that sends requests to `address` alone: a redirect is an answer like any other, with a status of 3xx.

    A connection has to stand within `CONNECTING` of the time limit. An answer that is compressed, which is not asked
    for, or longer than `MOST_BYTES` ends as `APIConnectionError` with an `UnusableAnswerError` as its cause.
    """
    http = DefaultAsyncHttpxClient(
        follow_redirects=False, headers={"Accept-Encoding": "identity"}, event_hooks={"response": [_bound]}
    )
    key, timeout = address.key or DUMMY_KEY, httpx2.Timeout(timeout_s, connect=CONNECTING * timeout_s)
    return AsyncOpenAI(base_url=address.base_url, api_key=key, max_retries=0, timeout=timeout, http_client=http)


class _Bounded(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        read = 0
        async for part in self._stream:
            read += len(part)
            if read > MOST_BYTES:
                raise UnusableAnswerError(f"a body of more than {MOST_BYTES >> 20} MiB")
            yield part

    async def aclose(self) -> None:
        await self._stream.aclose()


async def _bound(response: httpx2.Response) -> None:
    if response.headers.get("content-encoding", "identity").strip().lower() != "identity":
        raise UnusableAnswerError("a compressed body, which was not asked for")
    if isinstance(response.stream, httpx2.AsyncByteStream):
        response.stream = _Bounded(response.stream)
