"""An endpoint of a chat model, asked from code that waits: a thread of this process has the event loop."""

import asyncio
import functools
import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import openai

from forgeteval.chat.attempts import CONNECTING, CURRENT, AttemptingClient, httpx2, told
from forgeteval.chat.completions import FAILS_AFTER, Attempts, Completion, UnusableAnswerError
from forgeteval.chat.connecting import (
    NO_ADDRESS,
    OPENAI,
    address_of,
    api_root,
    given_address,
    is_this_machine,
    named,
    proxy_variable,
    with_version,
)
from forgeteval.chat.parameters import Refusals
from forgeteval.chat.redaction import Redactor
from forgeteval.errors import UserError
from forgeteval.planners.protocol import PlannerUnavailable

LIMITED = 429
"""Status of an answer that asks to wait."""


class ChatEndpoint:
    """Asks one model at one endpoint, with the retries of the openai package.

    Args:
        base_url: of the API, up to /v1; None for that of OPENAI_BASE_URL, or OpenAI's own.
        key_variable: environment variable that has the key; empty where none is asked for.
        timeout_s: for a whole answer, at each attempt.

    Attributes:
        address: of the API.
        stop: why no further call is made, in one line that says what to look at; else None.

    Raises:
        UserError: where `base_url` is no address, or has credentials or a query.
    """

    def __init__(self, model: str, base_url: str | None, key: str, timeout_s: float, key_variable: str = "") -> None:
        self._model, self._key, self._timeout_s, self._key_variable = model, key, timeout_s, key_variable
        self._redact, self._refusals = Redactor([key]), Refusals(model)
        self._answered, self._failed = False, 0
        self.stop: str | None = None
        base_url = api_root(given_address(base_url)) or f"https://api.{OPENAI}/v1"
        http_client = AttemptingClient(timeout_s, self._redact, proxies=not is_this_machine(address_of(base_url)))
        timeout = httpx2.Timeout(timeout_s, connect=CONNECTING * timeout_s)
        try:
            self._client = openai.AsyncOpenAI(api_key=key, base_url=base_url, timeout=timeout, http_client=http_client)
        except httpx2.InvalidURL:
            raise UserError(f"--base-url (base_url), else OPENAI_BASE_URL: {NO_ADDRESS}") from None
        self.address = address_of(str(self._client.base_url))

    def complete(self, fields: Mapping[str, Any]) -> Completion:
        """The answer to a chat request; where a field of it is refused by name, to one without it.

        Raises:
            PlannerUnavailable: where there is none, in one line that names the endpoint and holds no key. Nothing more
                is sent after a refusal of every request, a first call that finds nobody, or `FAILS_AFTER` calls.
        """
        if self.stop is not None:
            raise PlannerUnavailable(self.stop)
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
            status = error.status_code if isinstance(error, openai.APIStatusError) else 0
            if not self._answered and _is_page(error):
                status, attempts.final = 404, True
        else:
            if attempts.answer is not None:
                self._answered, self._failed = True, 0
                return attempts.answer
            what, status = "answered with nothing", 0
        reason = self._redact(f"{self._model}: {self.address} {what}")
        if self._ends(attempts, status):
            self.stop = reason = f"the model's endpoint fails: {reason}{self._remedy(status, attempts)}"
        raise PlannerUnavailable(" ".join(reason.split()))

    def _ends(self, attempts: Attempts, status: int) -> bool:
        """Whether no further call is to be made after one that failed; of an endpoint that has answered, a prompt alone
        may be refused, or hang."""
        self._failed += attempts.silent or status == LIMITED or status >= 500 or not self._answered
        nobody = attempts.silent and not self._answered
        return attempts.final or nobody or self._failed >= FAILS_AFTER

    def _remedy(self, status: int, attempts: Attempts) -> str:
        """What to look at."""
        if status in (401, 403):
            return f"; check the key in {named(self._key_variable)}" if self._key_variable else "; it asks for a key"
        address = "its address: --base-url or base_url, else OPENAI_BASE_URL"
        if status in (404, 405):
            other = with_version(self.address)
            return f"; its address has no version, try {other}" if other else f"; check the model's name and {address}"
        if status == LIMITED:
            return "; what was answered is kept, so the same command goes on from there when the limit has passed"
        proxy = proxy_variable(self.address)
        return f"; check {f'{proxy}, then ' if proxy else ''}{address}" if attempts.reached == 0 else ""


def _is_page(error: Exception) -> bool:
    """Whether what was answered is a page for people, which an address beside that of the API has."""
    unusable = getattr(error.__cause__, "__cause__", None)
    return isinstance(unusable, UnusableAnswerError) and unusable.is_page


@functools.cache
def _loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    loop.set_default_executor(ThreadPoolExecutor(4, "chat endpoints"))
    threading.Thread(target=loop.run_forever, name="chat endpoints", daemon=True).start()
    return loop
