"""An endpoint of a chat model, asked from code that waits: a thread of this process has the event loop."""

import asyncio
import functools
import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import openai

from forgeteval.chat.attempts import CONNECTING, CURRENT, AttemptingClient, httpx2, told
from forgeteval.chat.completions import Attempts, Completion
from forgeteval.chat.connecting import address_of, is_loopback
from forgeteval.chat.parameters import Refusals
from forgeteval.chat.redaction import Redactor
from forgeteval.planners.protocol import PlannerUnavailable


class ChatEndpoint:
    """Asks one model at one endpoint, with the retries of the openai package.

    Args:
        base_url: of the API, up to /v1; None for that of OPENAI_BASE_URL, or OpenAI's own.
        timeout_s: for a whole answer, at each attempt.

    Attributes:
        address: of the API, without what is secret in it.
    """

    def __init__(self, model: str, base_url: str | None, key: str, timeout_s: float) -> None:
        self._model, self._key, self._timeout_s = model, key, timeout_s
        self._redact, self._refusals = Redactor([key]), Refusals(model)
        self._failed: str | None = None
        self._client = openai.AsyncOpenAI(
            api_key=key,
            base_url=base_url,
            timeout=httpx2.Timeout(timeout_s, connect=CONNECTING * timeout_s),
            http_client=AttemptingClient(timeout_s, self._redact, proxies=not is_loopback(address_of(base_url))),
        )

        self.address = address_of(str(self._client.base_url))

    def complete(self, fields: Mapping[str, Any]) -> Completion:
        """The answer to a chat request; where a field of it is refused by name, to one without it.

        Raises:
            PlannerUnavailable: where there is none, in one line that names the endpoint and holds no key. After a
                refusal of every request nothing more is sent.
        """
        if self._failed is not None:
            raise PlannerUnavailable(self._failed)
        call = asyncio.run_coroutine_threadsafe(self._complete(fields), _loop())
        try:
            return call.result()
        except BaseException:
            call.cancel()
            raise

    async def _complete(self, fields: Mapping[str, Any]) -> Completion:
        sent = self._refusals.sent(fields)
        attempts = Attempts(frozenset(sent), self._key)
        CURRENT.set(attempts)
        try:
            await self._client.post("/chat/completions", body=sent, cast_to=httpx2.Response)
        except Exception as error:  # noqa: BLE001 - whatever the client raises ends this call, not the run
            if isinstance(error, openai.APIStatusError) and self._refusals.learn(
                error.status_code, error.response.text, sent
            ):
                return await self._complete(fields)
            what = told(error, self._timeout_s)
        else:
            if attempts.answer is not None:
                return attempts.answer
            what = "answered with nothing"
        reason = " ".join(self._redact(f"{self._model}: {self.address} {what}").split())
        if attempts.final:
            self._failed = reason
        raise PlannerUnavailable(reason)


@functools.cache
def _loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    loop.set_default_executor(ThreadPoolExecutor(4, "chat endpoints"))
    threading.Thread(target=loop.run_forever, name="chat endpoints", daemon=True).start()
    return loop
