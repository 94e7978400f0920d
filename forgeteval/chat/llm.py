"""A chat model at any OpenAI-compatible endpoint as a hook: `evaluate(MyStore, hook=LLM("gpt-4o-mini"))`."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, get_args

from forgeteval.chat.answers import Answers
from forgeteval.chat.completions import FAILS_AFTER, UnusableAnswerError, read_completion
from forgeteval.chat.connecting import address_of, read_key
from forgeteval.chat.keys import answer_key
from forgeteval.chat.parameters import MAX_TOKENS, REASONING_TOKENS, Preset, field_problem, preset
from forgeteval.errors import UserError, extra
from forgeteval.planners.chat import ChatOptions, Contract, HookContract, Structured, Used
from forgeteval.planners.llm.client import chat_body
from forgeteval.planners.llm.reading import read_said, was_cut_off
from forgeteval.planners.llm.rows import hook_planner
from forgeteval.planners.protocol import CANDIDATES, Planner, PlannerUnavailable

if TYPE_CHECKING:
    from forgeteval.chat.endpoint import ChatEndpoint

Mode = Literal["live", "replay"]
_MOST_CANDIDATES = 100
_NONE = type(None)


@dataclass(frozen=True, slots=True)
class LLM:
    """A chat model that decides each mutation.

    Its answers are kept on disk, so that a second run asks the same endpoint nothing again; failures are not.

    >>> LLM("qwen3", base_url="http://127.0.0.1:8000/v1", api_key_env=None).model
    'qwen3'

    Attributes:
        model: name, as the endpoint knows it.
        base_url: of the API, up to /v1; what stands after it for the method, /chat/completions, is left out. None for
            that of the variable OPENAI_BASE_URL, or OpenAI's own.
        api_key_env: environment variable with the key; None for an endpoint that asks for none. A store in a process of
            its own does not get this variable.
        temperature: None leaves it out, for models that refuse it.
        max_tokens: of an answer; the preset's, else 1024, as in the study.
        structured: how a JSON answer is asked for: by a schema ("strict", or "schema" for the whole of JSON Schema), as
            any "object", or by the prompt alone ("none"); the preset's, else "object".
        contract: "rows", which shows the model every row that it may need, or "paper", as in the paper.
        candidates: how many rows the contract "rows" shows, by query and by new fact each.
        timeout_s: seconds for a whole answer, at each of up to three attempts.
        keep: whether answers are kept on disk.
        mode: "replay" for the kept answers alone: no key is needed and no connection is opened; a lacking one ends the
            run. Without `base_url`, answers of any endpoint count.
        preset: the family of the endpoint, which says what it takes: "openai_reasoning", "deepseek", ...; see
            `forgeteval.chat.parameters.presets`.
        drop, rename: fields of a request that the endpoint does not take, or has another name for.
        extra_body: further fields of every request.

    Raises:
        UserError: naming an argument of another kind, or that is none of the known values.
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
    mode: Mode = "live"
    preset: str = ""
    drop: Sequence[str] = ()
    rename: Mapping[str, str] = field(default_factory=dict)
    extra_body: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _check_kinds(self)
        if not self.model.strip():
            raise UserError("LLM: model: is empty; name the model as its endpoint knows it")
        _check_known("structured", self.structured, (None, *get_args(Structured)))
        _check_known("contract", self.contract, get_args(HookContract))
        _check_known("mode", self.mode, get_args(Mode))
        if self.preset:
            preset(self.preset)
        if problem := field_problem(self.drop, self.rename, self.extra_body):
            raise UserError(f"LLM: {problem}")
        for name in ("temperature", "max_tokens"):
            if name in self.extra_body:
                raise UserError(f"LLM: extra_body: {name} is an argument of its own; give it as {name}=")
        if self.max_tokens is not None and self.max_tokens < 1:
            raise UserError(f"LLM: max_tokens={self.max_tokens}: give 1 or more, or None for the preset's")
        if not 1 <= self.candidates <= _MOST_CANDIDATES:
            raise UserError(f"LLM: candidates={self.candidates}: give 1 to {_MOST_CANDIDATES}")
        if self.temperature is not None and not (math.isfinite(self.temperature) and self.temperature >= 0):
            raise UserError(f"LLM: temperature={self.temperature}: give 0 or more, or None to leave it out")
        if not (math.isfinite(self.timeout_s) and self.timeout_s > 0):
            raise UserError(f"LLM: timeout_s={self.timeout_s}: give seconds, more than 0")


_KINDS: Mapping[str, tuple[tuple[type, ...], str]] = {
    "model": ((str,), "a text"),
    "base_url": ((str, _NONE), "a text, or None"),
    "api_key_env": ((str, _NONE), "the name of an environment variable, or None"),
    "temperature": ((int, float, _NONE), "a number, or None"),
    "max_tokens": ((int, _NONE), "a whole number, or None"),
    "candidates": ((int,), "a whole number"),
    "timeout_s": ((int, float), "a number"),
    "keep": ((bool,), "True or False"),
    "preset": ((str,), "a text"),
    "drop": ((list, tuple, set, frozenset), "a list of names"),
    "rename": ((Mapping,), "a mapping of names"),
    "extra_body": ((Mapping,), "a mapping"),
}
"""What each argument is, those with known values apart, and how a message says so."""


def _check_kinds(llm: LLM) -> None:
    """Refuse arguments of another kind; their values, which may be keys, are not shown."""
    for name, (kinds, said) in _KINDS.items():
        value = getattr(llm, name)
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            raise UserError(f"LLM: {name}: has to be {said}, not {type(value).__name__}")
    texts = {"drop": llm.drop, "rename": [*llm.rename, *llm.rename.values()], "extra_body": llm.extra_body}
    for name, values in texts.items():
        if not all(isinstance(each, str) for each in values):
            raise UserError(f"LLM: {name}: holds a name that is not a text")


def _check_known(name: str, given: object, known: Sequence[str | None]) -> None:
    # An unhashable value is none of them either.
    if not any(given == each for each in known):
        raise UserError(f"LLM: {name}={given!r:.80}: unknown; known: {', '.join(map(repr, known))}")


def model_planner(hook: Any) -> Planner:
    """The planner of a chat model: an `LLM`, or the name of one at OpenAI's endpoint or that of OPENAI_BASE_URL.

    Raises:
        UserError: where it is neither, the openai package is missing, there is no key or no such preset, or the address
            is none.
    """
    if isinstance(hook, str):
        hook = LLM(hook)
    if not isinstance(hook, LLM):
        raise UserError(
            f"hook: {type(hook).__name__} is not a planner (supersede, release, purge) and not a model; see LLM"
        )
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
    """Asks a model, and keeps what it says.

    Attributes:
        model: its name.
        max_tokens: of an answer.
        used: what it was asked since this was last replaced.
        stop: why the run cannot go on: a dead endpoint, a model that says nothing, or a lacking answer in
            mode "replay"; else None.
    """

    def __init__(self, llm: LLM) -> None:
        self._llm, self._options, self._family = llm, _options(llm), _family(llm)
        self._answers = Answers() if llm.keep or llm.mode == "replay" else None
        self._endpoint = _endpoint(llm) if llm.mode == "live" else None
        self._address = self._endpoint.address if self._endpoint else address_of(llm.base_url)
        self.model, self.max_tokens, self.used = llm.model, self._options.max_tokens, Used()
        self._has_said, self._silent = False, 0
        self.stop: str | None = None

    def __call__(self, purpose: str, prompt: str, contract: Contract | None = None) -> str:
        fields = {**self._llm.extra_body, **chat_body(self._options, prompt, contract)}
        if self._llm.temperature is None:
            del fields["temperature"]
        fields = self._family.sent(fields)
        key = answer_key(fields)
        kept = self._kept(key)
        if kept is None:
            kept = self._asked(purpose, key, fields)
        else:
            self.used.calls += 1
            self.used.kept += 1
        self.used.add(*_reported(kept))
        self.used.cut_off += was_cut_off(kept.encode())
        said = read_said(kept.encode())
        if said is None:
            raise self._said_nothing(was_cut_off(kept.encode()))
        self._has_said = True
        return said

    def _said_nothing(self, is_cut_off: bool) -> PlannerUnavailable:
        """What to raise for an answer without content; after some from the first on, the run cannot go on."""
        reason = f"an answer that was {cut_off(self.max_tokens)}" if is_cut_off else "an answer without content"
        self._silent += 1
        if not self._has_said and self._silent >= FAILS_AFTER:
            self.stop = f"the model said nothing in its first {self._silent} answers: {self.model}: {reason}"
        return PlannerUnavailable(f"{self.model}: {reason}")

    def _kept(self, key: str) -> str | None:
        try:
            return None if self._answers is None else self._answers.find(key, self._address)
        except UserError as error:
            self.stop = str(error)
            raise PlannerUnavailable(self.stop) from error

    def _asked(self, purpose: str, key: str, fields: Mapping[str, Any]) -> str:
        if self._endpoint is None:
            others = " and ".join(self._answers.endpoints(key)) if self._answers is not None else ""
            there = f"one of {others} is: name it by base_url, or " if others else ""
            self.stop = f"replay: no answer of {self.model} is kept for {purpose}; {there}run with mode live"
            raise PlannerUnavailable(self.stop)
        self.used.calls += 1
        try:
            completion = self._endpoint.complete(fields)
        except PlannerUnavailable:
            self.stop = self._endpoint.stop
            raise
        if self._answers is not None and completion.keep:
            self._answers.keep(key, self._address, completion.response)
        return completion.response


def cut_off(max_tokens: int) -> str:
    """How answers ended that reached their limit, and what helps; follows "was" or "were".

    >>> cut_off(512)
    'cut off at 512 tokens (finish_reason length); a reasoning model needs more: --max-tokens 16384 or --preset NAME'
    """
    enough = max(REASONING_TOKENS, 2 * max_tokens)
    return (
        f"cut off at {max_tokens} tokens (finish_reason length); a reasoning model needs more: "
        f"--max-tokens {enough} or --preset NAME"
    )


def _reported(response: str) -> tuple[int | None, int | None]:
    """The tokens in and out of a chat completion, as far as its endpoint reported them."""
    try:
        completion = read_completion(response)
    except UnusableAnswerError:
        return None, None
    return completion.tokens_in, completion.tokens_out


def _endpoint(llm: LLM) -> "ChatEndpoint":
    try:
        import openai  # noqa: F401 - an extra, which the endpoint's module needs
    except ImportError as error:
        raise UserError(f"the openai package is not installed; {extra('llm')}") from error
    from forgeteval.chat.endpoint import ChatEndpoint

    remedy = "it has to hold the endpoint's API key; --key-env '' (api_key_env=None) for an endpoint that needs none"
    key = "none" if llm.api_key_env is None else read_key(llm.model, llm.api_key_env, remedy)
    return ChatEndpoint(llm.model, llm.base_url, key, llm.timeout_s, llm.api_key_env or "")
