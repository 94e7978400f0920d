"""A chat model as those need it who ask it: its entry in `config/models.yaml`, checked, and what follows from that."""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import ValidationError

from forgeteval.chat.connecting import address_problem, api_root, read_key
from forgeteval.chat.parameters import LIMITS, Preset, field_problem, preset
from forgeteval.errors import UserError
from forgeteval.planners.protocol import CANDIDATES
from lethe.config.model import Model, Text


class ModelConfig(Model):
    """One entry of `config/models.yaml`, with its name.

    It has either an endpoint (`base_url` and `model`, its name there) or is served here (`serve`); in requests a served
    one goes by the checksum of its weights, which thus decides under which key an answer is kept.
    """

    name: Text
    label: Text
    base_url: str = ""
    model: str = ""
    structured: Literal["schema", "object", "none"] = "object"
    max_attempts: int = 5
    """Of one request."""
    candidates: int = CANDIDATES
    """That the contract `rows` shows, by query and by new fact each."""

    @classmethod
    def from_config(cls, name: str, options: Mapping[str, Any]) -> "ModelConfig":
        """The model `name` with the options of its entry; a UserError names the first wrong key."""
        try:
            model = cls.model_validate({"label": name, **_defaults(options), **options, "name": name})
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            key = ".".join(str(part) for part in first["loc"])
            raise UserError(f"config: models.{name}.{key}: {first['msg'].lower()}") from None
        check_fields(name, model)
        if model.max_usd is not None and not model.priced:
            raise UserError(
                f"config: models.{name}.max_usd: caps nothing without a price; give usd_per_million_in and "
                "usd_per_million_out, or cap the model with max_calls"
            )
        for cap in ("max_usd", "most_tokens"):
            dropped = [limit for limit in sorted(LIMITS) if model.takes.rename.get(limit, limit) in model.takes.drop]
            if dropped and getattr(model, cap) is not None:
                raise UserError(
                    f"config: models.{name}.drop: {dropped[0]} limits an answer, without which {cap} cannot hold; "
                    f"rename it to the endpoint's own name, or use max_calls in place of {cap}"
                )
        if model.serve is not None:
            return model.model_copy(update={"model": f"gguf-sha256:{model.serve.sha256}"})
        for key in ("base_url", "model"):
            if not (getattr(model, key) or "").strip():
                raise UserError(f"config: models.{name}.{key}: field required; a model has an endpoint, or `serve`")
        check_address(name, model.base_url)
        return model.model_copy(update={"base_url": api_root(model.base_url)})

    @property
    def takes(self) -> Preset:
        """What its endpoint takes of a request."""
        return preset(self.preset).joined(self.drop, self.rename)

    @property
    def deterministic(self) -> bool:
        """Whether asking again gives the same answer, so that one cut off at its length limit may be kept as well."""
        return self.serve is not None

    @property
    def endpoint(self) -> str:
        """Whose answers are kept: an address; empty where the checksum of the weights says it."""
        return self.base_url if self.serve is None else ""

    @property
    def priced(self) -> bool:
        return self.usd_per_million_in > 0 or self.usd_per_million_out > 0

    def cost_usd(self, tokens_in: int | None, tokens_out: int | None) -> float:
        """Cost of these tokens in US dollars; a count that the endpoint did not report costs 0."""
        return ((tokens_in or 0) * self.usd_per_million_in + (tokens_out or 0) * self.usd_per_million_out) / 1e6

    def read_key(self) -> str | None:
        """The API key from the environment; None if the model names no variable.

        Raises:
            UserError: if the variable is unset or empty, or its value is not valid in an HTTP header.
        """
        if self.api_key_env is None:
            return None
        return read_key(f"model {self.name}", self.api_key_env, "export the API key in it")


def check_address(model: str, base_url: str) -> None:
    """Raise UserError where the address of a model is none, or holds what belongs into `api_key_env`.

    One that nobody asks is checked too: the configuration is written to the results.
    """
    problem = address_problem(base_url)
    if problem:
        raise UserError(f"config: models.{model}.base_url: {problem}")


def check_fields(name: str, model: Model) -> None:
    """Raise UserError where `extra_body`, `drop` or `rename` of a model make requests that cannot be sent."""
    if problem := field_problem(model.drop, model.rename, model.extra_body):
        raise UserError(f"config: models.{name}.{problem}")


def _defaults(options: Mapping[str, Any]) -> dict[str, Any]:
    """Those that differ: of a served model one request at a time, so that no other has part in its answer, and answers
    of the form wanted; of a preset its own."""
    if isinstance(options.get("serve"), Mapping):
        return {"structured": "schema", "concurrency": 1}
    if not options.get("preset"):
        return {}
    family = preset(options["preset"])
    return {"structured": family.structured} | ({} if family.max_tokens is None else {"max_tokens": family.max_tokens})
