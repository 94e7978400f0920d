"""One model's endpoint: calls through the OpenAI client, which retries them, and the circuit breaker."""

import asyncio
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import httpx  # noqa: F401 - the client uses httpx if it is loaded, and fails if another thread has half loaded it
import httpx2
import openai

from forgeteval.chat.attempts import CONNECTING, CURRENT, AttemptingClient, told
from forgeteval.chat.completions import Attempts, UnusableAnswerError
from forgeteval.chat.connecting import is_this_machine, proxy_variable, with_version
from forgeteval.chat.parameters import LIMITS, Refusals
from forgeteval.chat.redaction import Redactor
from forgeteval.errors import UserError
from forgeteval.planners.llm.reading import is_cut_off, says_something, why_silent
from lethe.gateway.addresses import Locate
from lethe.gateway.answers import Answer
from lethe.gateway.errors import UpstreamError

if TYPE_CHECKING:
    from lethe.config.chat_models import ModelConfig

DUMMY_KEY = "no-key"
"""Sent to an endpoint without `api_key_env`: the OpenAI client requires a key, and local servers ignore it."""
OPENS_AFTER = 3
"""Number of consecutive calls, none of whose attempts got any answer, after which the circuit opens; and of calls from
the first on that were all refused, after which the configuration ends. Where the first one finds nobody, it ends."""
COOL_DOWN_S = 30.0
"""Seconds after which one call is let through, with a single attempt, to test the endpoint."""
_NOT_LOCATED = "http://127.0.0.1/v1"


class Upstream:
    """The endpoint of one model; belongs to one event loop.

    Attributes:
        hopeless: why nothing more need be asked, where every answer so far said nothing.
    """

    def __init__(self, model: "ModelConfig", locate: Locate, redact: Redactor) -> None:
        self._model, self._locate, self._redact = model, locate, redact
        self._unanswered, self._opened_at, self._refused = 0, 0.0, 0
        self._answered = False
        self.hopeless = ""
        self._refusals = Refusals(model.name)
        self._limits = LIMITS | {model.takes.rename.get(limit, limit) for limit in LIMITS}
        self._key: str | None = None
        self._locating = asyncio.Lock()
        proxies = model.serve is None and not is_this_machine(model.base_url)
        http = AttemptingClient(model.timeout_s, redact, proxies, model.concurrency, model.requests_per_minute)
        # The client's own time limit is between bytes; an endpoint that sends slowly would never reach it.
        timeout = httpx2.Timeout(model.timeout_s, connect=CONNECTING * model.timeout_s)
        self._client = openai.AsyncOpenAI(
            base_url=_NOT_LOCATED, api_key=self._located_key, timeout=timeout, http_client=http
        )

    async def complete(self, fields: Mapping[str, Any], most: int | None = None) -> Answer:
        """The endpoint's answer to a chat request; where it refuses a field by name, to one without it.

        Args:
            most: how many attempts may be made, those that a refusal ends not among them; by default the model's.

        Raises:
            UpstreamError: if all attempts failed, a retry would not help, the circuit is open, or the endpoint cannot
                be started here.
        """
        attempts = Attempts()
        while not await self._is_answered(fields, most, attempts):
            attempts.final = False
        found = self._priced(attempts)
        self._note_answer(found)
        return found

    async def _is_answered(self, fields: Mapping[str, Any], most: int | None, attempts: Attempts) -> bool:
        """Whether the endpoint has answered; False where it refused a field that is not sent again."""
        sent = self._refusals.sent(fields)
        attempts.fields = frozenset(sent)
        if self._model.max_usd is not None and not sent.keys() & self._limits:
            attempts.final = True
            told = "takes no limit of an answer's length, so that max_usd cannot hold; use max_calls in its place"
            raise self._error(400, told, attempts)
        allowed = self._attempts_allowed()
        if most is not None:
            allowed = min(allowed, most - attempts.broken)
        if allowed < 1:
            raise self._error(503, "does not answer and is given a pause of some seconds", attempts)
        CURRENT.set(attempts)
        try:
            await self._client.post(
                "/chat/completions",
                body=sent,
                cast_to=httpx2.Response,
                options={"max_retries": allowed - 1},
            )
        except UpstreamError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever the client raises ends this call, not the server
            if not isinstance(error, openai.APIError):
                attempts.reached, attempts.silent = max(1, attempts.reached), False
            self._note(attempts)
            if isinstance(error, openai.APIStatusError) and self._refusals.learn(
                error.status_code, error.response.text, sent
            ):
                return False
            self._note_refusal(error, attempts)
            raise self._error(*self._told(error, attempts), attempts) from None
        self._note(attempts)
        return True

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
                    attempts.final = True
                    raise UpstreamError(503, str(error), attempts) from None
                self._redact.add(address.key)
                self._client.base_url = address.base_url
                self._key = address.key or DUMMY_KEY
            attempts.key = self._key
            return self._key

    def _forget(self) -> None:
        """Ask anew where the endpoint is, if it is served here: its server has ended."""
        if self._model.serve is not None:
            self._key = None

    def _attempts_allowed(self) -> int:
        """Those of the model while the circuit is closed; while it is open 0, or 1 for the test call."""
        if self._unanswered < OPENS_AFTER:
            return self._model.max_attempts
        if time.monotonic() < self._opened_at + COOL_DOWN_S:
            return 0
        self._opened_at = time.monotonic()
        return 1

    def _note(self, attempts: Attempts) -> None:
        """Count calls without any sign of life."""
        self._unanswered = self._unanswered + 1 if attempts.silent else 0
        self._opened_at = time.monotonic()
        if attempts.silent:
            self._forget()

    def _note_refusal(self, error: Exception, attempts: Attempts) -> None:
        """An endpoint that has never answered and goes on refusing will not begin to; one that takes other requests may
        refuse a parameter of this one alone."""
        status = error.status_code if isinstance(error, openai.APIStatusError) else 0
        if self._answered:
            attempts.final = attempts.final and status not in (400, 422)
            return
        self._refused += 1
        attempts.final = attempts.final or attempts.silent or self._refused >= OPENS_AFTER

    def _note_answer(self, found: Answer) -> None:
        """A model that says nothing from the first call on will not begin to; what it said has been paid for."""
        if says_something(found.response):
            self._answered = True
        elif not self._answered:
            self._refused += 1
            if self._refused >= OPENS_AFTER:
                why = why_silent(found.response.encode())
                self.hopeless = (
                    f"model {self._model.name}: every one of {self._refused} calls failed, the last with {why}"
                )

    def _priced(self, attempts: Attempts) -> Answer:
        found = attempts.answer
        if found is None:
            raise self._error(502, "answered with nothing", attempts)
        keep = found.keep or (self._model.deterministic and is_cut_off(found.finish_reason))
        cost_usd = self._model.cost_usd(found.tokens_in, found.tokens_out)
        made = cost_usd, attempts.latency_ms, attempts.made, attempts.broken
        return Answer(found.response, found.finish_reason, found.tokens_in, found.tokens_out, keep, *made)

    def _told(self, error: Exception, attempts: Attempts) -> tuple[int, str]:
        """The gateway's status and reason for what the client raised at the last attempt."""
        what = told(error, self._model.timeout_s)
        match error:
            case openai.APITimeoutError():
                return 504, what
            case openai.APIStatusError(status_code=status):
                # A client of the gateway would take the endpoint's 401 for a wrong gateway token.
                return 502 if status >= 500 or status in (401, 403) else status, f"{what}{self._remedy(status)}"
        unusable = getattr(error.__cause__, "__cause__", None)
        if isinstance(unusable, UnusableAnswerError):
            is_elsewhere = unusable.is_page and not self._answered
            attempts.final = attempts.final or is_elsewhere
            return 502, f"{what}{self._remedy(404) if is_elsewhere else ''}"
        return 502, f"{what}{self._remedy(0) if attempts.reached == 0 else ''}"

    def _remedy(self, status: int) -> str:
        """What may be put right where an endpoint refuses for good, or, with 0, where nobody is."""
        entry = f"models.{self._model.name}"
        if status in (401, 403):
            return f"; check the key in {self._model.api_key_env or f'{entry}.api_key_env, which is not set'}"
        if status == 0 and self._model.serve is None:
            variable = proxy_variable(self._model.base_url)
            return f"; check {variable}, then {entry}.base_url" if variable else f"; check {entry}.base_url"
        if status not in (404, 405) or not self._model.base_url:
            return ""
        if other := with_version(self._model.base_url):
            return f"; {entry}.base_url has no version, try {other}"
        return f"; check {entry}.model and {entry}.base_url"

    def _error(self, status: int, what: str, attempts: Attempts) -> UpstreamError:
        times = f" (attempts: {attempts.made})" if attempts.made > 1 else ""
        message = self._redact(f"model {self._model.name}: {self._model.base_url or 'its server'} {what}{times}")
        return UpstreamError(status, message, attempts)
