"""Reading chat requests: what is sent to the endpoint, and the key of the fields that affect the output."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lethe.gateway.errors import bad_request
from lethe.gateway.models import ModelConfig

ANSWERED_HERE = frozenset({"stream", "stream_options"})
"""Fields that shape only the gateway's answer; the endpoint is always asked for a complete one."""

WITHOUT_EFFECT = frozenset(
    {"user", "metadata", "store", "service_tier", "safety_identifier", "prompt_cache_key", "prompt_cache_retention"}
)
"""Fields that are sent to the endpoint but do not change what a model says; any other field may."""

_LIMITS = ("max_tokens", "max_completion_tokens")
"""Fields that limit the tokens of an answer."""


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One chat request as it is sent to the endpoint, and the hash under which its answer is kept.

    `key` is the SHA-256 of the fields that affect the output and of the repetition; `prompt_hash` is the first 16
    hexadecimal digits of the SHA-256 of the messages.
    """

    fields: Mapping[str, Any]
    key: str
    prompt_hash: str

    @classmethod
    def build(cls, model: ModelConfig, asked: Mapping[str, Any], repetition: int) -> "ChatRequest":
        """The request `asked`, as `model` gets it; its own fields take precedence over the model's `extra_body`.

        A model that is served here gets the repetition as its seed. `most_tokens` of the model limits the answer.
        """
        unset = {"seed"} if asked.get("seed") is None else set[str]()
        kept = {name: value for name, value in asked.items() if name not in ANSWERED_HERE | unset}
        seed = {} if model.serve is None else {"seed": repetition}
        fields = _limited({**seed, **model.extra_body, **kept, "model": model.model}, model.most_tokens)
        effective = {name: value for name, value in fields.items() if name not in WITHOUT_EFFECT}
        key = _sha256({"request": effective, "repetition": repetition})
        return cls(fields, key, _sha256(fields["messages"])[:16])


def read_json(body: bytes) -> dict[str, Any]:
    """The JSON object of a request's body.

    Raises:
        GatewayError: if it is not one, or contains numbers or texts that cannot be sent to an endpoint.
    """
    try:
        asked = json.loads(body, parse_constant=_no_constant)
        json.dumps(asked, ensure_ascii=False).encode("utf-8")
    except (ValueError, RecursionError):
        raise bad_request("the body must be a JSON object without NaN, Infinity or lone surrogates") from None
    if not isinstance(asked, dict):
        raise bad_request("the body must be a JSON object")
    return asked


def check_chat(asked: Mapping[str, Any]) -> None:
    """Raise a GatewayError unless the request names a model and contains messages."""
    if not isinstance(asked.get("model"), str):
        raise bad_request("model must be a text")
    if not isinstance(asked.get("messages"), list) or not asked["messages"]:
        raise bad_request("messages must be a list with at least one message")


def wants_stream(asked: Mapping[str, Any]) -> bool:
    return asked.get("stream") is True


def wants_stream_usage(asked: Mapping[str, Any]) -> bool:
    options = asked.get("stream_options")
    return isinstance(options, dict) and options.get("include_usage") is True


def _limited(fields: dict[str, Any], most: int | None) -> dict[str, Any]:
    """The fields with a limit of at most `most` tokens for the answer; as they are if that is None."""
    if most is None:
        return fields
    asked = {name: fields[name] for name in _LIMITS if isinstance(fields.get(name), int)}
    return {**fields, **({name: min(limit, most) for name, limit in asked.items()} or {_LIMITS[0]: most})}


def _no_constant(text: str) -> None:
    raise ValueError(text)


def _sha256(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode("ascii")).hexdigest()
