"""The key of an answer: what of a request determines it."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

WITHOUT_EFFECT = frozenset(
    {"user", "metadata", "store", "service_tier", "safety_identifier", "prompt_cache_key", "prompt_cache_retention"}
)
"""Fields that are sent to the endpoint but do not change what a model says; any other field may."""


def answer_key(fields: Mapping[str, Any], repetition: int = 0) -> str:
    """SHA-256 of the fields that affect the output and of the repetition; the workflow and Python have the same.

    >>> answer_key({"messages": [], "user": "me"}) == answer_key({"messages": []})
    True
    """
    effective = {name: value for name, value in fields.items() if name not in WITHOUT_EFFECT}
    return value_sha256({"request": effective, "repetition": repetition})


def value_sha256(value: Any) -> str:
    """SHA-256, in hexadecimal, of a value of JSON."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode("ascii")).hexdigest()
