"""The chat models of `config/models.yaml`: address or weights, prices and spending caps of each."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError, with_config

from forgeteval.chat.parameters import Preset, preset
from forgeteval.errors import UserError
from forgeteval.planners.chat import HookContract
from forgeteval.planners.protocol import CANDIDATES
from lethe.gateway.addresses import check_address
from lethe.gateway.serve import Count, Name, Serve

DUMMY_KEY = "no-key"
"""Key sent to an endpoint without `api_key_env`: the OpenAI client requires one, and local servers ignore it."""

_OF_THE_STUDY = frozenset({"parameters", "licence", "systems", "suites", "repetitions"})
"""Options that say what a model is and what it is run on, which whoever asks it need not know."""

NotNegative = Annotated[float, Field(strict=True, ge=0)]
Seconds = Annotated[float, Field(strict=True, gt=0)]


@with_config(ConfigDict(extra="forbid", allow_inf_nan=False))
@dataclass(frozen=True, slots=True)
class ModelConfig:
    """One entry of `config/models.yaml`.

    `family` is the model family: a judge and the model that drafted its cases must not share one, and tables mark a
    judge that shares one with a model that plans mutations.
    `usd_per_million_in` and `_out` are the prices of a million prompt and completion tokens in US dollars. `max_usd`
    and `max_calls` limit the spending on this model, as logged in the cache file. `temperature` and `max_tokens` are
    used by the planner, the judges and the drafts; the gateway imposes them on no request. `most_tokens` is the longest
    answer that any request gets, whatever it asks for. `extra_body` adds fields to every request that lacks them.
    `timeout_s` limits one attempt, `max_attempts` the attempts of one call. `structured` says how an answer's form is
    asked for, `contract` and `candidates` what the planner shows. `preset`, `drop` and `rename` say which fields of a
    request its endpoint takes, and by which names.

    A model has either an endpoint (`base_url` and `model`, its name there) or is served here (`serve`); in requests a
    served one goes by the checksum of its weights, which thus decides under which key an answer is kept.
    """

    name: Name
    label: Name
    family: Name
    base_url: Name = ""
    model: Name = ""
    serve: Serve | None = None
    structured: Literal["schema", "object", "none"] = "object"
    contract: HookContract = "rows"
    candidates: Count = CANDIDATES
    api_key_env: Name | None = None
    usd_per_million_in: NotNegative = 0.0
    usd_per_million_out: NotNegative = 0.0
    max_usd: NotNegative | None = None
    max_calls: Annotated[int, Field(strict=True, ge=0)] | None = None
    concurrency: Count = 16
    requests_per_minute: Count | None = None
    temperature: NotNegative = 0.0
    max_tokens: Count = 1024
    most_tokens: Count | None = None
    timeout_s: Seconds = 60.0
    max_attempts: Count = 5
    extra_body: Mapping[str, Any] = field(default_factory=dict)
    preset: str = ""
    drop: Sequence[str] = ()
    rename: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def from_config(cls, name: str, options: Mapping[str, Any]) -> "ModelConfig":
        """The model `name` with the options of its entry; a UserError names the first wrong key."""
        try:
            given = {key: value for key, value in options.items() if key not in _OF_THE_STUDY}
            model = TypeAdapter(cls).validate_python({"label": name, **_defaults(options), **given, "name": name})
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            key = ".".join(str(part) for part in first["loc"])
            raise UserError(f"config: models.{name}.{key}: {first['msg'].lower()}") from None
        if model.max_usd is not None and not model.priced:
            raise UserError(
                f"config: models.{name}.max_usd: caps nothing without a price; give usd_per_million_in and "
                "usd_per_million_out, or cap the model with max_calls"
            )
        if model.serve is not None:
            return replace(model, model=f"gguf-sha256:{model.serve.weights.sha256}")
        for key in ("base_url", "model"):
            if not getattr(model, key):
                raise UserError(f"config: models.{name}.{key}: field required; a model has an endpoint, or `serve`")
        check_address(name, model.base_url)
        return replace(model, base_url=model.base_url.rstrip("/").removesuffix("/chat/completions"))

    @property
    def deterministic(self) -> bool:
        """Whether asking again gives the same answer, so that one cut off at its length limit may be kept as well."""
        return self.serve is not None

    @property
    def sends(self) -> Preset:
        """What becomes of a request's fields."""
        return preset(self.preset).joined(self.drop, self.rename)

    @property
    def priced(self) -> bool:
        return self.usd_per_million_in > 0 or self.usd_per_million_out > 0

    def cost_usd(self, tokens_in: int | None, tokens_out: int | None) -> float:
        """Cost of these tokens in US dollars; a count that the endpoint did not report costs 0."""
        cost = (tokens_in or 0) * self.usd_per_million_in + (tokens_out or 0) * self.usd_per_million_out
        return cost / 1e6

    def read_key(self) -> str | None:
        """The API key from the environment; None if the model names no variable.

        Raises:
            UserError: if the variable is unset or empty, or its value is not valid in an HTTP header.
        """
        if self.api_key_env is None:
            return None
        key = os.environ.get(self.api_key_env, "").strip()
        if not key:
            raise UserError(
                f"model {self.name}: environment variable {self.api_key_env} is not set; export the API key in it"
            )
        if not key.isascii() or not key.isprintable() or " " in key:
            raise UserError(
                f"model {self.name}: environment variable {self.api_key_env} has characters that no key can have"
            )
        return key


def _defaults(options: Mapping[str, Any]) -> dict[str, Any]:
    """Those that differ: of a served model one request at a time, so that no other has part in its answer, and answers
    of the form wanted; of a preset its own."""
    if isinstance(options.get("serve"), Mapping):
        return {"structured": "schema", "concurrency": 1}
    if not options.get("preset"):
        return {}
    family = preset(options["preset"])
    return {"structured": family.structured} | ({} if family.max_tokens is None else {"max_tokens": family.max_tokens})
