"""Numbers of a chat request that limit or multiply its answers, which whoever counts money reads."""

from collections.abc import Mapping
from typing import Any

LENGTHS = ("max_tokens", "max_completion_tokens", "max_output_tokens", "max_new_tokens", "n_predict", "num_predict")
"""Fields that limit the tokens of an answer; every endpoint knows one of the first two, some the others as well."""
COPIES = ("n", "best_of")
"""Fields that multiply the answers."""
_LARGEST = 2**63 - 1
"""What a limit or a number of answers may be."""


def number(value: Any) -> float:
    """A number of JSON; 0 for what is none."""
    return value if isinstance(value, int | float) and not isinstance(value, bool) else 0


def wrong_count(fields: Mapping[str, Any]) -> tuple[str, str] | None:
    """The first field of a request that no endpoint can count by, and what it has to be; None where all are right.

    >>> wrong_count({"n": "3", "max_tokens": 16})
    ('n', 'must be a whole number from 1')
    """
    for name in COPIES:
        if fields.get(name) is not None and not (type(fields[name]) is int and fields[name] > 0):
            return name, "must be a whole number from 1"
    for name in (*COPIES, *LENGTHS):
        if abs(number(fields.get(name))) > _LARGEST:
            return name, "must fit 64 bits"
    return None
