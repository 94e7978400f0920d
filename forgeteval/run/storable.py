"""What a file can hold of what a measured system sends.

This module runs in the systems' own environments: only the standard library is imported here.
"""

from collections.abc import Sequence
from dataclasses import is_dataclass
from typing import Any

from forgeteval.json_records import fields_of

MOST_RECALLED = 1 << 20
"""Letters of all that is recalled at once."""
_MOST_LETTERS = 4 * MOST_RECALLED
"""Of all that comes of a step, a look or an examination."""
_MOST_WORDS = 10_000
"""Letters of why one broke; more than `forgeteval.run.raised` gives."""
_MOST_DECIDED = 1 << 16
"""Letters of what a planner decided of a history; some twenty for each mutation."""
_LARGEST = 1 << 53
"""The largest number that an integer and a float of 64 bits both hold."""


def check_storable(value: Any) -> None:
    """Raise ValueError for a text that is not Unicode and a number that columns, or sums of them, do not hold."""
    match value:
        case str():
            value.encode()
        case int() | float() if not abs(value) <= _LARGEST:
            raise ValueError("a number that no table holds")
        case dict():
            check_storable([*value, *value.values()])
        case list() | tuple():
            for item in value:
                check_storable(item)
        case _ if is_dataclass(value):
            check_storable(fields_of(value))


def check_came(came: Any) -> None:
    """Raise ValueError where no file could hold what came of a step or a look, or a number of it is negative."""
    check_storable(came)
    fields = fields_of(came)
    if any(value < 0 for value in fields.values() if isinstance(value, int | float)):
        raise ValueError("a negative number or time")
    if _letters(came) > _MOST_LETTERS:
        raise ValueError(f"more than {_MOST_LETTERS:,} letters")
    if _letters(fields.get("decisions")) > _MOST_DECIDED:
        raise ValueError(f"decisions of more than {_MOST_DECIDED:,} letters")
    if any(len(fields.get(name) or "") > _MOST_WORDS for name in ("error", "traceback")):
        raise ValueError(f"an error of more than {_MOST_WORDS:,} letters")


def _letters(value: Any) -> int:
    """Letters of all texts, and the number of all parts."""
    match value:
        case str():
            return len(value)
        case list() | tuple():
            return len(value) + sum(map(_letters, value))
        case _ if is_dataclass(value):
            return sum(map(_letters, fields_of(value).values()))
    return 0


def texts_of(recalled: Sequence[str]) -> list[str]:
    """What a system recalled, as texts that can be stored; TypeError where it is none, ValueError for too much."""
    if isinstance(recalled, str):
        raise TypeError("a text was recalled where a list of texts is needed")
    for text in recalled:
        if not isinstance(text, str):
            raise TypeError(f"recalled {text!r:.80}, which is not text but {type(text).__name__}")
    letters = sum(map(str.__len__, recalled))
    if letters > MOST_RECALLED:
        raise ValueError(f"recalled texts of {letters:,} letters; at most {MOST_RECALLED:,} are taken")
    return [storable(text) for text in recalled]


def storable(text: str) -> str:
    """The text with lone surrogates, which no file can hold as UTF-8, replaced."""
    return str.encode(text, "utf-8", "replace").decode()
