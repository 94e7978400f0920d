"""Reading chat requests: what is sent to the endpoint, and the key of its output-affecting fields."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lethe.gateway.errors import bad_request
from lethe.gateway.models import ModelConfig

ANSWERED_HERE = frozenset({"stream", "stream_options"})
"""Fields that shape our answer alone: the endpoint is always asked for a complete one."""

WITHOUT_EFFECT = frozenset(
    {
        "user",
        "metadata",
        "store",
        "service_tier",
        "safety_identifier",
        "prompt_cache_key",
        "prompt_cache_retention",
    }
)
"""Fields that the endpoint gets but that do not change what a model says. Any other field, known or not, may."""


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One chat request as the endpoint gets it, and the hash under which its answer is kept.

    `key` is the SHA-256 of the output-affecting fields and the repetition; `prompt_hash` the first 16 hexadecimal
    digits of the SHA-256 of the messages.
    """

    fields: Mapping[str, Any]
    key: str
    prompt_hash: str

    @classmethod
    def build(cls, model: ModelConfig, asked: Mapping[str, Any], repetition: int) -> "ChatRequest":
        """The request `asked` of the gateway, for `model`: its own fields win over the model's `extra_body`."""
        kept = {name: value for name, value in asked.items() if name not in ANSWERED_HERE}
        fields = {**model.extra_body, **kept, "model": model.model}
        effective = {name: value for name, value in fields.items() if name not in WITHOUT_EFFECT}
        key = _sha256({"request": effective, "repetition": repetition})
        return cls(fields, key, _sha256(fields["messages"])[:16])


def read_json(body: bytes) -> dict[str, Any]:
    """The JSON object of a request's body.

    Raises:
        GatewayError: where it is none, or holds numbers or texts that no endpoint can be sent.
    """
    try:
        asked = json.loads(body, parse_constant=_no_constant)
        json.dumps(asked, ensure_ascii=False).encode("utf-8")
    except (ValueError, RecursionError):
        raise bad_request("the body must be a JSON object without NaN, Infinity and lone surrogates") from None
    if not isinstance(asked, dict):
        raise bad_request("the body must be a JSON object")
    return asked


def check_chat(asked: Mapping[str, Any]) -> None:
    """Raise a GatewayError unless the request names a model and holds messages."""
    if not isinstance(asked.get("model"), str):
        raise bad_request("model must be a text")
    if not isinstance(asked.get("messages"), list) or not asked["messages"]:
        raise bad_request("messages must be a list with at least one message")


def wants_stream(asked: Mapping[str, Any]) -> bool:
    return asked.get("stream") is True


def wants_stream_usage(asked: Mapping[str, Any]) -> bool:
    options = asked.get("stream_options")
    return isinstance(options, dict) and options.get("include_usage") is True


def _no_constant(text: str) -> None:
    raise ValueError(text)


def _sha256(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode("ascii")).hexdigest()
