"""A chat model at any OpenAI-compatible endpoint as a hook: `evaluate(MyStore, hook=LLM("gpt-4o-mini"))`."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from forgeteval.chat.answers import Answers
from forgeteval.chat.connecting import is_loopback, withhold
from forgeteval.errors import UserError
from forgeteval.planners.chat import Ask, ChatOptions, Contract, HookContract, Structured
from forgeteval.planners.llm.client import LONGEST_MESSAGE, chat_body
from forgeteval.planners.llm.reading import read_said
from forgeteval.planners.llm.rows import hook_planner
from forgeteval.planners.protocol import CANDIDATES, Planner, PlannerUnavailable

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
        max_tokens: of an answer.
        structured: how a JSON answer is asked for: by a schema ("strict", or "schema" for the whole of JSON Schema), as
            any "object", or by the prompt alone ("none").
        contract: "rows", which shows the model every row that it may need, or "paper", as in the paper.
        candidates: how many rows the contract "rows" shows, by query and by new fact each.
        timeout_s: seconds for an answer.
        keep: whether answers are kept on disk.
    """

    model: str
    base_url: str | None = None
    api_key_env: str | None = "OPENAI_API_KEY"
    temperature: float | None = 0.0
    max_tokens: int = 512
    structured: Structured = "object"
    contract: HookContract = "rows"
    candidates: int = CANDIDATES
    timeout_s: float = 120.0
    keep: bool = True


def model_planner(hook: Any) -> Planner:
    """The planner of a chat model: an `LLM`, or the name of one at OpenAI's endpoint or that of OPENAI_BASE_URL.

    Raises:
        UserError: where it is neither, the openai package is missing, or there is no key.
    """
    if isinstance(hook, str):
        hook = LLM(hook)
    if not isinstance(hook, LLM):
        raise UserError(f"hook: {type(hook).__name__} is no planner (supersede, release, purge) and no model; see LLM")
    return hook_planner(_options(hook), _asking(hook))


def hidden_variables(hook: Any) -> tuple[str, ...]:
    """The environment variables that a store's own process does not get: the key of a model."""
    llm = LLM(hook) if isinstance(hook, str) else hook
    return (llm.api_key_env,) if isinstance(llm, LLM) and llm.api_key_env is not None else ()


def _options(llm: LLM) -> ChatOptions:
    return ChatOptions(llm.model, llm.temperature or 0.0, llm.max_tokens, llm.structured, llm.contract, llm.candidates)


def _asking(llm: LLM) -> Ask:
    complete = _completing(llm)
    answers = Answers() if llm.keep else None
    options = _options(llm)
    failed: list[str] = []

    def ask(purpose: str, prompt: str, contract: Contract | None = None) -> str:
        body = chat_body(options, prompt, contract)
        if llm.temperature is None:
            del body["temperature"]
        key = {"base_url": llm.base_url, **body}
        known = None if answers is None else answers.find(key)
        if known is not None:
            return known
        if failed:
            raise PlannerUnavailable(failed[0])
        try:
            content = complete(body)
        except PlannerUnavailable as error:
            if error.__cause__.__class__.__name__ in _FINAL:
                failed.append(str(error))
            raise
        if answers is not None:
            answers.keep(key, content)
        return content

    return ask


def _completing(llm: LLM) -> Callable[[Mapping[str, Any]], str]:
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

    def complete(body: Mapping[str, Any]) -> str:
        try:
            answer = client.chat.completions.with_raw_response.create(**body)
        except openai.OpenAIError as error:
            told = " ".join(str(error).replace(key, "***").split())[:LONGEST_MESSAGE]
            raise PlannerUnavailable(f"{llm.model}: {type(error).__name__}: {told}") from error
        said = read_said(answer.content)
        if said is None:
            raise PlannerUnavailable(f"{llm.model}: an answer without content")
        return said

    return complete
