"""Reading chat requests: what is sent to the endpoint, and the key of the fields that affect the output."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from forgeteval.chat.counts import COPIES, LENGTHS, number, wrong_count
from forgeteval.chat.keys import answer_key, value_sha256
from lethe.gateway.errors import bad_request

if TYPE_CHECKING:
    from lethe.config.chat_models import ModelConfig

ANSWERED_HERE = frozenset({"stream", "stream_options"})
"""Fields that shape only the gateway's answer; the endpoint is always asked for a complete one."""

_TEXTS = ("text", "refusal")
"""Kinds of the parts of a message."""
_UNLIMITED = 16_384
"""Limit of an answer that has none, where money is counted."""
_ENVELOPE_TOKENS = 64
"""What a chat template adds to a request, at most."""


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One chat request as it is sent to the endpoint, and the hash under which its answer is kept.

    `key` is the SHA-256 of the fields that affect the output and of the repetition; `prompt_hash` is the first 16
    hexadecimal digits of the SHA-256 of the messages. `most_usd` is what one attempt may cost.
    """

    fields: Mapping[str, Any]
    key: str
    prompt_hash: str
    most_usd: float

    @classmethod
    def build(cls, model: "ModelConfig", asked: Mapping[str, Any], repetition: int) -> "ChatRequest":
        """The request `asked`, as `model` gets it; its own fields take precedence over the model's `extra_body`.

        A model that is served here gets the repetition as its seed. `most_tokens` of the model limits the answer. What
        its endpoint does not take is left out, and what it calls by another name is renamed.
        """
        unset = {"seed"} if asked.get("seed") is None else set[str]()
        kept = {name: value for name, value in asked.items() if name not in ANSWERED_HERE | unset}
        seed = {} if model.serve is None else {"seed": repetition}
        fields = {**seed, **model.extra_body, **kept, "model": model.model}
        if model.most_tokens is not None:
            once = {name: 1 for name in COPIES if fields.get(name) not in (None, 1)}
            fields = {**_limited(fields, model.most_tokens), **once}
        fields = model.takes.sent(fields)
        key = answer_key(fields, repetition)
        if model.max_usd is not None:
            # No part of the key: an answer that this cuts off is not kept.
            fields = model.takes.sent(_limited(fields, max(_UNLIMITED, _most_out(fields))))
        # A token has a byte at least.
        most_in = len(json.dumps(fields, ensure_ascii=False).encode()) + _ENVELOPE_TOKENS
        copies = max(fields.get(name) or 1 for name in COPIES)
        most_usd = model.cost_usd(most_in, copies * (_most_out(fields) or _UNLIMITED))
        return cls(fields, key, value_sha256(fields["messages"])[:16], most_usd)


def read_json(body: bytes | bytearray) -> dict[str, Any]:
    """The JSON object of a request's body.

    Raises:
        GatewayError: if it is not one, or contains numbers or texts that cannot be sent to an endpoint.
    """
    try:
        asked = json.loads(body)
        json.dumps(asked, ensure_ascii=False, allow_nan=False).encode("utf-8")
    except (ValueError, RecursionError):
        raise bad_request("the body must be a JSON object without NaN, Infinity or lone surrogates") from None
    if not isinstance(asked, dict):
        raise bad_request("the body must be a JSON object")
    return asked


def check_chat(asked: Mapping[str, Any]) -> None:
    """Raise a GatewayError unless the request names a model, contains messages and says how many answers it wants.

    Limits that no endpoint's number can hold are refused too.
    """
    if not isinstance(asked.get("model"), str):
        raise bad_request("model must be a text")
    if not isinstance(asked.get("messages"), list) or not asked["messages"]:
        raise bad_request("messages must be a list with at least one message")
    if any(part.get("type") not in _TEXTS for message in asked["messages"] for part in _parts(message)):
        raise bad_request("the parts of a message must be texts; what an image or a file costs is not known")
    if wrong := wrong_count(asked):
        raise bad_request(" ".join(wrong))


def _parts(message: Any) -> list[dict[str, Any]]:
    content = message.get("content") if isinstance(message, dict) else None
    return [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []


def _limited(fields: dict[str, Any], most: int) -> dict[str, Any]:
    """The fields with a limit for the answer, of at most `most` tokens."""
    limits = {name: _at_most(fields[name], most) for name in LENGTHS if fields.get(name) is not None}
    if not limits.keys() & set(LENGTHS[:2]):
        limits[LENGTHS[0]] = most
    return {**fields, **limits}


def _most_out(fields: Mapping[str, Any]) -> int:
    """The largest of the limits of an answer; 0 for none."""
    return math.ceil(max(number(fields.get(name)) for name in LENGTHS))


def _at_most(limit: Any, most: int) -> Any:
    """A limit that is not a number above 0 is none to some endpoint."""
    return limit if 0 < number(limit) <= most else most
