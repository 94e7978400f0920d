"""A chat model at any OpenAI-compatible endpoint as a hook: `evaluate(MyStore, hook=LLM("gpt-4o-mini"))`."""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from forgeteval.chat.answers import Answers
from forgeteval.chat.completions import Completion, UnusableAnswerError, read_completion
from forgeteval.chat.connecting import is_loopback, withhold
from forgeteval.chat.keys import answer_key
from forgeteval.chat.parameters import Preset, Refusals, preset
from forgeteval.chat.redaction import Redactor
from forgeteval.errors import UserError
from forgeteval.planners.chat import ChatOptions, Contract, HookContract, Structured
from forgeteval.planners.llm.client import LONGEST_MESSAGE, chat_body
from forgeteval.planners.llm.reading import read_said
from forgeteval.planners.llm.rows import hook_planner
from forgeteval.planners.protocol import CANDIDATES, Planner, PlannerUnavailable

MAX_TOKENS = 512
"""Of an answer, unless a preset or the caller says otherwise."""
_FINAL = (
    "AuthenticationError",
    "PermissionDeniedError",
    "NotFoundError",
    "BadRequestError",
    "UnprocessableEntityError",
)
"""Errors of the openai package after which no further call can succeed."""


@dataclass(frozen=True, slots=True)
class LLM:
    """A chat model that decides each mutation.

    Its answers are kept on disk, so that a second run asks nothing again; failures are not.

    >>> LLM("qwen3", base_url="http://127.0.0.1:8000/v1", api_key_env=None).model
    'qwen3'

    Attributes:
        model: name, as the endpoint knows it.
        base_url: of the API, up to /v1; None for that of the variable OPENAI_BASE_URL, or OpenAI's own.
        api_key_env: environment variable with the key; None for an endpoint that asks for none. A store in a process of
            its own does not get this variable.
        temperature: None leaves it out, for models that refuse it.
        max_tokens: of an answer; the preset's, else 512.
        structured: how a JSON answer is asked for: by a schema ("strict", or "schema" for the whole of JSON Schema), as
            any "object", or by the prompt alone ("none"); the preset's, else "object".
        contract: "rows", which shows the model every row that it may need, or "paper", as in the paper.
        candidates: how many rows the contract "rows" shows, by query and by new fact each.
        timeout_s: seconds for an answer.
        keep: whether answers are kept on disk.
        mode: "replay" for the kept answers alone: no key is needed and no connection is opened; a lacking one ends the
            run.
        preset: the family of the endpoint, which says what it takes: "openai_reasoning", "deepseek", ...; see
            `forgeteval.chat.parameters.presets`.
        drop, rename: fields of a request that the endpoint does not take, or has another name for.
        extra_body: further fields of every request.
    """

    model: str
    base_url: str | None = None
    api_key_env: str | None = "OPENAI_API_KEY"
    temperature: float | None = 0.0
    max_tokens: int | None = None
    structured: Structured | None = None
    contract: HookContract = "rows"
    candidates: int = CANDIDATES
    timeout_s: float = 120.0
    keep: bool = True
    mode: Literal["live", "replay"] = "live"
    preset: str = ""
    drop: Sequence[str] = ()
    rename: Mapping[str, str] = field(default_factory=dict)
    extra_body: Mapping[str, Any] = field(default_factory=dict)


def model_planner(hook: Any) -> Planner:
    """The planner of a chat model: an `LLM`, or the name of one at OpenAI's endpoint or that of OPENAI_BASE_URL.

    Raises:
        UserError: where it is neither, the openai package is missing, there is no key or no such preset.
    """
    if isinstance(hook, str):
        hook = LLM(hook)
    if not isinstance(hook, LLM):
        raise UserError(f"hook: {type(hook).__name__} is no planner (supersede, release, purge) and no model; see LLM")
    return hook_planner(_options(hook), Asking(hook))


def hidden_variables(hook: Any) -> tuple[str, ...]:
    """The environment variables that a store's own process does not get: the key of a model."""
    llm = LLM(hook) if isinstance(hook, str) else hook
    return (llm.api_key_env,) if isinstance(llm, LLM) and llm.api_key_env is not None else ()


def _family(llm: LLM) -> Preset:
    return preset(llm.preset).joined(llm.drop, llm.rename)


def _options(llm: LLM) -> ChatOptions:
    family = _family(llm)
    return ChatOptions(
        llm.model,
        llm.temperature or 0.0,
        llm.max_tokens or family.max_tokens or MAX_TOKENS,
        llm.structured or family.structured,
        llm.contract,
        llm.candidates,
    )


class Asking:
    """Asks a model, and keeps what it says under the workflow's key.

    Attributes:
        stop: why the run cannot go on: an answer that is lacking in mode "replay"; else None.
    """

    def __init__(self, llm: LLM) -> None:
        self._llm, self._options, self._family = llm, _options(llm), _family(llm)
        self._answers = Answers() if llm.keep or llm.mode == "replay" else None
        self._complete = _completing(llm) if llm.mode == "live" else None
        self._failed: str | None = None
        self.stop: str | None = None

    def __call__(self, purpose: str, prompt: str, contract: Contract | None = None) -> str:
        fields = {**self._llm.extra_body, **chat_body(self._options, prompt, contract)}
        if self._llm.temperature is None:
            del fields["temperature"]
        fields = self._family.sent(fields)
        key = answer_key(fields)
        kept = None if self._answers is None else self._answers.find(key)
        if kept is None:
            kept = self._asked(purpose, key, fields)
        said = read_said(kept.encode())
        if said is None:
            raise PlannerUnavailable(f"{self._llm.model}: an answer without content")
        return said

    def _asked(self, purpose: str, key: str, fields: Mapping[str, Any]) -> str:
        if self._complete is None:
            self.stop = f"replay: no answer of {self._llm.model} is kept for {purpose}; run with mode live"
            raise PlannerUnavailable(self.stop)
        if self._failed is not None:
            raise PlannerUnavailable(self._failed)
        try:
            completion = self._complete(fields)
        except PlannerUnavailable as error:
            if error.__cause__.__class__.__name__ in _FINAL:
                self._failed = str(error)
            raise
        if self._answers is not None and completion.keep:
            self._answers.keep(key, completion.response)
        return completion.response


def _completing(llm: LLM) -> Callable[[Mapping[str, Any]], Completion]:
    try:
        import openai
    except ImportError as error:
        raise UserError('the openai package is not installed; `pip install "forgeteval[llm]"` brings it') from error
    key = "none" if llm.api_key_env is None else os.environ.get(llm.api_key_env)
    if not key:
        raise UserError(
            f"{llm.model}: the variable {llm.api_key_env} is not set; it has to hold the endpoint's API key"
        )
    address = llm.base_url or os.environ.get("OPENAI_BASE_URL", "")
    http = openai.DefaultHttpxClient(
        trust_env=not is_loopback(address),
        event_hooks={"request": [lambda request: withhold(request.headers, str(request.url), key)]},
    )
    client = openai.OpenAI(api_key=key, base_url=llm.base_url, timeout=llm.timeout_s, http_client=http)

    refusals, redact = Refusals(llm.model), Redactor([key])

    def complete(fields: Mapping[str, Any]) -> Completion:
        sent = refusals.sent(fields)
        try:
            # As it came: the package's own record of an answer leaves out what OpenAI's lack.
            said = client.post("/chat/completions", body=sent, cast_to=object)
            return read_completion(redact.in_json(json.dumps(said)))
        except UnusableAnswerError as error:
            raise PlannerUnavailable(f"{llm.model}: answered with {error}") from error
        except openai.OpenAIError as error:
            status, told = getattr(error, "status_code", 0), getattr(error, "response", None)
            if status and told is not None and refusals.learn(status, told.text, sent):
                return complete(fields)
            told = " ".join(redact(str(error)).split())[:LONGEST_MESSAGE]
            raise PlannerUnavailable(f"{llm.model}: {type(error).__name__}: {told}") from error

    return complete
